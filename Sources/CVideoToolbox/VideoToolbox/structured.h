/* Properties whose values are arrays, dictionaries or data here, but numbers or text in libnalu; and those that the
 * library adds to. */
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
    /* NULL: that of libnalu. Gives the session the value that it has when none is set. */
    nalu_status (*reset)(nalu_compression_session *encoder);
};

/* x264.params before the client sets it. Programs shift decode times by one frame of reordering, because a Mac's H.264
 * has no more: B-frames that refer to B-frames would need two. */
nalu_status nalu_reset_params(nalu_compression_session *encoder);

/* NULL for a key with a plain value. */
const struct nalu_structured *nalu_structured_property(const char *key);

#endif
