/* Functions that read values of clients' dictionaries and properties, and convert libnalu's statuses. */
#ifndef NALU_VT_VALUE_H
#define NALU_VT_VALUE_H

#include <CoreFoundation/CoreFoundation.h>
#include <nalu/base.h>
#include <stdbool.h>

/* Returns VideoToolbox's status for a status of libnalu. Most have the same number; the others become the nearest. */
OSStatus nalu_vt_status(nalu_status status);
/* The same for a status of decoding. */
OSStatus nalu_vt_decoding_status(nalu_status status);

/* Returns the value of a key, or NULL. The dictionary may be NULL, and may have callbacks or not. */
CFTypeRef nalu_dictionary_get(CFDictionaryRef dictionary, CFStringRef key);

/* Read a value. Return false for NULL and for another type. A boolean may be a CFNumber, because Swift's bridging makes
 * those. */
bool nalu_read_bool(CFTypeRef value, bool *out);
bool nalu_read_double(CFTypeRef value, double *out);
/* Rounds a fraction. Returns the nearest limit for a number that does not fit. */
bool nalu_read_int64(CFTypeRef value, int64_t *out);
/* Returns UTF-8 text from malloc. Returns NULL for another type, or if memory is short. */
char *nalu_read_string(CFTypeRef value);

/* Reads the boolean of a key; false if the key is missing. Returns kVTParameterErr for another type, and if
 * `dictionary` is not a dictionary. */
OSStatus nalu_dictionary_read_bool(CFDictionaryRef dictionary, CFStringRef key, bool *out);

/* Return new objects, or NULL if memory is short. */
CFNumberRef nalu_number(double value);
CFNumberRef nalu_integer(int64_t value);
CFStringRef nalu_string(const char *text);
CFMutableDictionaryRef nalu_dictionary_create(CFAllocatorRef allocator);

/* Sets a value, and releases it. Does nothing if `value` is NULL. */
void nalu_dictionary_take(CFMutableDictionaryRef dictionary, CFStringRef key, CFTypeRef value);

#endif
