#include "value.h"

#include <VideoToolbox/VTErrors.h>
#include <math.h>
#include <stdlib.h>

/* The statuses of libnalu that VideoToolbox does not have, and those whose number depends on the direction. */
static OSStatus status_of(nalu_status status, bool decodes) {
    switch (status) {
    case NALU_STATUS_WRONG_TYPE:
    case NALU_STATUS_VALUE_NOT_AVAILABLE: return kVTPropertyNotSupportedErr;
    case NALU_STATUS_TOO_LATE: return kVTPropertyReadOnlyErr;
    case NALU_STATUS_OUT_OF_RANGE:
    case NALU_STATUS_CONFLICT:
    case NALU_STATUS_INVALID_HANDLE:
    case NALU_STATUS_INVALID_TIME:
    case NALU_STATUS_BUFFER_TOO_SMALL:
    case NALU_STATUS_UNSUPPORTED_OPTION:
    case NALU_STATUS_OUT_OF_ORDER:
    case NALU_STATUS_REENTRANT: return kVTParameterErr;
    case NALU_STATUS_INVALID_SIZE:
    case NALU_STATUS_INVALID_PIXEL_FORMAT:
        return decodes ? kVTVideoDecoderUnsupportedDataFormatErr : kVTPixelTransferNotSupportedErr;
    case NALU_STATUS_WOULD_BLOCK:
        return decodes ? kVTVideoDecoderNotAvailableNowErr : kVTVideoEncoderNotAvailableNowErr;
    case NALU_STATUS_INPUT_OUTPUT:
    case NALU_STATUS_CANCELLED: return decodes ? kVTVideoDecoderMalfunctionErr : kVTVideoEncoderMalfunctionErr;
    default: return status;
    }
}

OSStatus nalu_vt_status(nalu_status status) { return status_of(status, false); }

OSStatus nalu_vt_decoding_status(nalu_status status) { return status_of(status, true); }

CFTypeRef nalu_dictionary_get(CFDictionaryRef dictionary, CFStringRef key) {
    if (!dictionary || CFGetTypeID(dictionary) != CFDictionaryGetTypeID()) return NULL;
    return CFDictionaryGetValue(dictionary, key);
}

bool nalu_read_bool(CFTypeRef value, bool *out) {
    if (!value) return false;
    if (CFGetTypeID(value) == CFBooleanGetTypeID()) {
        *out = CFBooleanGetValue(value);
        return true;
    }
    double number = 0;
    if (!nalu_read_double(value, &number) || isnan(number)) return false;
    *out = number != 0;
    return true;
}

bool nalu_read_double(CFTypeRef value, double *out) {
    if (!value || CFGetTypeID(value) != CFNumberGetTypeID()) return false;
    /* The result of CFNumberGetValue states whether the conversion was exact, which does not matter here. */
    (void)CFNumberGetValue(value, kCFNumberDoubleType, out);
    return true;
}

bool nalu_read_int64(CFTypeRef value, int64_t *out) {
    double number = 0;
    if (!nalu_read_double(value, &number)) return false;
    if (!CFNumberIsFloatType(value)) {
        (void)CFNumberGetValue(value, kCFNumberSInt64Type, out);
        return true;
    }
    if (isnan(number)) return false;
    if (number >= 0x1p63) *out = INT64_MAX;
    else if (number < -0x1p63) *out = INT64_MIN;
    else *out = (int64_t)round(number);
    return true;
}

char *nalu_read_string(CFTypeRef value) {
    if (!value || CFGetTypeID(value) != CFStringGetTypeID()) return NULL;
    const CFIndex capacity = CFStringGetMaximumSizeForEncoding(CFStringGetLength(value), kCFStringEncodingUTF8) + 1;
    char *text = malloc((size_t)capacity);
    if (text && CFStringGetCString(value, text, capacity, kCFStringEncodingUTF8)) return text;
    free(text);
    return NULL;
}

OSStatus nalu_dictionary_read_bool(CFDictionaryRef dictionary, CFStringRef key, bool *out) {
    *out = false;
    if (!dictionary) return noErr;
    if (CFGetTypeID(dictionary) != CFDictionaryGetTypeID()) return kVTParameterErr;
    CFTypeRef value = nalu_dictionary_get(dictionary, key);
    return !value || nalu_read_bool(value, out) ? noErr : kVTParameterErr;
}

CFNumberRef nalu_number(double value) { return CFNumberCreate(NULL, kCFNumberDoubleType, &value); }

CFNumberRef nalu_integer(int64_t value) { return CFNumberCreate(NULL, kCFNumberSInt64Type, &value); }

CFStringRef nalu_string(const char *text) { return CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8); }

CFMutableDictionaryRef nalu_dictionary_create(CFAllocatorRef allocator) {
    return CFDictionaryCreateMutable(allocator, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

void nalu_dictionary_take(CFMutableDictionaryRef dictionary, CFStringRef key, CFTypeRef value) {
    if (!value) return;
    CFDictionarySetValue(dictionary, key, value);
    CFRelease(value);
}
