/*
 * VideoToolbox/VTDecompressionSession.h - decodes sample buffers into pixel buffers.
 *
 * It decodes H.264 and H.265 with FFmpeg's decoders, through libnalumedia.so.0, which is loaded
 * when the first session is created.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
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

/*
 * A decompression session. The functions of VTSession.h set and read its properties
 * (VTDecompressionProperties.h). Any thread may use it; threads that decode at once must make sure
 * that the sample buffers come in decode order. Its functions give kVTParameterErr for NULL, unless
 * they say otherwise, and kVTInvalidSessionErr after VTDecompressionSessionInvalidate. CFRelease
 * gives a reference back; the last release invalidates the session. No lock is held while a
 * callback runs.
 */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTDecompressionSession *VTDecompressionSessionRef;

VT_EXPORT CFTypeID VTDecompressionSessionGetTypeID(void);

/* ---- Output --------------------------------------------------------------------------------- */

/*
 * Receives a decoded frame: exactly one call for each frame that was accepted, that is, for which
 * decoding gave noErr. Calls do not overlap. They come from a thread of the session's own; if the
 * data of an interlaced frame are given a second time, from the thread that gives them.
 *
 * Frames come in decode order. With kVTDecodeFrame_EnableTemporalProcessing they come in output
 * order, with the delay that the stream's reordering needs.
 *
 * sourceFrameRefCon: what was given with the frame.
 * status: noErr if there is an image, or if kVTDecodeFrame_DoNotOutputFrame was given. Else:
 *   kVTVideoDecoderBadDataErr           the frame is damaged
 *   kVTVideoDecoderReferenceMissingErr  decoding cannot start at it, or it refers to frames before
 *                                       the one at which decoding started
 *   kVTVideoDecoderMalfunctionErr, kVTVideoDecoderUnsupportedDataFormatErr,
 *   kVTAllocationFailedErr              it could not be decoded or converted
 *   kVTInvalidSessionErr                the session was invalidated before the frame's turn
 * infoFlags: kVTDecodeInfo_FrameDropped where a frame has no image on purpose;
 *   kVTDecodeInfo_ImageBufferModifiable where the decoder no longer refers to the image.
 * imageBuffer: the image, valid during the call; retain it to keep it. NULL without one.
 * presentationTimeStamp, presentationDuration: the sample buffer's, bit for bit.
 */
typedef void (*VTDecompressionOutputCallback)(void *_Nullable decompressionOutputRefCon,
    void *_Nullable sourceFrameRefCon, OSStatus status, VTDecodeInfoFlags infoFlags,
    CVImageBufferRef _Nullable imageBuffer, CMTime presentationTimeStamp,
    CMTime presentationDuration);

/* The callback of a session. */
struct VTDecompressionOutputCallbackRecord {
    VTDecompressionOutputCallback _Nullable decompressionOutputCallback;
    void *_Nullable decompressionOutputRefCon; /* its first argument */
};
typedef struct VTDecompressionOutputCallbackRecord VTDecompressionOutputCallbackRecord;

#ifdef __BLOCKS__
/* Receives one frame, as VTDecompressionOutputCallback does. */
typedef void (^VTDecompressionOutputHandler)(OSStatus status, VTDecodeInfoFlags infoFlags,
    CVImageBufferRef _Nullable imageBuffer, CMTime presentationTimeStamp,
    CMTime presentationDuration);
#endif

/* ---- Life ----------------------------------------------------------------------------------- */

/*
 * Creates a session.
 *
 * videoFormatDescription: H.264 or H.265 with parameter sets; see
 *   CMVideoFormatDescriptionCreateFromH264ParameterSets. An `avcC` or `hvcC` in
 *   kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms will do.
 * videoDecoderSpecification: NULL, or kVTVideoDecoderSpecification_... keys.
 * destinationImageBufferAttributes: NULL, or kCVPixelBuffer... keys for the images: a pixel format
 *   or an array of them, of which the first that loses nothing is used, or else the first;
 *   width and height, to which images are scaled. If these lie between the visible size and the
 *   coded size, which is a multiple of 16 in H.264, images are not scaled: they lie at the top
 *   left, the pixels of their edges fill the rest, and kCVImageBufferCleanApertureKey says where
 *   they are. Other keys are passed to the pool. Without a pixel format, images have one that
 *   loses nothing: '420v' or '420f' for 8 bits of 4:2:0.
 * outputCallback: NULL if every frame is given with an output handler. Read during the call only.
 * decompressionSessionOut: receives a reference, which CFRelease gives back.
 * Returns: noErr, kVTParameterErr for a missing argument or for attributes that make no pixel
 *   buffers, or:
 *   kVTVideoDecoderBadDataErr               there are no parameter sets that can be read
 *   kVTVideoDecoderUnsupportedDataFormatErr the parameter sets need what is not supported
 *   kVTCouldNotFindVideoDecoderErr          another codec; or there is no decoder, because
 *                                           libnalumedia or FFmpeg's libraries are not installed,
 *                                           or the specification requires hardware where
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

/*
 * Ends the session. Frames that are pending come back without an image and with
 * kVTInvalidSessionErr; when the call returns, no callback runs or begins. From inside the callback
 * it does not wait. NULL and a second call do nothing. The last release does the same.
 */
VT_EXPORT void VTDecompressionSessionInvalidate(VTDecompressionSessionRef session);

/* ---- Decoding ------------------------------------------------------------------------------- */

/*
 * Decodes the next sample buffer, in decode order. A sample is one frame, or one field of a frame.
 * A sample buffer with several samples needs their sizes, and the callback is called for each.
 *
 * Attachments are not needed: the kind of a frame is read from its NAL units. The format
 * description of the sample buffer may differ from the session's; see
 * VTDecompressionSessionCanAcceptFormatDescription.
 *
 * decodeFlags: without kVTDecodeFrame_EnableAsynchronousDecompression and
 *   kVTDecodeFrame_EnableTemporalProcessing, the callback has returned before the call does. With
 *   one of them it may come later. Inside the callback the call never waits. A change of
 *   kVTDecodeFrame_EnableTemporalProcessing takes effect at the next frame at which decoding can
 *   start.
 * sourceFrameRefCon: passed to the callback.
 * infoFlagsOut: NULL, or receives kVTDecodeInfo_Asynchronous if the callback may still come.
 * Returns: noErr; or one of these, and there is no callback:
 *   kVTParameterErr                           no sample buffer, data buffer, format description, or
 *                                             callback
 *   kVTInvalidSessionErr
 *   kVTVideoDecoderBadDataErr                 no bytes, or not NAL units after their lengths
 *   kVTFormatDescriptionChangeNotSupportedErr the session cannot accept the format description
 *   kVTVideoDecoderNotAvailableNowErr         inside the callback, too many frames are pending
 *   kVTAllocationFailedErr
 */
VT_EXPORT OSStatus VTDecompressionSessionDecodeFrame(VTDecompressionSessionRef session,
    CMSampleBufferRef sampleBuffer, VTDecodeFrameFlags decodeFlags,
    void *_Nullable sourceFrameRefCon, VTDecodeInfoFlags *_Nullable infoFlagsOut)
    CM_SWIFT_NAME("VTDecompressionSessionDecodeFrame(_:sampleBuffer:flags:frameRefcon:"
                  "infoFlagsOut:)");

/* As VTDecompressionSessionDecodeFrame. frameOptions: kVTDecodeFrameOptionKey_... keys, which have
 * no effect. */
VT_EXPORT OSStatus VTDecompressionSessionDecodeFrameWithOptions(VTDecompressionSessionRef session,
    CMSampleBufferRef sampleBuffer, VTDecodeFrameFlags decodeFlags,
    CFDictionaryRef _Nullable frameOptions, void *_Nullable sourceFrameRefCon,
    VTDecodeInfoFlags *_Nullable infoFlagsOut)
    CM_SWIFT_NAME("VTDecompressionSessionDecodeFrame(_:sampleBuffer:flags:frameOptions:"
                  "frameRefcon:infoFlagsOut:)");

#ifdef __BLOCKS__
/* As VTDecompressionSessionDecodeFrame, with a block for the frame's output, which is copied.
 * kVTParameterErr if the session has a callback. */
VT_EXPORT OSStatus VTDecompressionSessionDecodeFrameWithOutputHandler(
    VTDecompressionSessionRef session, CMSampleBufferRef sampleBuffer,
    VTDecodeFrameFlags decodeFlags, VTDecodeInfoFlags *_Nullable infoFlagsOut,
    VTDecompressionOutputHandler outputHandler)
    CM_SWIFT_NAME("VTDecompressionSessionDecodeFrame(_:sampleBuffer:flags:infoFlagsOut:"
                  "outputHandler:)");

/* As VTDecompressionSessionDecodeFrameWithOutputHandler. frameOptions:
 * kVTDecodeFrameOptionKey_... keys, which have no effect. */
VT_EXPORT OSStatus VTDecompressionSessionDecodeFrameWithOptionsAndOutputHandler(
    VTDecompressionSessionRef session, CMSampleBufferRef sampleBuffer,
    VTDecodeFrameFlags decodeFlags, CFDictionaryRef _Nullable frameOptions,
    VTDecodeInfoFlags *_Nullable infoFlagsOut, VTDecompressionOutputHandler outputHandler)
    CM_SWIFT_NAME("VTDecompressionSessionDecodeFrame(_:sampleBuffer:flags:frameOptions:"
                  "infoFlagsOut:outputHandler:)");
#endif

/* Makes the session deliver the frames that it holds back for output order. It does not wait for
 * them, and the session can be used afterwards. */
VT_EXPORT OSStatus VTDecompressionSessionFinishDelayedFrames(VTDecompressionSessionRef session);

/* Finishes delayed frames, and waits until every frame has had its callback. From inside the
 * callback it does not wait, and gives kVTParameterErr. */
VT_EXPORT OSStatus VTDecompressionSessionWaitForAsynchronousFrames(
    VTDecompressionSessionRef session);

/* ---- Formats -------------------------------------------------------------------------------- */

/* Whether sample buffers with this format description can be decoded by the session: its codec,
 * with a size and depth that VTDecompressionSessionCreate accepts. false for NULL. Frames of
 * another size have images of that size, unless the attributes say otherwise. */
VT_EXPORT Boolean VTDecompressionSessionCanAcceptFormatDescription(
    VTDecompressionSessionRef session, CMFormatDescriptionRef newFormatDesc)
    CF_SWIFT_NAME(VTDecompressionSessionCanAcceptFormatDescription(_:formatDescription:));

/* Makes a black image of the session's pixel format and size, which the caller releases. */
VT_EXPORT OSStatus VTDecompressionSessionCopyBlackPixelBuffer(VTDecompressionSessionRef session,
    CM_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut)
    CF_SWIFT_NAME(VTDecompressionSessionCopyBlackPixelBuffer(_:pixelBufferOut:));

/* ---- Abilities ------------------------------------------------------------------------------ */

/* Whether a codec is decoded where a program requires hardware: true for H.264 and H.265, although
 * it is the software decoder that answers. Programs ask this before they use a session at all.
 * False for other codecs, where libnalumedia cannot be loaded, and with NALU_VT_STRICT_HARDWARE=1
 * in the environment. */
VT_EXPORT Boolean VTIsHardwareDecodeSupported(CMVideoCodecType codecType);

/* Whether several views of multi-view H.265 are decoded: false; only the base view is. */
VT_EXPORT Boolean VTIsStereoMVHEVCDecodeSupported(void);

/* ---- Several images in a frame -------------------------------------------------------------- */

/* Receives only frames that fail, because no frame has several images. */
typedef void (*VTDecompressionOutputMultiImageCallback)(
    void *_Nullable decompressionOutputMultiImageRefCon, void *_Nullable sourceFrameRefCon,
    OSStatus status, VTDecodeInfoFlags infoFlags, CMTaggedBufferGroupRef _Nullable
        taggedBufferGroup, CMTime presentationTimeStamp, CMTime presentationDuration);

/* Sets the callback for frames of several images, which also receives those that fail. The
 * session's own callback still receives frames with one image. */
VT_EXPORT OSStatus VTDecompressionSessionSetMultiImageCallback(
    VTDecompressionSessionRef decompressionSession,
    VTDecompressionOutputMultiImageCallback outputMultiImageCallback,
    void *_Nullable outputMultiImageRefcon)
    CM_SWIFT_NAME("VTDecompressionSessionSetMultiImageCallback(_:outputMultiImageCallback:"
                  "outputMultiImageRefcon:)");

#ifdef __BLOCKS__
/* Receives one frame; taggedBufferGroup is NULL. */
typedef void (^VTDecompressionMultiImageCapableOutputHandler)(OSStatus status,
    VTDecodeInfoFlags infoFlags, CVImageBufferRef _Nullable imageBuffer,
    CMTaggedBufferGroupRef _Nullable taggedBufferGroup, CMTime presentationTimeStamp,
    CMTime presentationDuration);

/* As VTDecompressionSessionDecodeFrameWithOutputHandler, with a block that could receive several
 * images. */
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
