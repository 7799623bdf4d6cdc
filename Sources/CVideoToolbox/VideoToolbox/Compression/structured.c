#include "structured.h"

#include "changes.h"
#include "../../Support/value.h"

#include <CoreMedia/CMFormatDescription.h>
#include <CoreMedia/CMTime.h>
#include <CoreVideo/CVPixelBuffer.h>
#include <VideoToolbox/VTCompressionProperties.h>
#include <VideoToolbox/VTErrors.h>
#include <VideoToolbox/VTPixelTransferProperties.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 10 };

static OSStatus set_numbers(struct nalu_changes *changes, const char *key, const double *numbers, size_t count) {
    return nalu_changes_add_numbers(changes, key, numbers, count);
}

/* Copies `count` numbers. Returns kVTPropertyNotSupportedErr if the property has no value. */
static OSStatus copy_numbers(nalu_compression_session *encoder, const char *key, double *numbers, size_t count) {
    size_t found = 0;
    const nalu_status status = nalu_session_copy_numbers(encoder, key, numbers, MOST_NUMBERS, &found);
    if (status != NALU_STATUS_OK) return nalu_vt_status(status);
    return found == count ? noErr : kVTPropertyNotSupportedErr;
}

/* ---- Data rate limits ---- */

/* Returns true for a pair that cannot be a limit. Some programs pass numbers that they never set, or a time of 0. */
static bool is_no_limit(double bytes, double seconds) {
    return !(seconds >= 0.05 && bytes >= 1000 && bytes <= 1e12 && bytes / seconds >= 1000);
}

static OSStatus set_limits(struct nalu_changes *changes, const char *key, CFTypeRef value) {
    double limits[4];
    size_t used = 0;
    if (CFGetTypeID(value) != CFArrayGetTypeID()) return kVTPropertyNotSupportedErr;
    const CFIndex count = CFArrayGetCount(value);
    if (count % 2 != 0 || count > 4) return kVTParameterErr;
    for (CFIndex i = 0; i < count; i += 2) {
        double *limit = limits + used;
        if (!nalu_read_double(CFArrayGetValueAtIndex(value, i), &limit[0]) ||
            !nalu_read_double(CFArrayGetValueAtIndex(value, i + 1), &limit[1]))
            return kVTPropertyNotSupportedErr;
        /* libnalu refuses negative numbers and NaN with an error message. */
        if (!(limit[0] >= 0 && limit[1] >= 0)) return set_numbers(changes, key, limit, 2);
        if (is_no_limit(limit[0], limit[1])) continue;
        if (limit[1] > 60) {
            /* A limit for longer than 60 s becomes its share of 60 s. That is stricter, and implies the longer
             * limit. */
            limit[0] *= 60 / limit[1];
            limit[1] = 60;
        }
        used += 2;
    }
    return set_numbers(changes, key, limits, used);
}

static CFMutableArrayRef array_of(const double *numbers, size_t count) {
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (size_t i = 0; array && i < count; i++) {
        CFNumberRef number = nalu_number(numbers[i]);
        if (!number) continue;
        CFArrayAppendValue(array, number);
        CFRelease(number);
    }
    return array;
}

static OSStatus copy_limits(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out) {
    double numbers[MOST_NUMBERS];
    size_t count = 0;
    const nalu_status status = nalu_session_copy_numbers(encoder, key, numbers, MOST_NUMBERS, &count);
    if (status != NALU_STATUS_OK) return nalu_vt_status(status);
    *value_out = array_of(numbers, count);
    return *value_out ? noErr : kVTAllocationFailedErr;
}

/* ---- Geometry: dictionaries with numbers ---- */

static OSStatus set_fields(struct nalu_changes *changes, const char *key, CFTypeRef value,
    const CFStringRef *const *fields, size_t count) {
    double numbers[4];
    if (CFGetTypeID(value) != CFDictionaryGetTypeID()) return kVTPropertyNotSupportedErr;
    for (size_t i = 0; i < count; i++)
        if (!nalu_read_double(nalu_dictionary_get(value, *fields[i]), &numbers[i])) return kVTParameterErr;
    return set_numbers(changes, key, numbers, count);
}

static OSStatus copy_fields(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out,
    const CFStringRef *const *fields, size_t count) {
    double numbers[MOST_NUMBERS];
    const OSStatus status = copy_numbers(encoder, key, numbers, count);
    if (status != noErr) return status;
    CFMutableDictionaryRef dictionary =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    if (!dictionary) return kVTAllocationFailedErr;
    for (size_t i = 0; i < count; i++) {
        const bool whole = numbers[i] == (double)(int64_t)numbers[i];
        nalu_dictionary_take(dictionary, *fields[i],
            whole ? nalu_integer((int64_t)numbers[i]) : nalu_number(numbers[i]));
    }
    *value_out = dictionary;
    return noErr;
}

static const CFStringRef *const aspect_fields[2] = {
    &kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing,
    &kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing,
};
static const CFStringRef *const aperture_fields[4] = {
    &kCMFormatDescriptionKey_CleanApertureWidth,
    &kCMFormatDescriptionKey_CleanApertureHeight,
    &kCMFormatDescriptionKey_CleanApertureHorizontalOffset,
    &kCMFormatDescriptionKey_CleanApertureVerticalOffset,
};

static OSStatus set_aspect(struct nalu_changes *changes, const char *key, CFTypeRef value) {
    return set_fields(changes, key, value, aspect_fields, 2);
}

static OSStatus copy_aspect(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out) {
    return copy_fields(encoder, key, value_out, aspect_fields, 2);
}

static OSStatus set_aperture(struct nalu_changes *changes, const char *key, CFTypeRef value) {
    return set_fields(changes, key, value, aperture_fields, 4);
}

static OSStatus copy_aperture(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out) {
    return copy_fields(encoder, key, value_out, aperture_fields, 4);
}

/* ---- Mastering display and content light level: big-endian numbers of 2 bytes, then of 4 bytes ---- */

static OSStatus set_bytes(struct nalu_changes *changes, const char *key, CFTypeRef value, size_t words,
    size_t longs) {
    double numbers[MOST_NUMBERS];
    if (CFGetTypeID(value) != CFDataGetTypeID()) return kVTPropertyNotSupportedErr;
    if ((size_t)CFDataGetLength(value) != 2 * words + 4 * longs) return kVTParameterErr;
    const uint8_t *bytes = CFDataGetBytePtr(value);
    for (size_t i = 0; i < words + longs; i++) {
        uint32_t number = 0;
        for (int left = i < words ? 2 : 4; left > 0; left--) number = number << 8 | *bytes++;
        numbers[i] = number;
    }
    return set_numbers(changes, key, numbers, words + longs);
}

static OSStatus copy_bytes(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out, size_t words,
    size_t longs) {
    double numbers[MOST_NUMBERS];
    uint8_t bytes[4 * MOST_NUMBERS], *end = bytes;
    const OSStatus status = copy_numbers(encoder, key, numbers, words + longs);
    if (status != noErr) return status;
    for (size_t i = 0; i < words + longs; i++)
        for (int shift = i < words ? 8 : 24; shift >= 0; shift -= 8) *end++ = (uint8_t)((uint32_t)numbers[i] >> shift);
    *value_out = CFDataCreate(NULL, bytes, end - bytes);
    return *value_out ? noErr : kVTAllocationFailedErr;
}

static OSStatus set_mastering(struct nalu_changes *changes, const char *key, CFTypeRef value) {
    return set_bytes(changes, key, value, 8, 2);
}

static OSStatus copy_mastering(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out) {
    return copy_bytes(encoder, key, value_out, 8, 2);
}

static OSStatus set_light(struct nalu_changes *changes, const char *key, CFTypeRef value) {
    return set_bytes(changes, key, value, 2, 0);
}

static OSStatus copy_light(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out) {
    return copy_bytes(encoder, key, value_out, 2, 0);
}

/* ---- libnalu's text form: key=value,key=value ---- */

/* Adds one setting to a dictionary. */
static void add_setting(void *dictionary, const nalu_property *property) {
    CFStringRef key = nalu_string(property->key);
    CFTypeRef value = NULL;
    switch (property->type) {
    case NALU_PROPERTY_TYPE_BOOL: value = CFRetain(property->integer ? kCFBooleanTrue : kCFBooleanFalse); break;
    case NALU_PROPERTY_TYPE_INT64: value = nalu_integer(property->integer); break;
    case NALU_PROPERTY_TYPE_DOUBLE: value = nalu_number(property->number); break;
    case NALU_PROPERTY_TYPE_STRING: value = nalu_string(property->string); break;
    case NALU_PROPERTY_TYPE_NUMBERS: value = array_of(property->numbers, property->number_count); break;
    default: value = CFRetain(kCFNull);
    }
    if (key) nalu_dictionary_take(dictionary, key, value);
    else if (value) CFRelease(value);
    if (key) CFRelease(key);
}

/* Returns a dictionary of the settings in libnalu's text, with one reference. */
static CFMutableDictionaryRef dictionary_of(const char *text) {
    CFMutableDictionaryRef dictionary =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    if (dictionary) (void)!nalu_property_text_read(text, add_setting, dictionary);
    return dictionary;
}

static OSStatus copy_text(nalu_compression_session *encoder, const char *key, char *text, size_t capacity) {
    size_t size = 0;
    return nalu_vt_status(nalu_session_copy_string(encoder, key, text, capacity, &size));
}

static OSStatus set_transfer(struct nalu_changes *changes, const char *key, CFTypeRef value) {
    const CFStringRef keys[2] = {kVTPixelTransferPropertyKey_ScalingMode, kVTPixelTransferPropertyKey_DownsamplingMode};
    static const char *const names[2] = {
        NALU_PIXEL_TRANSFER_PROPERTY_SCALING_MODE, NALU_PIXEL_TRANSFER_PROPERTY_DOWNSAMPLING_MODE};
    char text[256] = "";
    CFIndex found = 0;
    if (CFGetTypeID(value) != CFDictionaryGetTypeID()) return kVTPropertyNotSupportedErr;
    for (int i = 0; i < 2; i++) {
        CFTypeRef mode = nalu_dictionary_get(value, keys[i]);
        if (!mode) continue;
        char *name = nalu_read_string(mode);
        if (!name) return kVTPropertyNotSupportedErr;
        const size_t used = strlen(text);
        const int length = snprintf(text + used, sizeof text - used, "%s%s=%s", used ? "," : "", names[i], name);
        free(name);
        if (length < 0 || (size_t)length >= sizeof text - used) return kVTParameterErr;
        found++;
    }
    if (found < CFDictionaryGetCount(value)) return kVTPropertyNotSupportedErr;
    return nalu_changes_add_string(changes, key, text);
}

static OSStatus copy_transfer(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out) {
    char text[512];
    const OSStatus status = copy_text(encoder, key, text, sizeof text);
    if (status != noErr) return status;
    *value_out = dictionary_of(text);
    return *value_out ? noErr : kVTAllocationFailedErr;
}

static OSStatus copy_attributes(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out) {
    char text[512], format[8] = "";
    const OSStatus status = copy_text(encoder, key, text, sizeof text);
    if (status != noErr) return status;
    CFMutableDictionaryRef attributes = dictionary_of(text);
    if (!attributes) return kVTAllocationFailedErr;
    /* libnalu's keys are those of CoreVideo. CoreVideo's pixel format is a number, libnalu's is text. */
    CFTypeRef name = CFDictionaryGetValue(attributes, kCVPixelBufferPixelFormatTypeKey);
    if (name && CFGetTypeID(name) == CFStringGetTypeID() &&
        CFStringGetCString(name, format, sizeof format, kCFStringEncodingUTF8) && strlen(format) == 4)
        nalu_dictionary_take(attributes, kCVPixelBufferPixelFormatTypeKey,
            nalu_integer(NALU_FOURCC(format[0], format[1], format[2], format[3])));
    *value_out = attributes;
    return noErr;
}

static OSStatus copy_presets(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out) {
    const struct {
        CFStringRef name;
        const char *preset;
        double quality; /* NaN: the preset does not set it */
    } presets[] = {
        {kVTCompressionPreset_HighQuality, NALU_COMPRESSION_PRESET_HIGH_QUALITY, NAN},
        {kVTCompressionPreset_Balanced, NALU_COMPRESSION_PRESET_BALANCED, NAN},
        {kVTCompressionPreset_HighSpeed, NALU_COMPRESSION_PRESET_HIGH_SPEED, NAN},
        {kVTCompressionPreset_VideoConferencing, NALU_COMPRESSION_PRESET_VIDEO_CONFERENCING, NAN},
        {kVTCompressionPreset_ConsistentQuality, NALU_COMPRESSION_PRESET_BALANCED, 0.5},
    };
    char text[2048];
    const OSStatus status = copy_text(encoder, key, text, sizeof text);
    if (status != noErr) return status;
    /* The value of each preset is a text again. */
    CFDictionaryRef texts = dictionary_of(text);
    CFMutableDictionaryRef dictionary =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    for (size_t i = 0; texts && dictionary && i < sizeof presets / sizeof *presets; i++) {
        CFStringRef preset = nalu_string(presets[i].preset);
        char *settings = preset ? nalu_read_string(nalu_dictionary_get(texts, preset)) : NULL;
        CFMutableDictionaryRef properties = settings ? dictionary_of(settings) : NULL;
        if (properties && !isnan(presets[i].quality))
            nalu_dictionary_take(properties, kVTCompressionPropertyKey_ConstantQualityFactor,
                nalu_number(presets[i].quality));
        nalu_dictionary_take(dictionary, presets[i].name, properties);
        free(settings);
        if (preset) CFRelease(preset);
    }
    if (texts) CFRelease(texts);
    *value_out = dictionary;
    return dictionary ? noErr : kVTAllocationFailedErr;
}

static OSStatus copy_duration(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out) {
    double seconds = 0;
    const nalu_status status = nalu_session_get_double(encoder, key, &seconds);
    if (status != NALU_STATUS_OK) return nalu_vt_status(status);
    *value_out = CMTimeCopyAsDictionary(CMTimeMakeWithSeconds(seconds, 90000), NULL);
    return *value_out ? noErr : kVTAllocationFailedErr;
}

const struct nalu_structured *nalu_structured_property(const char *key) {
    static const struct nalu_structured table[] = {
        {NALU_PROPERTY_DATA_RATE_LIMITS, set_limits, copy_limits, true},
        {NALU_PROPERTY_PIXEL_ASPECT_RATIO, set_aspect, copy_aspect, false},
        {NALU_PROPERTY_CLEAN_APERTURE, set_aperture, copy_aperture, false},
        {NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, set_mastering, copy_mastering, false},
        {NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO, set_light, copy_light, false},
        {NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES, set_transfer, copy_transfer, false},
        {NALU_PROPERTY_VIDEO_ENCODER_PIXEL_BUFFER_ATTRIBUTES, NULL, copy_attributes, false},
        {NALU_PROPERTY_SUPPORTED_PRESET_DICTIONARIES, NULL, copy_presets, false},
        {NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_DURATION, NULL, copy_duration, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].key, key) == 0) return &table[i];
    return NULL;
}
