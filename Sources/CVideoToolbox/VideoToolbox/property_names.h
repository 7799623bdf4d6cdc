/* Keys and values of properties whose texts differ between VideoToolbox and libnalu. */
#ifndef NALU_VT_PROPERTY_NAMES_H
#define NALU_VT_PROPERTY_NAMES_H

#include <CoreFoundation/CoreFoundation.h>

/* libnalu's name of a property; the caller frees it. NULL if key is no text. */
char *nalu_property_name_of_key(CFStringRef key);

/* The key of a property of libnalu, with one reference. */
CFStringRef nalu_property_key_of_name(const char *name);

/* libnalu's text for a value of the property `name`; the caller frees it. NULL if value is no text. */
char *nalu_property_text_of_value(const char *name, CFTypeRef value);

/* The value that stands for a text of libnalu, with one reference. */
CFStringRef nalu_property_value_of_text(const char *name, const char *text);

#endif
