/* Properties whose values are arrays, dictionaries or data here, but numbers or text in libnalu. */
#ifndef NALU_VT_STRUCTURED_H
#define NALU_VT_STRUCTURED_H

#include <CoreFoundation/CoreFoundation.h>
#include <nalu/nalu.h>
#include <stdbool.h>

struct nalu_structured {
    const char *key;
    /* NULL for what cannot be set. value is not NULL. */
    OSStatus (*set)(nalu_compression_session *encoder, const char *key, CFTypeRef value);
    /* With one reference. */
    OSStatus (*copy)(nalu_compression_session *encoder, const char *key, CFTypeRef *value_out);
    /* The value that was set is read back as it was. */
    bool kept;
};

/* NULL for a key with a plain value. */
const struct nalu_structured *nalu_structured_property(const char *key);

#endif
