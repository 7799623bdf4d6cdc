/* Reading what clients put into dictionaries and properties, and the statuses of libnalu as VideoToolbox's. */
#ifndef NALU_VT_VALUE_H
#define NALU_VT_VALUE_H

#include <CoreFoundation/CoreFoundation.h>
#include <nalu/base.h>
#include <stdbool.h>

/* libnalu's statuses have VideoToolbox's numbers where it has one; the others become the nearest. */
OSStatus nalu_vt_status(nalu_status status);

/* The value of a key, or NULL; the dictionary may be NULL, and may have callbacks or not. */
CFTypeRef nalu_dictionary_get(CFDictionaryRef dictionary, CFStringRef key);

/* Each is false for NULL and for another type. A boolean may be a CFNumber, because Swift's bridging makes those. */
bool nalu_read_bool(CFTypeRef value, bool *out);
bool nalu_read_double(CFTypeRef value, double *out);
/* A fraction is rounded, and what does not fit becomes the nearest that does. */
bool nalu_read_int64(CFTypeRef value, int64_t *out);
/* malloc'ed UTF-8, or NULL: another type, or no memory. */
char *nalu_read_string(CFTypeRef value);

/* Reads the boolean of a key; false where there is none. kVTParameterErr for another type, and for what is no
 * dictionary. */
OSStatus nalu_dictionary_read_bool(CFDictionaryRef dictionary, CFStringRef key, bool *out);

/* New objects, or NULL. */
CFNumberRef nalu_number(double value);
CFNumberRef nalu_integer(int64_t value);
CFStringRef nalu_string(const char *text);

/* Sets a value that was made for it, and releases it; NULL is left out. */
void nalu_dictionary_take(CFMutableDictionaryRef dictionary, CFStringRef key, CFTypeRef value);

#endif
