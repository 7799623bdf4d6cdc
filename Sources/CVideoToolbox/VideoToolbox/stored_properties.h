/* The properties that a session stores itself: those of pixel transfer, pixel rotation and decompression sessions. A table
 * describes their types, limits and values. */
#ifndef NALU_VT_STORED_PROPERTIES_H
#define NALU_VT_STORED_PROPERTIES_H

#include "session.h"

typedef enum nalu_stored_kind {
    NALU_STORED_STRING, /* one of `values`, unless that is NULL */
    NALU_STORED_BOOLEAN,
    NALU_STORED_BOOLEAN_OR_NUMBER,
    NALU_STORED_OPTIONAL_BOOLEAN, /* or a number; without a default */
    NALU_STORED_NUMBER,           /* from `minimum` to `maximum` */
    NALU_STORED_DICTIONARY,
    NALU_STORED_DATA,
    NALU_STORED_OBJECT, /* read only, of any type */
} nalu_stored_kind;

typedef struct nalu_stored_property {
    const CFStringRef *key; /* NULL ends a table */
    nalu_stored_kind kind;
    const CFStringRef *const *values; /* ends with NULL; the first value is the default */
    const char *documentation;
    bool is_read_only;
    double minimum, maximum;
    CFTypeRef (*copy)(const void *session); /* NULL: returns the value that was set, or the default */
} nalu_stored_property;

/* Returns the row of a key, or NULL. */
const nalu_stored_property *nalu_stored_property_find(const nalu_stored_property *table, CFStringRef key);

/* Returns the index of a string in the property's values, or -1. */
int nalu_stored_property_value_index(const nalu_stored_property *property, CFTypeRef value);

/* Checks a value to set, and copies it for storing: the caller's dictionary may not retain its contents. NULL remains NULL.
 * Booleans become the constants, which clients compare by pointer. *number_out receives a number, and 0 for other values;
 * `number_out` may be NULL. Returns kVTPropertyReadOnlyErr, kVTPropertyNotSupportedErr for another type, kVTParameterErr for a
 * value that is not allowed, and kVTAllocationFailedErr. */
OSStatus nalu_stored_property_copy_value(const nalu_stored_property *property, CFTypeRef value, CFTypeRef *kept_out,
    double *number_out);

/* Returns the default with one reference, or NULL. */
CFTypeRef nalu_stored_property_copy_default(const nalu_stored_property *property);

/* Returns the descriptions of all properties for copy_supported, with one reference; NULL if memory is short. */
CFDictionaryRef nalu_stored_properties_describe(const nalu_stored_property *table);

#endif
