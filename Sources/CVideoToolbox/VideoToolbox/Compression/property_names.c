#include "property_names.h"

#include "../../Support/value.h"

#include <CoreVideo/CVImageBuffer.h>
#include <VideoToolbox/VTCompressionProperties.h>
#include <nalu/nalu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const CFStringRef *key;
    const char *name;
} keys[] = {
    {&kVTCompressionPropertyKey_EstimatedAverageBytesPerFrame, NALU_PROPERTY_ESTIMATED_AVERAGE_BYTES_PER_FRAME},
};

static const struct {
    const char *name;
    const CFStringRef *value;
    const char *text;
} values[] = {
    {NALU_PROPERTY_HDR_METADATA_INSERTION_MODE, &kVTHDRMetadataInsertionMode_None,
        NALU_HDR_METADATA_INSERTION_MODE_NONE},
    {NALU_PROPERTY_HDR_METADATA_INSERTION_MODE, &kVTHDRMetadataInsertionMode_Auto,
        NALU_HDR_METADATA_INSERTION_MODE_AUTO},
};

/* CoreVideo has more names than libnalu, which accepts their codes. Not the matrix: frames that are RGB are converted by those
 * that libnalu names. */
static const struct {
    const char *name;
    int (*code)(CFStringRef string); /* 2: it has none */
    CFStringRef (*string)(int code);
} signals[] = {
    {NALU_PROPERTY_COLOR_PRIMARIES, CVColorPrimariesGetIntegerCodePointForString,
        CVColorPrimariesGetStringForIntegerCodePoint},
    {NALU_PROPERTY_TRANSFER_FUNCTION, CVTransferFunctionGetIntegerCodePointForString,
        CVTransferFunctionGetStringForIntegerCodePoint},
};

enum { SIGNALS = sizeof signals / sizeof *signals };

static char *digits_of_signal(const char *name, CFTypeRef value) {
    char digits[16];
    for (size_t i = 0; i < SIGNALS; i++) {
        if (strcmp(name, signals[i].name) != 0 || CFGetTypeID(value) != CFStringGetTypeID()) continue;
        const int code = signals[i].code(value);
        snprintf(digits, sizeof digits, "%d", code);
        return code == 2 ? NULL : strdup(digits);
    }
    return NULL;
}

static CFStringRef signal_of_digits(const char *name, const char *text) {
    char *end = NULL;
    const long code = strtol(text, &end, 10);
    if (end == text || *end) return NULL;
    for (size_t i = 0; i < SIGNALS; i++)
        if (strcmp(name, signals[i].name) == 0) return signals[i].string((int)code);
    return NULL;
}

enum { KEYS = sizeof keys / sizeof *keys, VALUES = sizeof values / sizeof *values };

char *nalu_property_name_of_key(CFStringRef key) {
    for (size_t i = 0; i < KEYS; i++)
        if (CFEqual(key, *keys[i].key)) return strdup(keys[i].name);
    return nalu_read_string(key);
}

CFStringRef nalu_property_key_of_name(const char *name) {
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(name, keys[i].name) == 0) return CFRetain(*keys[i].key);
    return nalu_string(name);
}

char *nalu_property_text_of_value(const char *name, CFTypeRef value) {
    for (size_t i = 0; i < VALUES; i++)
        if (strcmp(name, values[i].name) == 0 && CFEqual(value, *values[i].value)) return strdup(values[i].text);
    char *digits = digits_of_signal(name, value);
    return digits ? digits : nalu_read_string(value);
}

CFStringRef nalu_property_value_of_text(const char *name, const char *text) {
    for (size_t i = 0; i < VALUES; i++)
        if (strcmp(name, values[i].name) == 0 && strcmp(text, values[i].text) == 0) return CFRetain(*values[i].value);
    const CFStringRef signal = signal_of_digits(name, text);
    return signal ? CFRetain(signal) : nalu_string(text);
}
