/* Copies of dictionaries and values that clients pass. */
#ifndef NALU_VT_PROPERTY_LIST_H
#define NALU_VT_PROPERTY_LIST_H

#include <CoreFoundation/CoreFoundation.h>

/* Returns a key that the client cannot change: a copy of a string, or any other key itself. */
CFTypeRef nalu_key_copy(CFAllocatorRef allocator, CFTypeRef key) CF_RETURNS_RETAINED;

/* Returns an immutable copy of a dictionary. Dictionaries, arrays, strings and data in it are copied too; other values
 * are retained. The copy has CoreFoundation's callbacks, even if the client's dictionary has none. Pairs with NULL are
 * left out, and so are values deeper than 32 levels, which only a cycle reaches. Returns NULL for NULL, and if memory
 * is short. */
CFDictionaryRef nalu_property_list_copy(CFAllocatorRef allocator, CFDictionaryRef dictionary) CF_RETURNS_RETAINED;

/* Returns a mutable copy of the same kind; of NULL, an empty dictionary. */
CFMutableDictionaryRef nalu_dictionary_copy(CFAllocatorRef allocator, CFDictionaryRef dictionary) CF_RETURNS_RETAINED;

/* Copies a value of any type in the same way. */
CFTypeRef nalu_property_list_copy_value(CFAllocatorRef allocator, CFTypeRef value) CF_RETURNS_RETAINED;

#endif
