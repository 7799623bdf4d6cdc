/* The compression session over libnalu's, and its properties. */
#ifndef NALU_VT_COMPRESSION_SESSION_H
#define NALU_VT_COMPRESSION_SESSION_H

#include "session.h"
#include "wishes.h"

#include <VideoToolbox/VTCompressionSession.h>
#include <VideoToolbox/VTMultiPassStorage.h>
#include <nalu/nalu.h>
#include <pthread.h>

struct nalu_outlet;

struct nalu_retired_encoder;

/* A session with a storage and no average rate makes one pass, without libnalu's knowledge. */
enum nalu_single_pass {
    NALU_NO_SINGLE_PASS,
    NALU_SINGLE_PASS_TO_COME,
    NALU_SINGLE_PASS,
    NALU_SINGLE_PASS_IS_OVER
};

/* What a session of libnalu is made with. */
struct nalu_encoder_shape {
    int32_t width, height;
    CMVideoCodecType codec;
    char *encoder_id; /* or NULL */
};

struct OpaqueVTCompressionSession {
    struct nalu_session session;
    struct nalu_encoder_shape shape;
    /* Changes before the first frame, and between frames by nalu_encoder_replace. */
    nalu_compression_session *_Atomic encoder;
    CVPixelBufferPoolRef pool;
    struct nalu_outlet *outlet;
    /* Guards what follows. It is not held while libnalu waits or calls back. */
    pthread_mutex_t lock;
    bool invalidated;
    bool has_begun; /* frames may come */
    bool is_replacing; /* frames wait for another encoder */
    int entered;       /* calls that hand a frame to the encoder */
    pthread_cond_t changed; /* one of these two has */
    struct nalu_retired_encoder *retired;
    struct nalu_wishes wishes;
    CFMutableDictionaryRef kept; /* what is accepted without effect, and what libnalu holds in another form */
    pthread_mutex_t extensions_lock; /* taken before `lock` */
    VTMultiPassStorageRef storage;
    enum nalu_single_pass single_pass;
    CMTimeRange *next_ranges; /* one, or NULL */
    _Atomic unsigned colours_set; /* primaries, transfer function, matrix, chroma location: set by the client, or asked of a frame */
};

extern const struct nalu_session_methods nalu_compression_methods;

bool nalu_is_compression_session(VTCompressionSessionRef session);

/* The encoder's properties as VTSessionCopySupportedPropertyDictionary gives them, with one reference. */
CFDictionaryRef nalu_compression_copy_supported(void);

/* The storage within VideoToolbox's object; NULL for what is not one, and for one that is closed. */
nalu_multi_pass_storage *nalu_multi_pass_storage_of(CFTypeRef object);

#endif
