/**
 * @file
 * Encodes frames to compressed samples.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
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

/**
 * A session that encodes frames to H.264 of one size. The functions of VTSession.h set and read its
 * properties (VTCompressionProperties.h). Any thread may use it. CFRelease releases a reference;
 * the last release invalidates the session. Its functions return kVTParameterErr for NULL, and
 * kVTInvalidSessionErr after VTCompressionSessionInvalidate.
 */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTCompressionSession *VTCompressionSessionRef;

/**
 * Receives one frame.
 *
 * It is called exactly once for each frame for which EncodeFrame returned noErr, in decode order.
 * The calls of one session never overlap. They run on a thread of the session, possibly before
 * EncodeFrame returns. The callback may use and release the session. In the callback,
 * CompleteFrames and EndPass return kVTParameterErr, and Invalidate has no effect.
 *
 * sourceFrameRefCon: the value that was passed with the frame.
 * status: noErr, or the reason why the frame failed.
 * infoFlags: kVTEncodeInfo_FrameDropped if the frame was dropped.
 * sampleBuffer: one sample, with NAL units after lengths of 4 bytes, its format description and
 *   times. It is valid during the call, and longer with CFRetain. NULL for a frame that failed or
 *   was dropped. Its presentation time is the frame's, bit for bit. The decode times of the
 *   samples are the presentation times in ascending order. With B-frames, a decode time can be a
 *   frame later than the presentation time; programs that write files subtract a frame.
 */
typedef void (*VTCompressionOutputCallback)(void *_Nullable outputCallbackRefCon,
    void *_Nullable sourceFrameRefCon, OSStatus status, VTEncodeInfoFlags infoFlags,
    CMSampleBufferRef _Nullable sampleBuffer);

/** The same function as a block, for one frame. */
typedef void (^VTCompressionOutputHandler)(OSStatus status, VTEncodeInfoFlags infoFlags,
    CMSampleBufferRef _Nullable sampleBuffer);

VT_EXPORT CFTypeID VTCompressionSessionGetTypeID(void);

/**
 * Creates a session.
 *
 * width, height: 16 to 16384 pixels each, and at most 139264 macroblocks of 16 x 16, which is H.264
 *   level 6.2.
 * codecType: kCMVideoCodecType_H264.
 * encoderSpecification: NULL, or kVTVideoEncoderSpecification_... keys.
 * sourceImageBufferAttributes: NULL, or kCVPixelBuffer... keys for the session's pool. The pool
 *   uses the first known pixel format of these, or '420v' if there is none. Frames need not come
 *   from the pool: other formats and sizes are converted.
 * compressedDataAllocator: not used; samples keep the encoder's own memory.
 * outputCallback: NULL if every frame is passed with an output handler.
 * compressionSessionOut: receives a reference, which CFRelease releases.
 * Returns: noErr, or:
 *   kVTParameterErr                 a size out of range, or a value of a wrong type in a dictionary
 *   kVTCouldNotFindVideoEncoderErr  another codec, an unknown EncoderID, or required hardware while
 *                                   NALU_VT_STRICT_HARDWARE=1 is set
 *   kVTAllocationFailedErr
 */
VT_EXPORT OSStatus VTCompressionSessionCreate(CFAllocatorRef _Nullable allocator, int32_t width,
    int32_t height, CMVideoCodecType codecType, CFDictionaryRef _Nullable encoderSpecification,
    CFDictionaryRef _Nullable sourceImageBufferAttributes,
    CFAllocatorRef _Nullable compressedDataAllocator,
    VTCompressionOutputCallback _Nullable outputCallback, void *_Nullable outputCallbackRefCon,
    CF_RETURNS_RETAINED VTCompressionSessionRef _Nullable *_Nonnull compressionSessionOut)
    CM_SWIFT_NAME("VTCompressionSessionCreate(allocator:width:height:codecType:"
                  "encoderSpecification:imageBufferAttributes:compressedDataAllocator:"
                  "outputCallback:refcon:compressionSessionOut:)");

/**
 * Ends the session. The callback, or the output handler, is called once for each pending frame,
 * with kVTInvalidSessionErr (-12903), kVTEncodeInfo_FrameDropped, the frame's refcon and no sample
 * buffer. So everything that a program releases in the callback is released. All of these calls are
 * made before VTCompressionSessionInvalidate returns, and none is made later. Apple documents
 * neither these calls nor their absence. A program that reports every status other than noErr as a
 * failure should call VTCompressionSessionCompleteFrames first, which has pending frames encoded.
 * The last CFRelease does the same as this call. NULL and a second call do nothing.
 */
VT_EXPORT void VTCompressionSessionInvalidate(VTCompressionSessionRef _Nullable session);

/**
 * Returns the pool of buffers of the session's size. The session owns it: retain it to use it
 * longer. Returns NULL for NULL and after the session was invalidated.
 */
VT_EXPORT CVPixelBufferPoolRef _Nullable VTCompressionSessionGetPixelBufferPool(
    VTCompressionSessionRef session);

/**
 * Opens the encoder, so that the first frame does not have to. Properties can still be set. For
 * most of them, the first frame then opens another encoder. After the first frame, or after the
 * first pass has begun, many properties return kVTPropertyReadOnlyErr, unless they have the value
 * already; the guide lists those that can change.
 *
 * Returns: noErr, or kVTParameterErr for properties that exclude each other, kVTInvalidSessionErr,
 * kVTCouldNotCreateInstanceErr if the encoder refused its parameters, kVTAllocationFailedErr.
 */
VT_EXPORT OSStatus VTCompressionSessionPrepareToEncodeFrames(VTCompressionSessionRef session);

/**
 * Encodes a frame. The pixels are copied, so they can be changed when the call returns. The call
 * waits while too many frames are pending, but not inside the callback.
 *
 * imageBuffer: a pixel buffer. If its size is not the session's, it is scaled according to
 *   PixelTransferProperties.
 * presentationTimeStamp: numeric, and greater than that of the previous frame.
 * duration: may be invalid.
 * frameProperties: NULL, or kVTEncodeFrameOptionKey_... keys.
 * sourceFrameRefcon: passed to the callback.
 * infoFlagsOut: NULL, or receives kVTEncodeInfo_Asynchronous.
 * Returns: noErr, or one of these, and then the frame has no output:
 *   kVTParameterErr                      no image, a time that is not numeric or not greater, a
 *                                        session without outputCallback, a wrong frameProperties
 *   kVTInvalidSessionErr                 the session was invalidated
 *   kVTPixelTransferNotSupportedErr      a pixel format that cannot be converted
 *   kVTVideoEncoderNotAvailableNowErr    too many frames are pending inside the callback
 *   kVTAllocationFailedErr
 */
VT_EXPORT OSStatus VTCompressionSessionEncodeFrame(VTCompressionSessionRef session,
    CVImageBufferRef imageBuffer, CMTime presentationTimeStamp, CMTime duration,
    CFDictionaryRef _Nullable frameProperties, void *_Nullable sourceFrameRefcon,
    VTEncodeInfoFlags *_Nullable infoFlagsOut)
    CM_SWIFT_NAME("VTCompressionSessionEncodeFrame(_:imageBuffer:presentationTimeStamp:duration:"
                  "frameProperties:sourceFrameRefcon:infoFlagsOut:)");

/**
 * Works like VTCompressionSessionEncodeFrame, with a block for the frame's output, which is copied
 * and called like the callback. Returns kVTParameterErr for a session with an outputCallback.
 */
VT_EXPORT OSStatus VTCompressionSessionEncodeFrameWithOutputHandler(
    VTCompressionSessionRef session, CVImageBufferRef imageBuffer, CMTime presentationTimeStamp,
    CMTime duration, CFDictionaryRef _Nullable frameProperties,
    VTEncodeInfoFlags *_Nullable infoFlagsOut, VTCompressionOutputHandler outputHandler)
    CM_SWIFT_NAME("VTCompressionSessionEncodeFrame(_:imageBuffer:presentationTimeStamp:duration:"
                  "frameProperties:infoFlagsOut:outputHandler:)");

/**
 * Waits until the callback has received the frames up to that presentation time, or all frames if
 * the time is not numeric. The session can be used afterwards. The next frame is a key frame if
 * frames were delayed.
 *
 * Returns: noErr; kVTParameterErr inside the callback; kVTVideoEncoderNotAvailableNowErr inside
 * another session's callback for which this session waits; kVTInvalidSessionErr.
 */
VT_EXPORT OSStatus VTCompressionSessionCompleteFrames(VTCompressionSessionRef session,
    CMTime completeUntilPresentationTimeStamp)
    CF_SWIFT_NAME(VTCompressionSessionCompleteFrames(_:untilPresentationTimeStamp:));

/** Returns false: multi-view H.265 cannot be encoded. */
VT_EXPORT Boolean VTIsStereoMVHEVCEncodeSupported(void);

/* ---- Several passes ------------------------------------------------------------------------- */

typedef CF_OPTIONS(uint32_t, VTCompressionSessionOptionFlags) {
    kVTCompressionSessionBeginFinalPass = 1 << 0, /**< no pass will follow */
};

/**
 * Begins a pass. The session needs kVTCompressionPropertyKey_MultiPassStorage, otherwise the call
 * returns kVTParameterErr. Each pass encodes the same frames. Passes aim at AverageBitRate; a
 * session without it makes a single pass, and requests no other. reserved: NULL.
 *
 * Returns: noErr; kVTParameterErr also if a pass is running or the final one is over;
 * kVTMultiPassStorageInvalidErr; kVTCouldNotCreateInstanceErr; kVTInvalidSessionErr.
 */
VT_EXPORT OSStatus VTCompressionSessionBeginPass(VTCompressionSessionRef session,
    VTCompressionSessionOptionFlags beginPassFlags, uint32_t *_Nullable reserved)
    CF_SWIFT_NAME(VTCompressionSessionBeginPass(_:flags:_:));

/**
 * Waits until the callback has received every frame of the pass, and ends the pass.
 *
 * furtherPassesRequestedOut: NULL, or receives true if another pass is worth its time.
 * reserved: NULL.
 * Returns: noErr; kVTParameterErr if no pass is running, or inside the callback;
 *   kVTVideoEncoderMalfunctionErr if frames failed; kVTMultiPassStorageInvalidErr if the statistics
 *   could not be written. Then the pass does not count. Or kVTInvalidSessionErr.
 */
VT_EXPORT OSStatus VTCompressionSessionEndPass(VTCompressionSessionRef session,
    Boolean *_Nullable furtherPassesRequestedOut, uint32_t *_Nullable reserved)
    CF_SWIFT_NAME(VTCompressionSessionEndPass(_:furtherPassesRequestedOut:_:));

/**
 * Returns the times of the frames that the next pass needs: one range. The session owns the array,
 * which is valid until the next VTCompressionSessionEndPass. Returns kVTParameterErr before the
 * first pass has ended.
 */
VT_EXPORT OSStatus VTCompressionSessionGetTimeRangesForNextPass(VTCompressionSessionRef session,
    CMItemCount *timeRangeCountOut, const CMTimeRange *_Nullable *_Nonnull timeRangeArrayOut)
    CM_SWIFT_NAME("VTCompressionSessionGetTimeRangesForNextPass(_:timeRangeCountOut:"
                  "timeRangeArrayOut:)");

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
