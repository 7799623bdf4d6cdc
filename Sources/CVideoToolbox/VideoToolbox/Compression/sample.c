#include "sample.h"

static void release(void *sample, void *bytes, size_t size) {
    (void)bytes, (void)size;
    nalu_sample_release(sample);
}

static CFBooleanRef boolean(bool value) { return value ? kCFBooleanTrue : kCFBooleanFalse; }

static void set_attachments(CFMutableDictionaryRef dictionary, uint32_t flags) {
    const bool key_frame = !(flags & NALU_SAMPLE_NOT_SYNC);
    const bool recovery_point = flags & NALU_SAMPLE_PARTIAL_SYNC;
    const bool referred_to = flags & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS;
    /* Programs treat a frame that depends on no others as a key frame. So an intra frame where decoding cannot start is
     * marked as one that depends on others. */
    const bool starts = key_frame || (recovery_point && !(flags & NALU_SAMPLE_DEPENDS_ON_OTHERS));
    CFDictionarySetValue(dictionary, kCMSampleAttachmentKey_DependsOnOthers, boolean(!starts));
    if (!key_frame) CFDictionarySetValue(dictionary, kCMSampleAttachmentKey_NotSync, kCFBooleanTrue);
    if (!key_frame || !referred_to) {
        CFDictionarySetValue(dictionary, kCMSampleAttachmentKey_IsDependedOnByOthers, boolean(referred_to));
    }
    if (recovery_point) CFDictionarySetValue(dictionary, kCMSampleAttachmentKey_PartialSync, kCFBooleanTrue);
    if (flags & NALU_SAMPLE_DO_NOT_DISPLAY) {
        CFDictionarySetValue(dictionary, kCMSampleAttachmentKey_DoNotDisplay, kCFBooleanTrue);
    }
    if (!key_frame && (flags & NALU_SAMPLE_EARLIER_DISPLAY_TIMES_ALLOWED)) {
        CFDictionarySetValue(dictionary, kCMSampleAttachmentKey_EarlierDisplayTimesAllowed, kCFBooleanTrue);
    }
}

CMSampleBufferRef nalu_sample_buffer_create(CFAllocatorRef allocator, nalu_sample *sample,
    CMFormatDescriptionRef description, const CMSampleTimingInfo *timing) {
    size_t size = 0;
    const uint8_t *bytes = nalu_sample_get_data(sample, &size);
    const CMBlockBufferCustomBlockSource source = {.FreeBlock = release, .refCon = nalu_sample_retain(sample)};
    CMBlockBufferRef data = NULL;
    CMSampleBufferRef buffer = NULL;
    if (CMBlockBufferCreateWithMemoryBlock(NULL, (void *)bytes, size, NULL, &source, 0, size, 0, &data) != noErr) {
        nalu_sample_release(sample);
        return NULL;
    }
    const OSStatus status = CMSampleBufferCreateReady(allocator, data, description, 1, 1, timing, 1, &size, &buffer);
    CFRelease(data);
    if (status != noErr) return NULL;
    CFArrayRef attachments = CMSampleBufferGetSampleAttachmentsArray(buffer, true);
    if (attachments) {
        set_attachments((CFMutableDictionaryRef)CFArrayGetValueAtIndex(attachments, 0), nalu_sample_get_attachments(sample));
        return buffer;
    }
    CFRelease(buffer);
    return NULL;
}
