/* The struct of a compression session, which uses a session of libnalu, and its properties. */
#ifndef NALU_VT_COMPRESSION_SESSION_H
#define NALU_VT_COMPRESSION_SESSION_H

#include "../session.h"
#include "deferred_properties.h"
#include "source_conversion.h"

#include <VideoToolbox/VTCompressionSession.h>
#include <VideoToolbox/VTMultiPassStorage.h>
#include <nalu/nalu.h>
#include <pthread.h>

struct nalu_delivery;

struct nalu_retired_encoder;

/* The state of a single pass. A session with a storage but without an average bit rate makes one pass, for which its
 * encoder has no storage. */
enum nalu_single_pass {
    NALU_NO_SINGLE_PASS,
    NALU_SINGLE_PASS_TO_COME,
    NALU_SINGLE_PASS,
    NALU_SINGLE_PASS_IS_OVER
};

/* The arguments that create a libnalu session. */
struct nalu_encoder_shape {
    int32_t width, height;
    CMVideoCodecType codec;
    char *encoder_id; /* may be NULL */
};

struct OpaqueVTCompressionSession {
    struct nalu_session session;
    struct nalu_encoder_shape shape;
    /* Replaced between frames by nalu_encoder_replace. */
    nalu_compression_session *_Atomic encoder;
    CVPixelBufferPoolRef pool;
    nalu_source_conversion conversion;
    struct nalu_delivery *delivery;
    /* Protects the members below. Not held while libnalu waits or calls back. */
    pthread_mutex_t lock;
    bool invalidated;
    bool has_begun; /* frames may have been passed */
    bool is_replacing; /* frames wait until the encoder is replaced */
    int entered;       /* number of calls that are passing a frame to the encoder */
    pthread_cond_t changed; /* signalled when `is_replacing` or `entered` changes */
    struct nalu_retired_encoder *retired;
    struct nalu_deferred_values deferred;
    CFMutableDictionaryRef kept; /* values without effect, and values that libnalu stores in another form */
    pthread_mutex_t extensions_lock; /* locked before `lock` */
    VTMultiPassStorageRef storage;
    enum nalu_single_pass single_pass;
    CMTimeRange *next_ranges; /* one range, or NULL */
    _Atomic unsigned colours_set; /* bit i: the colour i of properties.h was set by the client or read from a frame */
};

extern const struct nalu_session_methods nalu_compression_methods;

bool nalu_is_compression_session(VTCompressionSessionRef session);

/* Returns the properties of an encoder for VTSessionCopySupportedPropertyDictionary, with one reference. `encoder_id` is
 * NULL for the codec's usual encoder. */
CFDictionaryRef nalu_compression_copy_supported(CMVideoCodecType codec, const char *encoder_id);

struct nalu_encoder_abilities {
    bool reorders_frames, has_passes;
};

struct nalu_encoder_abilities nalu_encoder_get_abilities(CMVideoCodecType codec, const char *encoder_id);

/* Finds the encoder for a specification. `encoder_id_out` receives the ID in the specification, allocated with malloc,
 * or NULL if it has none. Returns kVTCouldNotFindVideoEncoderErr if no encoder fits. */
OSStatus nalu_choose_encoder(CMVideoCodecType codec, CFDictionaryRef specification, char **encoder_id_out);

/* Sets the multi-pass storage; `value` is NULL for none. Needs the lock. */
OSStatus nalu_set_storage(VTCompressionSessionRef session, CFTypeRef value);

/* Decides on the number of passes, before the encoder is opened. Several passes aim at an average bit rate. Without
 * one, a first pass has no use for a second, and the session makes a single pass. Returns true in that case. */
bool nalu_settle_passes(VTCompressionSessionRef session);

/* Returns the storage of a VTMultiPassStorage; NULL for another object, and after it was closed. */
nalu_multi_pass_storage *nalu_multi_pass_storage_of(CFTypeRef object);

#endif
