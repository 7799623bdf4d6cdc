/* Conversion of property keys and values whose texts differ between VideoToolbox and libnalu. */
#ifndef NALU_VT_PROPERTY_NAMES_H
#define NALU_VT_PROPERTY_NAMES_H

#include <CoreFoundation/CoreFoundation.h>

/* Returns libnalu's name of a property, which the caller frees. Returns NULL if `key` is not a string. */
char *nalu_property_name_of_key(CFStringRef key);

/* Returns VideoToolbox's key for a libnalu property, with one reference. */
CFStringRef nalu_property_key_of_name(const char *name);

/* Returns libnalu's text for a value of the property `name`, which the caller frees. Returns NULL if `value` is not a
 * string. */
char *nalu_property_text_of_value(const char *name, CFTypeRef value);

/* Returns VideoToolbox's value for a libnalu text, with one reference. */
CFStringRef nalu_property_value_of_text(const char *name, const char *text);

#endif
