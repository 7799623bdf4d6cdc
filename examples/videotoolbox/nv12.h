/*
 * Pixel buffers of NV12, the layout of raw pictures in these programs: a plane of luma, and one of chroma pairs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NV12_H
#define NV12_H

#include <CoreVideo/CoreVideo.h>

/* Returns the attributes of such pixel buffers. The caller owns the dictionary. */
static inline CFDictionaryRef nv12_copy_attributes(void) {
    OSType format = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt32Type, &format);
    CFTypeRef key = kCVPixelBufferPixelFormatTypeKey, value = number;
    CFDictionaryRef made =
        CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFRelease(number);
    return made;
}

#endif
