/* Conversion of the values of properties between CoreFoundation and libnalu. */
#ifndef NALU_VT_PROPERTY_VALUES_H
#define NALU_VT_PROPERTY_VALUES_H

#include <CoreFoundation/CoreFoundation.h>
#include <nalu/nalu.h>
#include <stdbool.h>

enum { NALU_MOST_NUMBERS = 10 };

/* A text that VideoToolbox and libnalu spell differently. */
struct nalu_value_text {
    const CFStringRef *value;
    const char *text; /* NULL ends a list */
};

/* The form of a property's value, where libnalu's type alone does not determine it. */
struct nalu_value_form {
    size_t count;                        /* of numbers */
    size_t word_count;                   /* data: how many of the numbers have 2 bytes; the others have 4 */
    const CFStringRef *const *fields;    /* a dictionary: the key of each number */
    const struct nalu_value_text *texts; /* strings */
    /* Strings of CoreVideo that libnalu accepts as codes of ITU-T H.273. The code 2 means that there is none. */
    int (*code)(CFStringRef string);
    CFStringRef (*string)(int code);
};

/* A value in libnalu's form. `property` refers to the other members, except for its key. */
struct nalu_value {
    nalu_property property;
    double numbers[NALU_MOST_NUMBERS];
    char *text; /* from malloc, or NULL */
};

/* Reads a value to set. value->property has its key, and its type in libnalu. Returns kVTPropertyNotSupportedErr for
 * another type than that of the property. */
typedef OSStatus nalu_value_reader(const struct nalu_value_form *form, CFTypeRef object, struct nalu_value *value);

/* Returns the encoder's value of a property, with one reference. */
typedef OSStatus nalu_value_copier(const struct nalu_value_form *form, nalu_compression_session *encoder,
    const char *name, CFTypeRef *object_out);

/* Booleans, numbers and strings. */
nalu_value_reader nalu_value_read;
nalu_value_copier nalu_value_copy;

/* An array of bytes and seconds in turn. */
nalu_value_reader nalu_value_read_limits;
nalu_value_copier nalu_value_copy_limits;

/* A dictionary of numbers: form->fields. */
nalu_value_reader nalu_value_read_fields;
nalu_value_copier nalu_value_copy_fields;

/* Data: big-endian numbers of 2 bytes, then of 4 bytes. */
nalu_value_reader nalu_value_read_bytes;
nalu_value_copier nalu_value_copy_bytes;

/* Dictionaries that libnalu represents as text. */
nalu_value_reader nalu_value_read_transfer;
nalu_value_copier nalu_value_copy_settings;
nalu_value_copier nalu_value_copy_attributes;
nalu_value_copier nalu_value_copy_presets;

/* A dictionary that is a CMTime; libnalu has seconds. */
nalu_value_copier nalu_value_copy_duration;

/* Returns VideoToolbox's string for a text of libnalu, with one reference. */
CFStringRef nalu_value_string(const struct nalu_value_form *form, const char *text);

#endif
