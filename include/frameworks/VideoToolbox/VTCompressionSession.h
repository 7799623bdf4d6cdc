/*
 * VideoToolbox/VTCompressionSession.h - frames in, compressed samples out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VTCOMPRESSIONSESSION_H
#define VTCOMPRESSIONSESSION_H

#include <CoreMedia/CMFormatDescription.h>
#include <CoreMedia/CMSampleBuffer.h>
#include <CoreMedia/CMTime.h>
#include <CoreMedia/CMTimeRange.h>
#include <CoreVideo/CVImageBuffer.h>
#include <CoreVideo/CVPixelBufferPool.h>
#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTCompressionProperties.h>
#include <VideoToolbox/VTErrors.h>
#include <VideoToolbox/VTSession.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* Encodes frames into H.264 of one size. The functions of VTSession.h set and read its properties
 * (VTCompressionProperties.h). Any thread may use it. CFRelease gives a reference back; the last
 * release invalidates the session. Its functions give kVTParameterErr for NULL, and
 * kVTInvalidSessionErr after VTCompressionSessionInvalidate. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTCompressionSession *VTCompressionSessionRef;

/* Receives one frame.
 *
 * There is exactly one call for each frame for which EncodeFrame returned noErr, in decode order.
 * Calls for one session never overlap. They come from a thread of the session, possibly before
 * EncodeFrame returns. The callback may use and release the session, but CompleteFrames and
 * EndPass give kVTParameterErr there, and Invalidate has no effect.
 *
 * sourceFrameRefCon: what was given with the frame.
 * status: noErr, or why the frame failed.
 * infoFlags: kVTEncodeInfo_FrameDropped if the frame was dropped.
 * sampleBuffer: one sample, with NAL units after lengths of 4 bytes, its format description and
 *   times; valid during the call, CFRetain keeps it. NULL for a frame that failed or was dropped.
 *   Its presentation time is the frame's, bit for bit. The decode times of the samples are the
 *   presentation times in rising order: with B-frames, one can be a frame later than the sample's
 *   presentation time, and programs that write files subtract a frame from each. */
typedef void (*VTCompressionOutputCallback)(void *_Nullable outputCallbackRefCon,
    void *_Nullable sourceFrameRefCon, OSStatus status, VTEncodeInfoFlags infoFlags,
    CMSampleBufferRef _Nullable sampleBuffer);

/* The same as a block, for one frame. */
typedef void (^VTCompressionOutputHandler)(OSStatus status, VTEncodeInfoFlags infoFlags,
    CMSampleBufferRef _Nullable sampleBuffer);

VT_EXPORT CFTypeID VTCompressionSessionGetTypeID(void);

/* Creates a session.
 *
 * width, height: 16 to 16384 pixels each, and at most 139264 macroblocks of 16 x 16, which is H.264
 *   level 6.2.
 * codecType: kCMVideoCodecType_H264.
 * encoderSpecification: NULL, or kVTVideoEncoderSpecification_... keys.
 * sourceImageBufferAttributes: NULL, or what the session's pool makes; kCVPixelBuffer... keys.
 *   Without a pixel format, and if none of those given is known, the pool makes '420v'; of several
 *   it makes the first known one. Frames need not come from the pool: other formats and sizes are
 *   converted.
 * compressedDataAllocator: not used; samples keep the encoder's own memory.
 * outputCallback: NULL if every frame is given with an output handler.
 * compressionSessionOut: receives a reference, which CFRelease gives back.
 * Returns: noErr, or:
 *   kVTParameterErr                 a size out of range, a dictionary with a value of a wrong type
 *   kVTCouldNotFindVideoEncoderErr  another codec, an unknown EncoderID, or hardware that is
 *                                   required where NALU_VT_STRICT_HARDWARE=1 is set
 *   kVTAllocationFailedErr */
VT_EXPORT OSStatus VTCompressionSessionCreate(CFAllocatorRef _Nullable allocator, int32_t width,
    int32_t height, CMVideoCodecType codecType, CFDictionaryRef _Nullable encoderSpecification,
    CFDictionaryRef _Nullable sourceImageBufferAttributes,
    CFAllocatorRef _Nullable compressedDataAllocator,
    VTCompressionOutputCallback _Nullable outputCallback, void *_Nullable outputCallbackRefCon,
    CF_RETURNS_RETAINED VTCompressionSessionRef _Nullable *_Nonnull compressionSessionOut)
    CM_SWIFT_NAME("VTCompressionSessionCreate(allocator:width:height:codecType:"
                  "encoderSpecification:imageBufferAttributes:compressedDataAllocator:"
                  "outputCallback:refcon:compressionSessionOut:)");

/* Ends the session, and calls back once with kVTInvalidSessionErr (-12903) for each pending frame.
 * The callback, or the output handler, also receives the frame's refcon and
 * kVTEncodeInfo_FrameDropped, and no sample buffer: what a program releases in the callback is
 * released. All of these calls come before VTCompressionSessionInvalidate returns, and none comes
 * afterwards. Apple documents neither these calls nor their absence: a program that reports every
 * status other than noErr as a failure calls VTCompressionSessionCompleteFrames first, which has
 * pending frames encoded. The last CFRelease does the same. NULL and a second call do nothing. */
VT_EXPORT void VTCompressionSessionInvalidate(VTCompressionSessionRef _Nullable session);

/* The pool of buffers of the session's size, which the session keeps: retain it to use it longer.
 * NULL for NULL and for a session that was invalidated. */
VT_EXPORT CVPixelBufferPoolRef _Nullable VTCompressionSessionGetPixelBufferPool(
    VTCompressionSessionRef session);

/* Opens the encoder, so that the first frame does not have to. Without a multi-pass storage,
 * properties can still be set: for most, the first frame then opens another encoder. After the
 * first frame many properties give kVTPropertyReadOnlyErr, unless they have the value already;
 * the guide lists those that change.
 *
 * Returns: noErr, or kVTParameterErr for properties that exclude each other, kVTInvalidSessionErr,
 * kVTCouldNotCreateInstanceErr if the encoder refused its parameters, kVTAllocationFailedErr. */
VT_EXPORT OSStatus VTCompressionSessionPrepareToEncodeFrames(VTCompressionSessionRef session);

/* Encodes a frame. The pixels are copied, so that they can be changed when the call returns. The
 * call waits while too many frames are pending; inside the callback it does not wait.
 *
 * imageBuffer: a pixel buffer. Another size than the session's is scaled as PixelTransferProperties
 *   says.
 * presentationTimeStamp: numeric, and greater than that of the frame before.
 * duration: may be invalid.
 * frameProperties: NULL, or kVTEncodeFrameOptionKey_... keys.
 * sourceFrameRefcon: passed to the callback.
 * infoFlagsOut: NULL, or receives kVTEncodeInfo_Asynchronous.
 * Returns: noErr, or one of these, and the frame has no output:
 *   kVTParameterErr                      no image, a time that is not numeric or not greater, a
 *                                        session without outputCallback, a wrong frameProperties
 *   kVTInvalidSessionErr                 the session was invalidated
 *   kVTPixelTransferNotSupportedErr      a pixel format that cannot be converted
 *   kVTVideoEncoderNotAvailableNowErr    inside the callback, too many frames are pending
 *   kVTAllocationFailedErr */
VT_EXPORT OSStatus VTCompressionSessionEncodeFrame(VTCompressionSessionRef session,
    CVImageBufferRef imageBuffer, CMTime presentationTimeStamp, CMTime duration,
    CFDictionaryRef _Nullable frameProperties, void *_Nullable sourceFrameRefcon,
    VTEncodeInfoFlags *_Nullable infoFlagsOut)
    CM_SWIFT_NAME("VTCompressionSessionEncodeFrame(_:imageBuffer:presentationTimeStamp:duration:"
                  "frameProperties:sourceFrameRefcon:infoFlagsOut:)");

/* As VTCompressionSessionEncodeFrame, with a block for the frame's output, which is copied and
 * called like the callback. kVTParameterErr for a session with an outputCallback. */
VT_EXPORT OSStatus VTCompressionSessionEncodeFrameWithOutputHandler(
    VTCompressionSessionRef session, CVImageBufferRef imageBuffer, CMTime presentationTimeStamp,
    CMTime duration, CFDictionaryRef _Nullable frameProperties,
    VTEncodeInfoFlags *_Nullable infoFlagsOut, VTCompressionOutputHandler outputHandler)
    CM_SWIFT_NAME("VTCompressionSessionEncodeFrame(_:imageBuffer:presentationTimeStamp:duration:"
                  "frameProperties:infoFlagsOut:outputHandler:)");

/* Waits until the callback has received the frames up to that presentation time; all frames if the
 * time is not numeric. The session can be used afterwards; the next frame is a key frame if frames
 * were held back.
 *
 * Returns: noErr; kVTParameterErr inside the callback; kVTVideoEncoderNotAvailableNowErr inside
 * another session's callback for which this session waits; kVTInvalidSessionErr. */
VT_EXPORT OSStatus VTCompressionSessionCompleteFrames(VTCompressionSessionRef session,
    CMTime completeUntilPresentationTimeStamp)
    CF_SWIFT_NAME(VTCompressionSessionCompleteFrames(_:untilPresentationTimeStamp:));

/* Whether multi-view H.265 can be encoded: false. */
VT_EXPORT Boolean VTIsStereoMVHEVCEncodeSupported(void);

/* ---- Several passes ------------------------------------------------------------------------- */

typedef CF_OPTIONS(uint32_t, VTCompressionSessionOptionFlags) {
    kVTCompressionSessionBeginFinalPass = 1 << 0, /* no pass will follow */
};

/* Begins a pass. The session needs kVTCompressionPropertyKey_MultiPassStorage, else
 * kVTParameterErr. Each pass encodes the same frames. Passes aim at AverageBitRate; a session
 * without it makes a single pass, and asks for no other. reserved: NULL.
 *
 * Returns: noErr; kVTParameterErr also if a pass is running or the final one is over;
 * kVTMultiPassStorageInvalidErr; kVTCouldNotCreateInstanceErr; kVTInvalidSessionErr. */
VT_EXPORT OSStatus VTCompressionSessionBeginPass(VTCompressionSessionRef session,
    VTCompressionSessionOptionFlags beginPassFlags, uint32_t *_Nullable reserved)
    CF_SWIFT_NAME(VTCompressionSessionBeginPass(_:flags:_:));

/* Waits until the callback has received every frame of the pass, and ends the pass.
 *
 * furtherPassesRequestedOut: NULL, or receives whether another pass is worth its time.
 * reserved: NULL.
 * Returns: noErr; kVTParameterErr if no pass is running, or inside the callback;
 *   kVTVideoEncoderMalfunctionErr if frames failed, kVTMultiPassStorageInvalidErr if what was
 *   learned could not be written: then the pass does not count; kVTInvalidSessionErr. */
VT_EXPORT OSStatus VTCompressionSessionEndPass(VTCompressionSessionRef session,
    Boolean *_Nullable furtherPassesRequestedOut, uint32_t *_Nullable reserved)
    CF_SWIFT_NAME(VTCompressionSessionEndPass(_:furtherPassesRequestedOut:_:));

/* Gives the times of the frames that the next pass needs: one range. The session keeps the array,
 * which is valid until the next VTCompressionSessionEndPass. kVTParameterErr before the first pass
 * has ended. */
VT_EXPORT OSStatus VTCompressionSessionGetTimeRangesForNextPass(VTCompressionSessionRef session,
    CMItemCount *timeRangeCountOut, const CMTimeRange *_Nullable *_Nonnull timeRangeArrayOut)
    CM_SWIFT_NAME("VTCompressionSessionGetTimeRangesForNextPass(_:timeRangeCountOut:"
                  "timeRangeArrayOut:)");

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
