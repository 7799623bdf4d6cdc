#ifndef NALU_VT_DECOMPRESSION_SESSION_H
#define NALU_VT_DECOMPRESSION_SESSION_H

#include "../session.h"
#include "decoding.h"

struct OpaqueVTDecompressionSession {
    CFRuntimeBase base;
    const struct nalu_session_methods *methods;
    nalu_decoding *decoding; /* NULL only if its creation failed */
    bool has_callback;
    CFMutableDictionaryRef values; /* of properties that were set; protected by the lock of `decoding` */
};

extern const struct nalu_session_methods nalu_decompression_methods;

#endif
