#include "property_values.h"

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

static OSStatus made(CFTypeRef object) { return object ? noErr : kVTAllocationFailedErr; }

/* Returns the encoder's text for a property, which the caller frees. */
static OSStatus copy_text(nalu_compression_session *encoder, const char *name, char **text_out) {
    size_t size = 0;
    nalu_status status = nalu_session_copy_string(encoder, name, NULL, 0, &size);
    if (status != NALU_STATUS_OK && status != NALU_STATUS_BUFFER_TOO_SMALL) return nalu_vt_status(status);
    char *text = malloc(size + 1);
    if (!text) return kVTAllocationFailedErr;
    status = nalu_session_copy_string(encoder, name, text, size, &size);
    if (status == NALU_STATUS_OK) *text_out = text;
    else free(text);
    return nalu_vt_status(status);
}

/* ---- Booleans, numbers and strings ---- */

/* Returns libnalu's text for a string, which the caller frees; NULL for another type. */
static char *text_of(const struct nalu_value_form *form, CFTypeRef object) {
    char digits[16];
    if (CFGetTypeID(object) != CFStringGetTypeID()) return NULL;
    for (const struct nalu_value_text *pair = form->texts; pair && pair->text; pair++)
        if (CFEqual(object, *pair->value)) return strdup(pair->text);
    const int code = form->code ? form->code(object) : 2;
    if (code == 2) return nalu_read_string(object);
    snprintf(digits, sizeof digits, "%d", code);
    return strdup(digits);
}

CFStringRef nalu_value_string(const struct nalu_value_form *form, const char *text) {
    for (const struct nalu_value_text *pair = form->texts; pair && pair->text; pair++)
        if (strcmp(text, pair->text) == 0) return CFRetain(*pair->value);
    char *end = NULL;
    const long code = strtol(text, &end, 10);
    const CFStringRef string = form->string && end != text && !*end ? form->string((int)code) : NULL;
    return string ? CFRetain(string) : nalu_string(text);
}

OSStatus nalu_value_read(const struct nalu_value_form *form, CFTypeRef object, struct nalu_value *value) {
    nalu_property *property = &value->property;
    bool flag = false, is_read = false;
    switch (property->type) {
    case NALU_PROPERTY_TYPE_BOOL:
        is_read = nalu_read_bool(object, &flag);
        property->integer = flag;
        break;
    case NALU_PROPERTY_TYPE_INT64: is_read = nalu_read_int64(object, &property->integer); break;
    case NALU_PROPERTY_TYPE_DOUBLE: is_read = nalu_read_double(object, &property->number); break;
    case NALU_PROPERTY_TYPE_STRING:
        property->string = value->text = text_of(form, object);
        is_read = value->text != NULL;
        break;
    default: break;
    }
    return is_read ? noErr : kVTPropertyNotSupportedErr;
}

OSStatus nalu_value_copy(const struct nalu_value_form *form, nalu_compression_session *encoder, const char *name,
    CFTypeRef *object_out) {
    nalu_property_info info = {.struct_size = sizeof info};
    int32_t flag = 0;
    int64_t whole = 0;
    double number = 0;
    char *text = NULL;
    nalu_status status = nalu_property_get_info(name, &info);
    if (status != NALU_STATUS_OK) return nalu_vt_status(status);
    switch (info.type) {
    case NALU_PROPERTY_TYPE_BOOL:
        status = nalu_session_get_bool(encoder, name, &flag);
        if (status == NALU_STATUS_OK) *object_out = CFRetain(flag ? kCFBooleanTrue : kCFBooleanFalse);
        break;
    case NALU_PROPERTY_TYPE_INT64:
        status = nalu_session_get_int64(encoder, name, &whole);
        if (status == NALU_STATUS_OK) *object_out = nalu_integer(whole);
        break;
    case NALU_PROPERTY_TYPE_DOUBLE:
        status = nalu_session_get_double(encoder, name, &number);
        if (status == NALU_STATUS_OK) *object_out = nalu_number(number);
        break;
    case NALU_PROPERTY_TYPE_STRING: {
        const OSStatus copied = copy_text(encoder, name, &text);
        if (copied != noErr) return copied;
        *object_out = nalu_value_string(form, text);
        free(text);
        break;
    }
    default: return kVTPropertyNotSupportedErr;
    }
    return status == NALU_STATUS_OK ? made(*object_out) : nalu_vt_status(status);
}

/* ---- Lists of numbers ---- */

static OSStatus set_numbers(struct nalu_value *value, size_t count) {
    value->property.type = NALU_PROPERTY_TYPE_NUMBERS;
    value->property.numbers = value->numbers;
    value->property.number_count = (uint32_t)count;
    return noErr;
}

/* Returns kVTPropertyNotSupportedErr if the property has no value. */
static OSStatus copy_numbers(nalu_compression_session *encoder, const char *name, double *numbers, size_t count) {
    size_t found = 0;
    const nalu_status status = nalu_session_copy_numbers(encoder, name, numbers, NALU_MOST_NUMBERS, &found);
    if (status != NALU_STATUS_OK) return nalu_vt_status(status);
    return found == count ? noErr : kVTPropertyNotSupportedErr;
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

/* Returns true for a pair that cannot be a limit. Some programs pass uninitialized numbers, or a time of 0. */
static bool is_no_limit(double bytes, double seconds) {
    return !(seconds >= 0.05 && bytes >= 1000 && bytes <= 1e12 && bytes / seconds >= 1000);
}

OSStatus nalu_value_read_limits(const struct nalu_value_form *form, CFTypeRef array, struct nalu_value *value) {
    size_t used = 0;
    (void)form;
    const CFIndex count = CFArrayGetCount(array);
    if (count % 2 != 0 || count > 4) return kVTParameterErr;
    for (CFIndex i = 0; i < count; i += 2) {
        double *limit = value->numbers + used;
        if (!nalu_read_double(CFArrayGetValueAtIndex(array, i), &limit[0]) ||
            !nalu_read_double(CFArrayGetValueAtIndex(array, i + 1), &limit[1]))
            return kVTPropertyNotSupportedErr;
        /* libnalu refuses negative numbers and NaN with an error message. */
        if (!(limit[0] >= 0 && limit[1] >= 0)) return set_numbers(value, used + 2);
        if (is_no_limit(limit[0], limit[1])) continue;
        if (limit[1] > 60) {
            /* A limit for longer than 60 s becomes its share of 60 s. That is stricter, and implies the longer
             * limit. */
            limit[0] *= 60 / limit[1];
            limit[1] = 60;
        }
        used += 2;
    }
    return set_numbers(value, used);
}

OSStatus nalu_value_copy_limits(const struct nalu_value_form *form, nalu_compression_session *encoder, const char *name,
    CFTypeRef *object_out) {
    double numbers[NALU_MOST_NUMBERS];
    size_t count = 0;
    (void)form;
    const nalu_status status = nalu_session_copy_numbers(encoder, name, numbers, NALU_MOST_NUMBERS, &count);
    if (status != NALU_STATUS_OK) return nalu_vt_status(status);
    *object_out = array_of(numbers, count);
    return made(*object_out);
}

OSStatus nalu_value_read_fields(const struct nalu_value_form *form, CFTypeRef dictionary, struct nalu_value *value) {
    for (size_t i = 0; i < form->count; i++)
        if (!nalu_read_double(nalu_dictionary_get(dictionary, *form->fields[i]), &value->numbers[i]))
            return kVTParameterErr;
    return set_numbers(value, form->count);
}

OSStatus nalu_value_copy_fields(const struct nalu_value_form *form, nalu_compression_session *encoder, const char *name,
    CFTypeRef *object_out) {
    double numbers[NALU_MOST_NUMBERS];
    const OSStatus status = copy_numbers(encoder, name, numbers, form->count);
    if (status != noErr) return status;
    CFMutableDictionaryRef dictionary = nalu_dictionary_create(NULL);
    for (size_t i = 0; dictionary && i < form->count; i++) {
        const bool whole = numbers[i] == (double)(int64_t)numbers[i];
        nalu_dictionary_take(dictionary, *form->fields[i],
            whole ? nalu_integer((int64_t)numbers[i]) : nalu_number(numbers[i]));
    }
    *object_out = dictionary;
    return made(dictionary);
}

OSStatus nalu_value_read_bytes(const struct nalu_value_form *form, CFTypeRef data, struct nalu_value *value) {
    if ((size_t)CFDataGetLength(data) != 4 * form->count - 2 * form->word_count) return kVTParameterErr;
    const uint8_t *bytes = CFDataGetBytePtr(data);
    for (size_t i = 0; i < form->count; i++) {
        uint32_t number = 0;
        for (int left = i < form->word_count ? 2 : 4; left > 0; left--) number = number << 8 | *bytes++;
        value->numbers[i] = number;
    }
    return set_numbers(value, form->count);
}

OSStatus nalu_value_copy_bytes(const struct nalu_value_form *form, nalu_compression_session *encoder, const char *name,
    CFTypeRef *object_out) {
    double numbers[NALU_MOST_NUMBERS];
    uint8_t bytes[4 * NALU_MOST_NUMBERS], *end = bytes;
    const OSStatus status = copy_numbers(encoder, name, numbers, form->count);
    if (status != noErr) return status;
    for (size_t i = 0; i < form->count; i++)
        for (int shift = i < form->word_count ? 8 : 24; shift >= 0; shift -= 8)
            *end++ = (uint8_t)((uint32_t)numbers[i] >> shift);
    *object_out = CFDataCreate(NULL, bytes, end - bytes);
    return made(*object_out);
}

/* ---- Dictionaries that libnalu has as text ---- */

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
    CFMutableDictionaryRef dictionary = nalu_dictionary_create(NULL);
    if (dictionary) (void)!nalu_property_text_read(text, add_setting, dictionary);
    return dictionary;
}

/* Appends NAME="VALUE" to libnalu's text. Returns the new length, or 0 if `capacity` is too small. */
static size_t append_setting(char *text, size_t length, size_t capacity, const char *name, const char *value) {
    const int written = snprintf(text + length, capacity - length, "%s%s=\"", length ? "," : "", name);
    if (written < 0 || length + (size_t)written + 2 * strlen(value) + 2 > capacity) return 0;
    length += (size_t)written;
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') text[length++] = '\\';
        text[length++] = *value;
    }
    text[length++] = '"';
    text[length] = 0;
    return length;
}

OSStatus nalu_value_read_transfer(const struct nalu_value_form *form, CFTypeRef dictionary, struct nalu_value *value) {
    enum { CAPACITY = 512 };
    const CFStringRef keys[] = {kVTPixelTransferPropertyKey_ScalingMode, kVTPixelTransferPropertyKey_DownsamplingMode};
    static const char *const names[] = {
        NALU_PIXEL_TRANSFER_PROPERTY_SCALING_MODE, NALU_PIXEL_TRANSFER_PROPERTY_DOWNSAMPLING_MODE};
    size_t length = 0;
    CFIndex found = 0;
    (void)form;
    value->property.string = value->text = calloc(1, CAPACITY);
    if (!value->text) return kVTAllocationFailedErr;
    for (int i = 0; i < 2; i++) {
        CFTypeRef mode = nalu_dictionary_get(dictionary, keys[i]);
        if (!mode) continue;
        char *name = nalu_read_string(mode);
        if (!name) return kVTPropertyNotSupportedErr;
        length = append_setting(value->text, length, CAPACITY, names[i], name);
        free(name);
        if (!length) return kVTParameterErr;
        found++;
    }
    return found < CFDictionaryGetCount(dictionary) ? kVTPropertyNotSupportedErr : noErr;
}

OSStatus nalu_value_copy_settings(const struct nalu_value_form *form, nalu_compression_session *encoder, const char *name,
    CFTypeRef *object_out) {
    char *text = NULL;
    (void)form;
    const OSStatus status = copy_text(encoder, name, &text);
    if (status != noErr) return status;
    *object_out = dictionary_of(text);
    free(text);
    return made(*object_out);
}

OSStatus nalu_value_copy_attributes(const struct nalu_value_form *form, nalu_compression_session *encoder,
    const char *name, CFTypeRef *object_out) {
    char format[8] = "";
    const OSStatus status = nalu_value_copy_settings(form, encoder, name, object_out);
    if (status != noErr) return status;
    CFMutableDictionaryRef attributes = (CFMutableDictionaryRef)*object_out;
    /* libnalu's keys are those of CoreVideo. CoreVideo's pixel format is a number, libnalu's is text. */
    CFTypeRef text = CFDictionaryGetValue(attributes, kCVPixelBufferPixelFormatTypeKey);
    if (text && CFGetTypeID(text) == CFStringGetTypeID() &&
        CFStringGetCString(text, format, sizeof format, kCFStringEncodingUTF8) && strlen(format) == 4)
        nalu_dictionary_take(attributes, kCVPixelBufferPixelFormatTypeKey,
            nalu_integer(NALU_FOURCC(format[0], format[1], format[2], format[3])));
    return noErr;
}

OSStatus nalu_value_copy_presets(const struct nalu_value_form *form, nalu_compression_session *encoder, const char *name,
    CFTypeRef *object_out) {
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
    CFTypeRef texts = NULL;
    const OSStatus status = nalu_value_copy_settings(form, encoder, name, &texts);
    if (status != noErr) return status;
    /* The value of each preset is a text again. */
    CFMutableDictionaryRef dictionary = nalu_dictionary_create(NULL);
    for (size_t i = 0; dictionary && i < sizeof presets / sizeof *presets; i++) {
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
    CFRelease(texts);
    *object_out = dictionary;
    return made(dictionary);
}

OSStatus nalu_value_copy_duration(const struct nalu_value_form *form, nalu_compression_session *encoder, const char *name,
    CFTypeRef *object_out) {
    double seconds = 0;
    (void)form;
    const nalu_status status = nalu_session_get_double(encoder, name, &seconds);
    if (status != NALU_STATUS_OK) return nalu_vt_status(status);
    *object_out = CMTimeCopyAsDictionary(CMTimeMakeWithSeconds(seconds, 90000), NULL);
    return made(*object_out);
}
