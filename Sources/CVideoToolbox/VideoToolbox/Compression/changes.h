/* The changes of one call of VTSessionSetProperty or VTSessionSetProperties: all are gathered, and then applied together or
 * not at all. */
#ifndef NALU_VT_CHANGES_H
#define NALU_VT_CHANGES_H

#include "compression_session.h"

/* Names of properties that programs write as text: VideoToolbox has no constants for them. */
extern const CFStringRef nalu_chroma_location_top;
extern const CFStringRef nalu_chroma_location_bottom;

struct nalu_changes;

/* Adds a property of libnalu. Strings and numbers are copied. */
OSStatus nalu_changes_add(struct nalu_changes *changes, const nalu_property *property);
OSStatus nalu_changes_add_string(struct nalu_changes *changes, const char *key, const char *text);
OSStatus nalu_changes_add_numbers(struct nalu_changes *changes, const char *key, const double *numbers, size_t count);

/* Sets the properties of a dictionary: all of them, or none if the function fails. Keys of the encoder specification are
 * skipped. */
OSStatus nalu_set_properties(VTCompressionSessionRef session, CFDictionaryRef properties);

/* `value` is NULL for the default. */
OSStatus nalu_set_property(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value);

/* Returns true if VideoToolbox accepts the property, and libnalu has none. */
bool nalu_is_without_effect(CFStringRef key);

/* Returns true for x264.params and the chroma locations, which libnalu has in another form. */
bool nalu_is_of_params(CFStringRef key);

#endif
