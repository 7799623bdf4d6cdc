/**
 * @file
 * Samples with their bytes or image, times, sizes and attachments.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMSAMPLEBUFFER_H
#define CMSAMPLEBUFFER_H

#include <CoreMedia/CMAttachment.h>
#include <CoreMedia/CMBase.h>
#include <CoreMedia/CMBlockBuffer.h>
#include <CoreMedia/CMFormatDescription.h>
#include <CoreMedia/CMTime.h>
#include <CoreVideo/CVImageBuffer.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

#pragma pack(push, 4)

CF_ENUM(OSStatus) {
    kCMSampleBufferError_AllocationFailed = -12730,
    kCMSampleBufferError_RequiredParameterMissing = -12731,
    kCMSampleBufferError_AlreadyHasDataBuffer = -12732,
    kCMSampleBufferError_BufferNotReady = -12733,
    kCMSampleBufferError_SampleIndexOutOfRange = -12734,
    kCMSampleBufferError_BufferHasNoSampleSizes = -12735,
    kCMSampleBufferError_BufferHasNoSampleTimingInfo = -12736,
    kCMSampleBufferError_ArrayTooSmall = -12737,
    kCMSampleBufferError_InvalidEntryCount = -12738,
    kCMSampleBufferError_CannotSubdivide = -12739,
    kCMSampleBufferError_SampleTimingInfoInvalid = -12740,
    kCMSampleBufferError_InvalidMediaTypeForOperation = -12741,
    kCMSampleBufferError_InvalidSampleData = -12742,
    kCMSampleBufferError_InvalidMediaFormat = -12743,
    kCMSampleBufferError_Invalidated = -12744,
    kCMSampleBufferError_DataFailed = -16750,
    kCMSampleBufferError_DataCanceled = -16751,
};

CF_ENUM(uint32_t) { kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment = 1u << 0 };

/**
 * Zero or more samples of one format. CFRelease releases a reference. For NULL, getters return
 * NULL, 0 or kCMTimeInvalid, so a callback need not test the buffer of a dropped frame. Other
 * functions return kCMSampleBufferError_RequiredParameterMissing.
 */
typedef struct CF_BRIDGED_TYPE(id) opaqueCMSampleBuffer *CMSampleBufferRef;

typedef struct {
    CMTime duration;
    CMTime presentationTimeStamp;
    CMTime decodeTimeStamp; /**< kCMTimeInvalid if the samples are in presentation order */
} CMSampleTimingInfo;

CM_EXPORT const CMSampleTimingInfo kCMTimingInfoInvalid
    CF_SWIFT_NAME(CMSampleTimingInfo.invalid);

/** Makes the data ready: sets a data buffer if there is none, or fills it. */
typedef OSStatus (*CMSampleBufferMakeDataReadyCallback)(
    CMSampleBufferRef sbuf, void *_Nullable makeDataReadyRefcon);
#if __BLOCKS__
typedef OSStatus (^CMSampleBufferMakeDataReadyHandler)(CMSampleBufferRef sbuf);
#endif

/* ---- Creation ------------------------------------------------------------------------------- */

/**
 * Creates a sample buffer.
 *
 * dataBuffer: the bytes of all samples; NULL if there are none, or none yet.
 * dataReady: false if makeDataReadyCallback will provide the data when it is needed, or if the
 *   client will call CMSampleBufferSetDataReady.
 * numSampleTimingEntries: 0, 1 or numSamples. With 1, each sample follows the previous one.
 * numSampleSizeEntries: 0, 1 or numSamples. With 1, all samples have that size.
 * Ownership: dataBuffer and formatDescription are retained, the arrays are copied.
 */
CM_EXPORT OSStatus CMSampleBufferCreate(CFAllocatorRef _Nullable allocator,
    CMBlockBufferRef _Nullable dataBuffer, Boolean dataReady,
    CMSampleBufferMakeDataReadyCallback _Nullable makeDataReadyCallback,
    void *_Nullable makeDataReadyRefcon, CMFormatDescriptionRef _Nullable formatDescription,
    CMItemCount numSamples, CMItemCount numSampleTimingEntries,
    const CMSampleTimingInfo *_Nullable sampleTimingArray, CMItemCount numSampleSizeEntries,
    const size_t *_Nullable sampleSizeArray,
    CM_RETURNS_RETAINED_PARAMETER CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut)
    CM_SWIFT_NAME("CMSampleBufferCreate(allocator:dataBuffer:dataReady:makeDataReadyCallback:"
                  "refcon:formatDescription:sampleCount:sampleTimingEntryCount:sampleTimingArray:"
                  "sampleSizeEntryCount:sampleSizeArray:sampleBufferOut:)");

#if __BLOCKS__
/** Works like CMSampleBufferCreate, with a block instead of the callback. The block is copied. */
CM_EXPORT OSStatus CMSampleBufferCreateWithMakeDataReadyHandler(CFAllocatorRef _Nullable allocator,
    CMBlockBufferRef _Nullable dataBuffer, Boolean dataReady,
    CMFormatDescriptionRef _Nullable formatDescription, CMItemCount numSamples,
    CMItemCount numSampleTimingEntries, const CMSampleTimingInfo *_Nullable sampleTimingArray,
    CMItemCount numSampleSizeEntries, const size_t *_Nullable sampleSizeArray,
    CM_RETURNS_RETAINED_PARAMETER CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut,
    CMSampleBufferMakeDataReadyHandler _Nullable makeDataReadyHandler);
#endif

/** Works like CMSampleBufferCreate, with data that is ready. */
CM_EXPORT OSStatus CMSampleBufferCreateReady(CFAllocatorRef _Nullable allocator,
    CMBlockBufferRef _Nullable dataBuffer, CMFormatDescriptionRef _Nullable formatDescription,
    CMItemCount numSamples, CMItemCount numSampleTimingEntries,
    const CMSampleTimingInfo *_Nullable sampleTimingArray, CMItemCount numSampleSizeEntries,
    const size_t *_Nullable sampleSizeArray,
    CM_RETURNS_RETAINED_PARAMETER CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut)
    CM_SWIFT_NAME("CMSampleBufferCreateReady(allocator:dataBuffer:formatDescription:sampleCount:"
                  "sampleTimingEntryCount:sampleTimingArray:sampleSizeEntryCount:sampleSizeArray:"
                  "sampleBufferOut:)");

/**
 * Creates a sample buffer of one image.
 *
 * Returns: kCMSampleBufferError_InvalidMediaFormat if formatDescription does not match the image.
 */
CM_EXPORT OSStatus CMSampleBufferCreateForImageBuffer(CFAllocatorRef _Nullable allocator,
    CVImageBufferRef imageBuffer, Boolean dataReady,
    CMSampleBufferMakeDataReadyCallback _Nullable makeDataReadyCallback,
    void *_Nullable makeDataReadyRefcon, CMVideoFormatDescriptionRef formatDescription,
    const CMSampleTimingInfo *sampleTiming,
    CM_RETURNS_RETAINED_PARAMETER CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut)
    CM_SWIFT_NAME("CMSampleBufferCreateForImageBuffer(allocator:imageBuffer:dataReady:"
                  "makeDataReadyCallback:refcon:formatDescription:sampleTiming:sampleBufferOut:)");

#if __BLOCKS__
CM_EXPORT OSStatus CMSampleBufferCreateForImageBufferWithMakeDataReadyHandler(
    CFAllocatorRef _Nullable allocator, CVImageBufferRef imageBuffer, Boolean dataReady,
    CMVideoFormatDescriptionRef formatDescription, const CMSampleTimingInfo *sampleTiming,
    CM_RETURNS_RETAINED_PARAMETER CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut,
    CMSampleBufferMakeDataReadyHandler _Nullable makeDataReadyHandler);
#endif

CM_EXPORT OSStatus CMSampleBufferCreateReadyWithImageBuffer(CFAllocatorRef _Nullable allocator,
    CVImageBufferRef imageBuffer, CMVideoFormatDescriptionRef formatDescription,
    const CMSampleTimingInfo *sampleTiming,
    CM_RETURNS_RETAINED_PARAMETER CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut)
    CM_SWIFT_NAME("CMSampleBufferCreateReadyWithImageBuffer(allocator:imageBuffer:"
                  "formatDescription:sampleTiming:sampleBufferOut:)");

/** Creates a shallow copy with the same data, image and format. The attachments are copied. */
CM_EXPORT OSStatus CMSampleBufferCreateCopy(CFAllocatorRef _Nullable allocator,
    CMSampleBufferRef sbuf,
    CM_RETURNS_RETAINED_PARAMETER CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut)
    CF_SWIFT_NAME(CMSampleBufferCreateCopy(allocator:sampleBuffer:sampleBufferOut:));

CM_EXPORT OSStatus CMSampleBufferCreateCopyWithNewTiming(CFAllocatorRef _Nullable allocator,
    CMSampleBufferRef originalSBuf, CMItemCount numSampleTimingEntries,
    const CMSampleTimingInfo *_Nullable sampleTimingArray,
    CM_RETURNS_RETAINED_PARAMETER CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut)
    CM_SWIFT_NAME("CMSampleBufferCreateCopyWithNewTiming(allocator:sampleBuffer:"
                  "sampleTimingEntryCount:sampleTimingArray:sampleBufferOut:)");

/**
 * Creates a sample buffer of a range of the samples, over the same data.
 *
 * Returns: kCMSampleBufferError_SampleIndexOutOfRange, kCMSampleBufferError_CannotSubdivide for
 *   data without sizes, kCMSampleBufferError_BufferNotReady
 */
CM_EXPORT OSStatus CMSampleBufferCopySampleBufferForRange(CFAllocatorRef _Nullable allocator,
    CMSampleBufferRef sbuf, CFRange sampleRange,
    CM_RETURNS_RETAINED_PARAMETER CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut)
    CM_SWIFT_NAME("CMSampleBufferCopySampleBufferForRange(allocator:sampleBuffer:sampleRange:"
                  "sampleBufferOut:)");

CM_EXPORT CFTypeID CMSampleBufferGetTypeID(void);

/* ---- Data ----------------------------------------------------------------------------------- */

/**
 * Sets the data of a sample buffer that has none, and retains it. Returns
 * kCMSampleBufferError_AlreadyHasDataBuffer if there is data or an image.
 */
CM_EXPORT OSStatus CMSampleBufferSetDataBuffer(CMSampleBufferRef sbuf, CMBlockBufferRef dataBuffer)
    CF_SWIFT_NAME(CMSampleBufferSetDataBuffer(_:newValue:));

/**
 * Returns the data, which the sample buffer owns. Returns NULL if it has an image or no data, and
 * after its invalidation.
 */
CM_EXPORT CMBlockBufferRef _Nullable CMSampleBufferGetDataBuffer(CMSampleBufferRef sbuf);

/** Returns the image, which the sample buffer owns, or NULL if there is none. */
CM_EXPORT CVImageBufferRef _Nullable CMSampleBufferGetImageBuffer(CMSampleBufferRef sbuf);

/* ---- Readiness ------------------------------------------------------------------------------ */

/**
 * Marks the data as ready. Returns kCMSampleBufferError_BufferNotReady if a tracked buffer is not
 * ready.
 */
CM_EXPORT OSStatus CMSampleBufferSetDataReady(CMSampleBufferRef sbuf);
CM_EXPORT Boolean CMSampleBufferDataIsReady(CMSampleBufferRef sbuf);

/** Marks the data as failed. status: the reason; not noErr. */
CM_EXPORT OSStatus CMSampleBufferSetDataFailed(CMSampleBufferRef sbuf, OSStatus status)
    CF_SWIFT_NAME(CMSampleBufferSetDataFailed(_:status:));
CM_EXPORT Boolean CMSampleBufferHasDataFailed(CMSampleBufferRef sbuf,
    OSStatus *_Nullable statusOut) CF_SWIFT_NAME(CMSampleBufferHasDataFailed(_:statusOut:));

/** Calls the callback or the handler of the sample buffer, if the data is not ready. */
CM_EXPORT OSStatus CMSampleBufferMakeDataReady(CMSampleBufferRef sbuf);

/** Makes the readiness of sbuf follow that of sbufToTrack, which sbuf retains. */
CM_EXPORT OSStatus CMSampleBufferTrackDataReadiness(CMSampleBufferRef sbuf,
    CMSampleBufferRef sbufToTrack)
    CF_SWIFT_NAME(CMSampleBufferTrackDataReadiness(_:sampleBufferToTrack:));

/** Calls the invalidation callback, and makes the sample buffer unusable. */
CM_EXPORT OSStatus CMSampleBufferInvalidate(CMSampleBufferRef sbuf);

typedef void (*CMSampleBufferInvalidateCallback)(
    CMSampleBufferRef sbuf, uint64_t invalidateRefCon);

/**
 * Sets the function that CMSampleBufferInvalidate calls, once. The last release does not call
 * it.
 */
CM_EXPORT OSStatus CMSampleBufferSetInvalidateCallback(CMSampleBufferRef sbuf,
    CMSampleBufferInvalidateCallback invalidateCallback, uint64_t invalidateRefCon)
    CF_SWIFT_NAME(CMSampleBufferSetInvalidateCallback(_:callback:refcon:));

#if __BLOCKS__
typedef void (^CMSampleBufferInvalidateHandler)(CMSampleBufferRef sbuf);

CM_EXPORT OSStatus CMSampleBufferSetInvalidateHandler(CMSampleBufferRef sbuf,
    CMSampleBufferInvalidateHandler invalidateHandler)
    CF_SWIFT_NAME(CMSampleBufferSetInvalidateHandler(_:invalidateHandler:));
#endif

CM_EXPORT Boolean CMSampleBufferIsValid(CMSampleBufferRef sbuf);

/* ---- Times ---------------------------------------------------------------------------------- */

CM_EXPORT CMItemCount CMSampleBufferGetNumSamples(CMSampleBufferRef sbuf);

/**
 * Return the duration of all samples, the earliest presentation time, and the earliest decode
 * time.
 */
CM_EXPORT CMTime CMSampleBufferGetDuration(CMSampleBufferRef sbuf);
CM_EXPORT CMTime CMSampleBufferGetPresentationTimeStamp(CMSampleBufferRef sbuf);
CM_EXPORT CMTime CMSampleBufferGetDecodeTimeStamp(CMSampleBufferRef sbuf);

/**
 * The times that result from the attachments for trimming, speed and reversal, or from the output
 * presentation time that was set.
 */
CM_EXPORT CMTime CMSampleBufferGetOutputDuration(CMSampleBufferRef sbuf);
CM_EXPORT CMTime CMSampleBufferGetOutputPresentationTimeStamp(CMSampleBufferRef sbuf);
CM_EXPORT OSStatus CMSampleBufferSetOutputPresentationTimeStamp(CMSampleBufferRef sbuf,
    CMTime outputPresentationTimeStamp)
    CF_SWIFT_NAME(CMSampleBufferSetOutputPresentationTimeStamp(_:newValue:));
CM_EXPORT CMTime CMSampleBufferGetOutputDecodeTimeStamp(CMSampleBufferRef sbuf);

/**
 * Copies the timing entries: none, one for all samples, or one for each.
 *
 * Returns: kCMSampleBufferError_ArrayTooSmall, with the number of entries that are needed;
 *   kCMSampleBufferError_BufferHasNoSampleTimingInfo
 */
CM_EXPORT OSStatus CMSampleBufferGetSampleTimingInfoArray(CMSampleBufferRef sbuf,
    CMItemCount numSampleTimingEntries, CMSampleTimingInfo *_Nullable timingArrayOut,
    CMItemCount *_Nullable timingArrayEntriesNeededOut)
    CM_SWIFT_NAME("CMSampleBufferGetSampleTimingInfoArray(_:entryCount:arrayToFill:"
                  "entriesNeededOut:)");
CM_EXPORT OSStatus CMSampleBufferGetOutputSampleTimingInfoArray(CMSampleBufferRef sbuf,
    CMItemCount timingArrayEntries, CMSampleTimingInfo *_Nullable timingArrayOut,
    CMItemCount *_Nullable timingArrayEntriesNeededOut)
    CM_SWIFT_NAME("CMSampleBufferGetOutputSampleTimingInfoArray(_:entryCount:arrayToFill:"
                  "entriesNeededOut:)");

/** Stores the timing of one sample. */
CM_EXPORT OSStatus CMSampleBufferGetSampleTimingInfo(CMSampleBufferRef sbuf,
    CMItemIndex sampleIndex, CMSampleTimingInfo *timingInfoOut)
    CF_SWIFT_NAME(CMSampleBufferGetSampleTimingInfo(_:at:timingInfoOut:));

/* ---- Sizes ---------------------------------------------------------------------------------- */

/**
 * Copies the sizes in bytes: none, one for all samples, or one for each. Returns the statuses of
 * CMSampleBufferGetSampleTimingInfoArray, or kCMSampleBufferError_BufferHasNoSampleSizes.
 */
CM_EXPORT OSStatus CMSampleBufferGetSampleSizeArray(CMSampleBufferRef sbuf,
    CMItemCount sizeArrayEntries, size_t *_Nullable sizeArrayOut,
    CMItemCount *_Nullable sizeArrayEntriesNeededOut)
    CF_SWIFT_NAME(CMSampleBufferGetSampleSizeArray(_:entryCount:arrayToFill:entriesNeededOut:));

/** Return sizes in bytes; 0 for an index out of range, and if there are no sizes. */
CM_EXPORT size_t CMSampleBufferGetSampleSize(CMSampleBufferRef sbuf, CMItemIndex sampleIndex)
    CF_SWIFT_NAME(CMSampleBufferGetSampleSize(_:at:));
CM_EXPORT size_t CMSampleBufferGetTotalSampleSize(CMSampleBufferRef sbuf);

/** Returns the format, which the sample buffer owns. */
CM_EXPORT CMFormatDescriptionRef _Nullable CMSampleBufferGetFormatDescription(
    CMSampleBufferRef sbuf);

/* ---- Attachments ---------------------------------------------------------------------------- */

/**
 * Returns an array with a CFMutableDictionary for each sample, which may be changed in place. The
 * sample buffer owns the array.
 *
 * createIfNecessary: false: the result is NULL if no sample has attachments.
 */
CM_EXPORT CFArrayRef _Nullable CMSampleBufferGetSampleAttachmentsArray(CMSampleBufferRef sbuf,
    Boolean createIfNecessary)
    CF_SWIFT_NAME(CMSampleBufferGetSampleAttachmentsArray(_:createIfNecessary:));

/**
 * Calls a function with a sample buffer for each sample, until the function returns an error.
 * Returns that error.
 */
CM_EXPORT OSStatus CMSampleBufferCallForEachSample(CMSampleBufferRef sbuf,
    OSStatus (*CF_NOESCAPE callback)(
        CMSampleBufferRef sampleBuffer, CMItemCount index, void *_Nullable refcon),
    void *_Nullable refcon) CF_SWIFT_NAME(CMSampleBufferCallForEachSample(_:callback:refcon:));
#if __BLOCKS__
CM_EXPORT OSStatus CMSampleBufferCallBlockForEachSample(CMSampleBufferRef sbuf,
    OSStatus (^CF_NOESCAPE handler)(CMSampleBufferRef sampleBuffer, CMItemCount index));
#endif

/** Notifications and their parameters. No effect: notifications are never posted. */
CM_EXPORT const CFStringRef kCMSampleBufferNotification_DataBecameReady;
CM_EXPORT const CFStringRef kCMSampleBufferNotification_DataFailed;
CM_EXPORT const CFStringRef kCMSampleBufferNotificationParameter_OSStatus;
CM_EXPORT const CFStringRef kCMSampleBufferConduitNotification_InhibitOutputUntil;
CM_EXPORT const CFStringRef kCMSampleBufferConduitNotificationParameter_ResumeTag;
CM_EXPORT const CFStringRef kCMSampleBufferConduitNotification_ResetOutput;
CM_EXPORT const CFStringRef kCMSampleBufferConduitNotification_UpcomingOutputPTSRangeChanged;
CM_EXPORT const CFStringRef
kCMSampleBufferConduitNotificationParameter_UpcomingOutputPTSRangeMayOverlapQueuedOutputPTSRange;
CM_EXPORT const CFStringRef kCMSampleBufferConduitNotificationParameter_MinUpcomingOutputPTS;
CM_EXPORT const CFStringRef kCMSampleBufferConduitNotificationParameter_MaxUpcomingOutputPTS;
CM_EXPORT const CFStringRef kCMSampleBufferConsumerNotification_BufferConsumed;

/** Keys of the dictionaries in CMSampleBufferGetSampleAttachmentsArray. */
/** CFBoolean; absent or false for a key frame */
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_NotSync;
/** CFBoolean; a recovery point */
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_PartialSync;
/** CFBoolean */
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_HasRedundantCoding;
/** CFBoolean; false for a frame that can be dropped */
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_IsDependedOnByOthers;
/** CFBoolean; false for a frame at which decoding can start */
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_DependsOnOthers;
/** CFBoolean */
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_EarlierDisplayTimesAllowed;
/** CFBoolean */
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_DisplayImmediately;
/** CFBoolean */
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_DoNotDisplay;
/** CFDictionary of the keys below */
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_HEVCTemporalLevelInfo;
CM_EXPORT const CFStringRef kCMHEVCTemporalLevelInfoKey_TemporalLevel;
CM_EXPORT const CFStringRef kCMHEVCTemporalLevelInfoKey_ProfileSpace;
CM_EXPORT const CFStringRef kCMHEVCTemporalLevelInfoKey_TierFlag;
CM_EXPORT const CFStringRef kCMHEVCTemporalLevelInfoKey_ProfileIndex;
CM_EXPORT const CFStringRef kCMHEVCTemporalLevelInfoKey_ProfileCompatibilityFlags;
CM_EXPORT const CFStringRef kCMHEVCTemporalLevelInfoKey_ConstraintIndicatorFlags;
CM_EXPORT const CFStringRef kCMHEVCTemporalLevelInfoKey_LevelIndex;
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_HEVCTemporalSubLayerAccess;
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_HEVCStepwiseTemporalSubLayerAccess;
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_HEVCSyncSampleNALUnitType;
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_AudioIndependentSampleDecoderRefreshCount;
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_CryptorSubsampleAuxiliaryData;
/** CFData */
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_HDR10PlusPerFrameData;
CM_EXPORT const CFStringRef kCMSampleAttachmentKey_PostDecodeProcessingMetadata;

/** Attachments of a whole sample buffer, for CMSetAttachment and CMGetAttachment. */
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_DrainAfterDecoding;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_PostNotificationWhenConsumed;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_ResumeOutput;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_TransitionID;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_TrimDurationAtStart;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_TrimDurationAtEnd;
/** CFNumber by which output durations are divided */
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_SpeedMultiplier;
/** CFBoolean */
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_Reverse;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_FillDiscontinuitiesWithSilence;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_EmptyMedia;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_PermanentEmptyMedia;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_DisplayEmptyMediaImmediately;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_EndsPreviousSampleDuration;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_SampleReferenceURL;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_SampleReferenceByteOffset;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_GradualDecoderRefresh;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_DroppedFrameReason;
CM_EXPORT const CFStringRef kCMSampleBufferDroppedFrameReason_FrameWasLate;
CM_EXPORT const CFStringRef kCMSampleBufferDroppedFrameReason_OutOfBuffers;
CM_EXPORT const CFStringRef kCMSampleBufferDroppedFrameReason_Discontinuity;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_DroppedFrameReasonInfo;
CM_EXPORT const CFStringRef kCMSampleBufferDroppedFrameReasonInfo_CameraModeSwitch;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_StillImageLensStabilizationInfo;
CM_EXPORT const CFStringRef kCMSampleBufferLensStabilizationInfo_Active;
CM_EXPORT const CFStringRef kCMSampleBufferLensStabilizationInfo_OutOfRange;
CM_EXPORT const CFStringRef kCMSampleBufferLensStabilizationInfo_Unavailable;
CM_EXPORT const CFStringRef kCMSampleBufferLensStabilizationInfo_Off;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_CameraIntrinsicMatrix;
CM_EXPORT const CFStringRef kCMSampleBufferAttachmentKey_ForceKeyFrame;

#pragma pack(pop)

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
