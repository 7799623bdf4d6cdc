/* Properties whose values are arrays, dictionaries or data in VideoToolbox, but numbers or text in libnalu. */
#ifndef NALU_VT_STRUCTURED_H
#define NALU_VT_STRUCTURED_H

#include <CoreFoundation/CoreFoundation.h>
#include <nalu/nalu.h>
#include <stdbool.h>

struct nalu_changes;

struct nalu_structured {
    const char *key;
    /* Adds the property to the changes; `value` is not NULL. NULL for a read-only property. */
    OSStatus (*set)(struct nalu_changes *changes, const char *key, CFTypeRef value);
    /* Returns the value with one reference. */
    OSStatus (*copy)(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out);
    /* If true, the value that the client set is read back unchanged. */
    bool kept;
};

/* Returns NULL for a key with a plain value. */
const struct nalu_structured *nalu_structured_property(const char *key);

#endif
