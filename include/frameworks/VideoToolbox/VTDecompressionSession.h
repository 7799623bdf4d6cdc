/**
 * @file
 * Decodes sample buffers to pixel buffers.
 *
 * It decodes H.264 and H.265 with FFmpeg's decoders. FFmpeg's libraries are loaded when the first
 * session is created.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTDECOMPRESSIONSESSION_H
#define VTDECOMPRESSIONSESSION_H

#include <CoreMedia/CMFormatDescription.h>
#include <CoreMedia/CMSampleBuffer.h>
#include <CoreMedia/CMTaggedBufferGroup.h>
#include <CoreMedia/CMTime.h>
#include <CoreVideo/CVPixelBuffer.h>
#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTDecompressionProperties.h>
#include <VideoToolbox/VTErrors.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/**
 * A decompression session. The functions of VTSession.h set and read its properties
 * (VTDecompressionProperties.h). Any thread may use it. If several threads decode, the program must
 * make sure that the sample buffers arrive in decode order. Unless their comments state otherwise,
 * its functions return kVTParameterErr for NULL, and kVTInvalidSessionErr after
 * VTDecompressionSessionInvalidate. CFRelease releases a reference; the last release invalidates
 * the session. No lock is held while a callback runs.
 */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTDecompressionSession *VTDecompressionSessionRef;

VT_EXPORT CFTypeID VTDecompressionSessionGetTypeID(void);

/* ---- Output --------------------------------------------------------------------------------- */

/**
 * Receives a decoded frame. It is called exactly once for each accepted frame, that is, each frame
 * for which decoding returned noErr. The calls do not overlap. They run on a thread of the session.
 * If the data of an interlaced frame is passed a second time, the call runs on the passing thread.
 *
 * Frames are delivered in decode order. With kVTDecodeFrame_EnableTemporalProcessing they are
 * delivered in output order, with the delay that the stream's reordering needs.
 *
 * sourceFrameRefCon: the value that was passed with the frame.
 * status: noErr if there is an image, or with kVTDecodeFrame_DoNotOutputFrame. Otherwise:
 *   kVTVideoDecoderBadDataErr           the frame's data is corrupt
 *   kVTVideoDecoderReferenceMissingErr  decoding cannot start at this frame, or it refers to frames
 *                                       before the one at which decoding started
 *   kVTVideoDecoderMalfunctionErr, kVTVideoDecoderUnsupportedDataFormatErr,
 *   kVTAllocationFailedErr              the frame could not be decoded or converted
 *   kVTInvalidSessionErr                the session was invalidated before the frame was decoded
 * infoFlags: kVTDecodeInfo_FrameDropped if a frame has no image on purpose;
 *   kVTDecodeInfo_ImageBufferModifiable if the decoder no longer uses the image.
 * imageBuffer: the image, valid during the call; retain it for later use. NULL if there is none.
 * presentationTimeStamp, presentationDuration: the sample buffer's, bit for bit.
 */
typedef void (*VTDecompressionOutputCallback)(void *_Nullable decompressionOutputRefCon,
    void *_Nullable sourceFrameRefCon, OSStatus status, VTDecodeInfoFlags infoFlags,
    CVImageBufferRef _Nullable imageBuffer, CMTime presentationTimeStamp,
    CMTime presentationDuration);

/** The callback of a session, and its first argument. */
struct VTDecompressionOutputCallbackRecord {
    VTDecompressionOutputCallback _Nullable decompressionOutputCallback;
    void *_Nullable decompressionOutputRefCon; /**< the callback's first argument */
};
typedef struct VTDecompressionOutputCallbackRecord VTDecompressionOutputCallbackRecord;

#ifdef __BLOCKS__
/** The same function as VTDecompressionOutputCallback, as a block for one frame. */
typedef void (^VTDecompressionOutputHandler)(OSStatus status, VTDecodeInfoFlags infoFlags,
    CVImageBufferRef _Nullable imageBuffer, CMTime presentationTimeStamp,
    CMTime presentationDuration);
#endif

/* ---- Creation and invalidation -------------------------------------------------------------- */

/**
 * Creates a session.
 *
 * videoFormatDescription: H.264 or H.265 with parameter sets, for example from
 *   CMVideoFormatDescriptionCreateFromH264ParameterSets, or in the `avcC` or `hvcC` of
 *   kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms.
 * videoDecoderSpecification: NULL, or kVTVideoDecoderSpecification_... keys.
 * destinationImageBufferAttributes: NULL, or kCVPixelBuffer... keys for the images. Of an array of
 *   pixel formats, the first that loses nothing is used, otherwise the first. Without a pixel
 *   format, images have one that loses nothing: '420v' or '420f' for 8 bits of 4:2:0. Images are
 *   scaled to the width and height. If these are between the visible size and the coded size (a
 *   multiple of 16 in H.264), images are not scaled. They are at the top left then, their edge
 *   pixels fill the rest, and kCVImageBufferCleanApertureKey describes their position. Other keys
 *   are passed to the pool.
 * outputCallback: NULL if every frame is passed with an output handler. Read during the call only.
 * decompressionSessionOut: receives a reference, which CFRelease releases.
 * Returns: noErr, kVTParameterErr for a missing argument or for attributes that no pixel buffer can
 *   have, or:
 *   kVTVideoDecoderBadDataErr               there are no parameter sets that can be read
 *   kVTVideoDecoderUnsupportedDataFormatErr the parameter sets need an unsupported feature
 *   kVTCouldNotFindVideoDecoderErr          another codec; or there is no decoder, because
 *                                           FFmpeg's libraries are not installed; or the
 *                                           specification requires hardware while
 *                                           NALU_VT_STRICT_HARDWARE=1 is set
 *   kVTPixelTransferNotSupportedErr         images cannot be converted to the pixel format
 *   kVTAllocationFailedErr
 */
VT_EXPORT OSStatus VTDecompressionSessionCreate(CFAllocatorRef _Nullable allocator,
    CMVideoFormatDescriptionRef videoFormatDescription,
    CFDictionaryRef _Nullable videoDecoderSpecification,
    CFDictionaryRef _Nullable destinationImageBufferAttributes,
    const VTDecompressionOutputCallbackRecord *_Nullable outputCallback,
    CM_RETURNS_RETAINED_PARAMETER VTDecompressionSessionRef _Nullable *_Nonnull
        decompressionSessionOut)
    CM_SWIFT_NAME("VTDecompressionSessionCreate(allocator:formatDescription:"
                  "decoderSpecification:imageBufferAttributes:outputCallback:"
                  "decompressionSessionOut:)");

/**
 * Ends the session. Pending frames are delivered without an image, with kVTInvalidSessionErr. When
 * the call returns, no callback runs or will begin. Inside the callback the call does not wait.
 * NULL and a second call do nothing. The last release does the same.
 */
VT_EXPORT void VTDecompressionSessionInvalidate(VTDecompressionSessionRef session);

/* ---- Decoding ------------------------------------------------------------------------------- */

/**
 * Decodes the next sample buffer, in decode order. A sample is a frame, or one field of a frame. A
 * sample buffer with several samples needs their sizes, and the callback is called for each.
 *
 * Attachments are not needed: the kind of a frame is read from its NAL units. The format
 * description of the sample buffer may differ from the session's; see
 * VTDecompressionSessionCanAcceptFormatDescription.
 *
 * decodeFlags: without kVTDecodeFrame_EnableAsynchronousDecompression and
 *   kVTDecodeFrame_EnableTemporalProcessing, the callback returns before the call does. With one of
 *   them the callback may be called later. Inside the callback the call never waits. A change of
 *   kVTDecodeFrame_EnableTemporalProcessing takes effect at the next frame at which decoding can
 *   start.
 * sourceFrameRefCon: passed to the callback.
 * infoFlagsOut: NULL, or receives kVTDecodeInfo_Asynchronous if the callback may be called later.
 * Returns: noErr; or one of these, and then the callback is not called:
 *   kVTParameterErr                           no sample buffer, data buffer, format description, or
 *                                             callback
 *   kVTInvalidSessionErr
 *   kVTVideoDecoderBadDataErr                 no bytes, or not NAL units after their lengths
 *   kVTFormatDescriptionChangeNotSupportedErr the session cannot accept the format description
 *   kVTVideoDecoderNotAvailableNowErr         too many frames are pending inside the callback
 *   kVTAllocationFailedErr
 */
VT_EXPORT OSStatus VTDecompressionSessionDecodeFrame(VTDecompressionSessionRef session,
    CMSampleBufferRef sampleBuffer, VTDecodeFrameFlags decodeFlags,
    void *_Nullable sourceFrameRefCon, VTDecodeInfoFlags *_Nullable infoFlagsOut)
    CM_SWIFT_NAME("VTDecompressionSessionDecodeFrame(_:sampleBuffer:flags:frameRefcon:"
                  "infoFlagsOut:)");

/**
 * Works like VTDecompressionSessionDecodeFrame. frameOptions: kVTDecodeFrameOptionKey_... keys,
 * which have no effect.
 */
VT_EXPORT OSStatus VTDecompressionSessionDecodeFrameWithOptions(VTDecompressionSessionRef session,
    CMSampleBufferRef sampleBuffer, VTDecodeFrameFlags decodeFlags,
    CFDictionaryRef _Nullable frameOptions, void *_Nullable sourceFrameRefCon,
    VTDecodeInfoFlags *_Nullable infoFlagsOut)
    CM_SWIFT_NAME("VTDecompressionSessionDecodeFrame(_:sampleBuffer:flags:frameOptions:"
                  "frameRefcon:infoFlagsOut:)");

#ifdef __BLOCKS__
/**
 * Works like VTDecompressionSessionDecodeFrame, with a block for the frame's output, which is
 * copied. Returns kVTParameterErr if the session has a callback.
 */
VT_EXPORT OSStatus VTDecompressionSessionDecodeFrameWithOutputHandler(
    VTDecompressionSessionRef session, CMSampleBufferRef sampleBuffer,
    VTDecodeFrameFlags decodeFlags, VTDecodeInfoFlags *_Nullable infoFlagsOut,
    VTDecompressionOutputHandler outputHandler)
    CM_SWIFT_NAME("VTDecompressionSessionDecodeFrame(_:sampleBuffer:flags:infoFlagsOut:"
                  "outputHandler:)");

/**
 * Works like VTDecompressionSessionDecodeFrameWithOutputHandler. frameOptions:
 * kVTDecodeFrameOptionKey_... keys, which have no effect.
 */
VT_EXPORT OSStatus VTDecompressionSessionDecodeFrameWithOptionsAndOutputHandler(
    VTDecompressionSessionRef session, CMSampleBufferRef sampleBuffer,
    VTDecodeFrameFlags decodeFlags, CFDictionaryRef _Nullable frameOptions,
    VTDecodeInfoFlags *_Nullable infoFlagsOut, VTDecompressionOutputHandler outputHandler)
    CM_SWIFT_NAME("VTDecompressionSessionDecodeFrame(_:sampleBuffer:flags:frameOptions:"
                  "infoFlagsOut:outputHandler:)");
#endif

/**
 * Makes the session deliver the frames that it delays for output order. It does not wait for them.
 * The session can be used afterwards.
 */
VT_EXPORT OSStatus VTDecompressionSessionFinishDelayedFrames(VTDecompressionSessionRef session);

/**
 * Finishes delayed frames, and waits until the callback was called for every frame. Inside the
 * callback it does not wait, and returns kVTParameterErr.
 */
VT_EXPORT OSStatus VTDecompressionSessionWaitForAsynchronousFrames(
    VTDecompressionSessionRef session);

/* ---- Formats -------------------------------------------------------------------------------- */

/**
 * Returns true if the session can decode sample buffers with this format description. The codec
 * must be the session's, and VTDecompressionSessionCreate must accept its size and depth. Returns
 * false for NULL. Frames of another size have images of that size, unless the attributes define
 * one.
 */
VT_EXPORT Boolean VTDecompressionSessionCanAcceptFormatDescription(
    VTDecompressionSessionRef session, CMFormatDescriptionRef newFormatDesc)
    CF_SWIFT_NAME(VTDecompressionSessionCanAcceptFormatDescription(_:formatDescription:));

/** Creates a black image of the session's pixel format and size, which the caller releases. */
VT_EXPORT OSStatus VTDecompressionSessionCopyBlackPixelBuffer(VTDecompressionSessionRef session,
    CM_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut)
    CF_SWIFT_NAME(VTDecompressionSessionCopyBlackPixelBuffer(_:pixelBufferOut:));

/* ---- Capabilities ---------------------------------------------------------------------------- */

/**
 * Returns true for H.264 and H.265, if FFmpeg's libraries can be loaded. The decoder is software,
 * but some programs create a session only if this function returns true. Returns false for other
 * codecs, and with NALU_VT_STRICT_HARDWARE=1 in the environment.
 */
VT_EXPORT Boolean VTIsHardwareDecodeSupported(CMVideoCodecType codecType);

/** Returns false: of multi-view H.265, only the base view is decoded. */
VT_EXPORT Boolean VTIsStereoMVHEVCDecodeSupported(void);

/* ---- Several images in a frame -------------------------------------------------------------- */

/** Receives only frames that fail, because no frame has several images. */
typedef void (*VTDecompressionOutputMultiImageCallback)(
    void *_Nullable decompressionOutputMultiImageRefCon, void *_Nullable sourceFrameRefCon,
    OSStatus status, VTDecodeInfoFlags infoFlags, CMTaggedBufferGroupRef _Nullable
        taggedBufferGroup, CMTime presentationTimeStamp, CMTime presentationDuration);

/**
 * Sets the callback for frames with several images. It also receives frames that fail. The
 * session's own callback still receives frames with one image.
 */
VT_EXPORT OSStatus VTDecompressionSessionSetMultiImageCallback(
    VTDecompressionSessionRef decompressionSession,
    VTDecompressionOutputMultiImageCallback outputMultiImageCallback,
    void *_Nullable outputMultiImageRefcon)
    CM_SWIFT_NAME("VTDecompressionSessionSetMultiImageCallback(_:outputMultiImageCallback:"
                  "outputMultiImageRefcon:)");

#ifdef __BLOCKS__
/** Receives one frame; taggedBufferGroup is NULL. */
typedef void (^VTDecompressionMultiImageCapableOutputHandler)(OSStatus status,
    VTDecodeInfoFlags infoFlags, CVImageBufferRef _Nullable imageBuffer,
    CMTaggedBufferGroupRef _Nullable taggedBufferGroup, CMTime presentationTimeStamp,
    CMTime presentationDuration);

/**
 * Works like VTDecompressionSessionDecodeFrameWithOutputHandler, with a block that could receive
 * several images.
 */
VT_EXPORT OSStatus VTDecompressionSessionDecodeFrameWithMultiImageCapableOutputHandler(
    VTDecompressionSessionRef session, CMSampleBufferRef sampleBuffer,
    VTDecodeFrameFlags decodeFlags, VTDecodeInfoFlags *_Nullable infoFlagsOut,
    VTDecompressionMultiImageCapableOutputHandler multiImageCapableOutputHandler)
    CM_SWIFT_NAME("VTDecompressionSessionDecodeFrame(_:sampleBuffer:flags:infoFlagsOut:"
                  "completionHandler:)");
#endif

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
