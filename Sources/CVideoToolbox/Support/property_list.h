/* Copies of what clients describe things with. */
#ifndef NALU_VT_PROPERTY_LIST_H
#define NALU_VT_PROPERTY_LIST_H

#include <CoreFoundation/CoreFoundation.h>

/* A key that the client cannot change: a copy of a string, else the key itself. */
CFTypeRef nalu_key_copy(CFAllocatorRef allocator, CFTypeRef key) CF_RETURNS_RETAINED;

/* An immutable copy of a dictionary, of those in it, and of arrays, strings and data; other values are retained. The
 * client's dictionary may have been made without callbacks, the copy has CoreFoundation's. Pairs with NULL are left out, and
 * so is what lies deeper than 32 levels, where only a cycle would be. NULL for NULL, and without memory. */
CFDictionaryRef nalu_property_list_copy(CFAllocatorRef allocator, CFDictionaryRef dictionary) CF_RETURNS_RETAINED;

/* The same of one value of any type. */
CFTypeRef nalu_property_list_copy_value(CFAllocatorRef allocator, CFTypeRef value) CF_RETURNS_RETAINED;

#endif
