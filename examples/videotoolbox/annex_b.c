/*
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "annex_b.h"

#include <stdbool.h>
#include <stdlib.h>

static OSStatus write_unit(const uint8_t *bytes, size_t size, FILE *file) {
    static const uint8_t start_code[4] = {0, 0, 0, 1};
    if (fwrite(start_code, 1, sizeof start_code, file) != sizeof start_code) return -1;
    return fwrite(bytes, 1, size, file) == size ? noErr : -1;
}

static OSStatus get_parameter_set(CMFormatDescriptionRef format, size_t index, const uint8_t **set, size_t *size,
                                  size_t *count, int *length_size) {
    if (CMFormatDescriptionGetMediaSubType(format) == kCMVideoCodecType_HEVC)
        return CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(format, index, set, size, count, length_size);
    return CMVideoFormatDescriptionGetH264ParameterSetAtIndex(format, index, set, size, count, length_size);
}

/* Whether a sample is a key frame. A sample buffer without attachments is one. */
static bool is_key_frame(CMSampleBufferRef sample) {
    CFArrayRef attachments = CMSampleBufferGetSampleAttachmentsArray(sample, false);
    if (!attachments || CFArrayGetCount(attachments) == 0) return true;
    CFDictionaryRef first = (CFDictionaryRef)CFArrayGetValueAtIndex(attachments, 0);
    CFBooleanRef is_not_sync = (CFBooleanRef)CFDictionaryGetValue(first, kCMSampleAttachmentKey_NotSync);
    return !is_not_sync || !CFBooleanGetValue(is_not_sync);
}

static OSStatus write_units(const uint8_t *bytes, size_t size, int length_size, FILE *file) {
    for (size_t at = 0; at < size;) {
        size_t length = 0;
        if (size - at < (size_t)length_size) return kCMSampleBufferError_InvalidSampleData;
        for (int i = 0; i < length_size; i++) length = length << 8 | bytes[at++];
        if (length > size - at) return kCMSampleBufferError_InvalidSampleData;
        OSStatus status = write_unit(bytes + at, length, file);
        if (status != noErr) return status;
        at += length;
    }
    return noErr;
}

OSStatus annex_b_write(CMSampleBufferRef sample, FILE *file) {
    CMFormatDescriptionRef format = CMSampleBufferGetFormatDescription(sample);
    CMBlockBufferRef block = CMSampleBufferGetDataBuffer(sample);
    size_t count = 0;
    int length_size = 0;
    if (!format || !block) return kCMSampleBufferError_RequiredParameterMissing;
    OSStatus status = get_parameter_set(format, 0, NULL, NULL, &count, &length_size);
    for (size_t i = 0; status == noErr && i < count && is_key_frame(sample); i++) {
        const uint8_t *set = NULL;
        size_t size = 0;
        status = get_parameter_set(format, i, &set, &size, NULL, NULL);
        if (status == noErr) status = write_unit(set, size, file);
    }
    if (status != noErr) return status;
    /* The data may not be contiguous. */
    const size_t size = CMBlockBufferGetDataLength(block);
    uint8_t *bytes = (uint8_t *)malloc(size);
    if (!bytes) return kCMSampleBufferError_AllocationFailed;
    status = CMBlockBufferCopyDataBytes(block, 0, size, bytes);
    if (status == noErr) status = write_units(bytes, size, length_size, file);
    free(bytes);
    return status;
}
