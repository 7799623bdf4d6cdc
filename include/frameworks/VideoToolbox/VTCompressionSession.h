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

/* Encodes frames of one size. VTSession.h sets and reads its properties
 * (VTCompressionProperties.h). Any thread may use it. The last release invalidates it. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTCompressionSession *VTCompressionSessionRef;

/* Receives one frame.
 *
 * There is one call for each frame for which EncodeFrame returned noErr, in decode order; calls for
 * one session never overlap. They come from another thread, possibly before EncodeFrame returns.
 * The session no longer reads the frame then. sampleBuffer is NULL if status is not noErr, or if
 * the frame was dropped; keep it with CFRetain. The callback may use and release the session, but
 * CompleteFrames and Invalidate have no effect in it. */
typedef void (*VTCompressionOutputCallback)(void *_Nullable outputCallbackRefCon,
    void *_Nullable sourceFrameRefCon, OSStatus status, VTEncodeInfoFlags infoFlags,
    CMSampleBufferRef _Nullable sampleBuffer);

/* The same as a block, for one frame. */
typedef void (^VTCompressionOutputHandler)(OSStatus status, VTEncodeInfoFlags infoFlags,
    CMSampleBufferRef _Nullable sampleBuffer);

VT_EXPORT CFTypeID VTCompressionSessionGetTypeID(void);

/* Creates a session.
 *
 * width, height: 16 to 16384 pixels, else kVTParameterErr.
 * codecType: kCMVideoCodecType_H264, else kVTCouldNotFindVideoEncoderErr.
 * encoderSpecification: kVTVideoEncoderSpecification_... keys.
 * sourceImageBufferAttributes: what the session's pool makes; kCVPixelBuffer... keys. Frames may
 *   be of any pixel format and size all the same.
 * compressedDataAllocator: no effect; samples keep the encoder's own memory.
 * outputCallback: NULL if the frames bring handlers of their own. */
VT_EXPORT OSStatus VTCompressionSessionCreate(CFAllocatorRef _Nullable allocator, int32_t width,
    int32_t height, CMVideoCodecType codecType, CFDictionaryRef _Nullable encoderSpecification,
    CFDictionaryRef _Nullable sourceImageBufferAttributes,
    CFAllocatorRef _Nullable compressedDataAllocator,
    VTCompressionOutputCallback _Nullable outputCallback, void *_Nullable outputCallbackRefCon,
    CF_RETURNS_RETAINED VTCompressionSessionRef _Nullable *_Nonnull compressionSessionOut)
    CM_SWIFT_NAME("VTCompressionSessionCreate(allocator:width:height:codecType:"
                  "encoderSpecification:imageBufferAttributes:compressedDataAllocator:"
                  "outputCallback:refcon:compressionSessionOut:)");

/* Ends the session: each pending frame comes back as dropped, with kVTInvalidSessionErr, before the
 * call returns; no call comes afterwards. NULL is ignored. */
VT_EXPORT void VTCompressionSessionInvalidate(VTCompressionSessionRef _Nullable session);

/* The pool of buffers of the session's size. NULL for a session that was invalidated. */
VT_EXPORT CVPixelBufferPoolRef _Nullable VTCompressionSessionGetPixelBufferPool(
    VTCompressionSessionRef session);

/* Opens the encoder, so that the first frame does not have to. */
VT_EXPORT OSStatus VTCompressionSessionPrepareToEncodeFrames(VTCompressionSessionRef session);

/* Encodes a frame. The pixels are copied, so that they can be changed when the call returns. It
 * waits while too many frames are pending.
 *
 * presentationTimeStamp: numeric, and greater than that of the frame before.
 * duration: may be invalid.
 * frameProperties: kVTEncodeFrameOptionKey_... keys.
 * infoFlagsOut: NULL, or receives kVTEncodeInfo_Asynchronous.
 * A frame for which the call fails has no output. */
VT_EXPORT OSStatus VTCompressionSessionEncodeFrame(VTCompressionSessionRef session,
    CVImageBufferRef imageBuffer, CMTime presentationTimeStamp, CMTime duration,
    CFDictionaryRef _Nullable frameProperties, void *_Nullable sourceFrameRefcon,
    VTEncodeInfoFlags *_Nullable infoFlagsOut)
    CM_SWIFT_NAME("VTCompressionSessionEncodeFrame(_:imageBuffer:presentationTimeStamp:duration:"
                  "frameProperties:sourceFrameRefcon:infoFlagsOut:)");

/* The same, with a block for the frame's output. For a session without outputCallback, else
 * kVTParameterErr. */
VT_EXPORT OSStatus VTCompressionSessionEncodeFrameWithOutputHandler(
    VTCompressionSessionRef session, CVImageBufferRef imageBuffer, CMTime presentationTimeStamp,
    CMTime duration, CFDictionaryRef _Nullable frameProperties,
    VTEncodeInfoFlags *_Nullable infoFlagsOut, VTCompressionOutputHandler outputHandler)
    CM_SWIFT_NAME("VTCompressionSessionEncodeFrame(_:imageBuffer:presentationTimeStamp:duration:"
                  "frameProperties:infoFlagsOut:outputHandler:)");

/* Returns when the frames up to that presentation time have come back; all frames if the time is
 * not numeric. The session can be used afterwards. */
VT_EXPORT OSStatus VTCompressionSessionCompleteFrames(VTCompressionSessionRef session,
    CMTime completeUntilPresentationTimeStamp)
    CF_SWIFT_NAME(VTCompressionSessionCompleteFrames(_:untilPresentationTimeStamp:));

/* Whether multi-view H.265 can be encoded: false. */
VT_EXPORT Boolean VTIsStereoMVHEVCEncodeSupported(void);

/* ---- Several passes ------------------------------------------------------------------------- */

typedef CF_OPTIONS(uint32_t, VTCompressionSessionOptionFlags) {
    kVTCompressionSessionBeginFinalPass = 1 << 0, /* no pass will follow */
};

/* Begins a pass. The session needs kVTCompressionPropertyKey_MultiPassStorage and AverageBitRate,
 * else kVTParameterErr. reserved: NULL. */
VT_EXPORT OSStatus VTCompressionSessionBeginPass(VTCompressionSessionRef session,
    VTCompressionSessionOptionFlags beginPassFlags, uint32_t *_Nullable reserved)
    CF_SWIFT_NAME(VTCompressionSessionBeginPass(_:flags:_:));

/* Ends a pass, when its frames have come back. furtherPassesRequestedOut: NULL, or receives whether
 * another pass is worth its time. reserved: NULL. */
VT_EXPORT OSStatus VTCompressionSessionEndPass(VTCompressionSessionRef session,
    Boolean *_Nullable furtherPassesRequestedOut, uint32_t *_Nullable reserved)
    CF_SWIFT_NAME(VTCompressionSessionEndPass(_:furtherPassesRequestedOut:_:));

/* Which frames the next pass needs. The ranges live until the next EndPass. */
VT_EXPORT OSStatus VTCompressionSessionGetTimeRangesForNextPass(VTCompressionSessionRef session,
    CMItemCount *timeRangeCountOut, const CMTimeRange *_Nullable *_Nonnull timeRangeArrayOut)
    CM_SWIFT_NAME("VTCompressionSessionGetTimeRangesForNextPass(_:timeRangeCountOut:"
                  "timeRangeArrayOut:)");

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
