/* Deferred properties: VideoToolbox lets a client combine them, and libnalu does not. They are stored as the client set
 * them, and the encoder receives the values that follow from all of them. */
#ifndef NALU_VT_WISHES_H
#define NALU_VT_WISHES_H

#include <CoreFoundation/CoreFoundation.h>
#include <nalu/nalu.h>
#include <stdbool.h>

enum nalu_wish {
    NALU_WISH_AVERAGE_BIT_RATE,
    NALU_WISH_CONSTANT_BIT_RATE,
    NALU_WISH_VARIABLE_BIT_RATE,
    NALU_WISH_SOURCE_FRAME_COUNT,
    NALU_WISH_EXPECTED_DURATION,
    NALU_WISH_VBV_MAX_BIT_RATE,
    NALU_WISH_VBV_BUFFER_DURATION,
    NALU_WISH_VBV_INITIAL_DELAY_PERCENTAGE,
    NALU_WISH_EXPECTED_FRAME_RATE,
    NALU_WISH_QUALITY,
    NALU_WISH_CONSTANT_QUALITY_FACTOR,
    NALU_WISH_MAX_FRAME_DELAY_COUNT,
    NALU_WISH_MAX_LOOK_AHEAD_FRAME_COUNT,
    NALU_WISH_REAL_TIME,
    NALU_WISH_MAXIMIZE_POWER_EFFICIENCY,
    NALU_WISH_ALLOW_FRAME_REORDERING,
    NALU_WISH_COUNT
};

/* The largest lookahead in frames if MaxFrameDelayCount is not set. Programs written for a Mac expect the first sample
 * after a few frames. */
enum { NALU_USUAL_LOOK_AHEAD = 12 };

/* The values that the client has set; NaN if not set. */
struct nalu_wishes {
    double values[NALU_WISH_COUNT];
    bool several_passes;
};

void nalu_wishes_init(struct nalu_wishes *wishes);

/* Returns the deferred property of a key, or NALU_WISH_COUNT. */
enum nalu_wish nalu_wish_of_key(const char *key);

/* Returns libnalu's key. */
const char *nalu_wish_key(enum nalu_wish wish);

/* Returns true if the client's value is read back instead of the encoder's. */
bool nalu_wish_is_read_back(enum nalu_wish wish);

/* Returns true if the change from `from` to `to` changes anything for the encoder. */
bool nalu_wishes_have_effect(const struct nalu_wishes *from, const struct nalu_wishes *to);

/* Writes the encoder's changes from `from` to `to` and returns their number, or -1 if a value is out of range. */
int nalu_wishes_changes(const struct nalu_wishes *from, const struct nalu_wishes *to,
    nalu_property changes[NALU_WISH_COUNT]);

/* Passes the encoder the changes from `from` to `to`: all of them, or none if the call fails. */
nalu_status nalu_wishes_apply(nalu_compression_session *encoder, const struct nalu_wishes *from,
    const struct nalu_wishes *to);

#endif
