#include "property_names.h"

#include "value.h"

#include <VideoToolbox/VTCompressionProperties.h>
#include <nalu/nalu.h>
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
    return nalu_read_string(value);
}

CFStringRef nalu_property_value_of_text(const char *name, const char *text) {
    for (size_t i = 0; i < VALUES; i++)
        if (strcmp(name, values[i].name) == 0 && strcmp(text, values[i].text) == 0) return CFRetain(*values[i].value);
    return nalu_string(text);
}
