#ifndef NALU_VT_DECOMPRESSION_SESSION_H
#define NALU_VT_DECOMPRESSION_SESSION_H

#include "decoding.h"
#include "session.h"

struct OpaqueVTDecompressionSession {
    CFRuntimeBase base;
    const struct nalu_session_methods *methods;
    nalu_decoding *decoding; /* NULL only while it could not be created */
    bool has_callback;
    CFMutableDictionaryRef values; /* of properties that were set; guarded by the lock of `decoding` */
};

extern const struct nalu_session_methods nalu_decompression_methods;

#endif
