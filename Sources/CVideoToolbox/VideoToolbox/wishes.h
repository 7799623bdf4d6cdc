/* Properties that VideoToolbox lets a client combine and libnalu does not. They are kept as they were set, and the
 * encoder gets what follows from all of them. */
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

/* Without MaxFrameDelayCount, the encoder looks this many frames ahead at most: programs written for a Mac expect the
 * first sample after a few frames. */
enum { NALU_USUAL_LOOK_AHEAD = 12 };

/* NaN: not set. */
struct nalu_wishes {
    double values[NALU_WISH_COUNT];
    bool several_passes;
};

void nalu_wishes_init(struct nalu_wishes *wishes);

/* The wish of a key, or NALU_WISH_COUNT. */
enum nalu_wish nalu_wish_of_key(const char *key);

/* Whether the value that was set is read back rather than the encoder's. */
bool nalu_wish_is_read_back(enum nalu_wish wish);

/* Whether anything changes for the encoder from `from` to `to`. */
bool nalu_wishes_have_effect(const struct nalu_wishes *from, const struct nalu_wishes *to);

/* Gives the encoder what changes from `from` to `to`: all of it, or nothing if the function fails. */
nalu_status nalu_wishes_apply(nalu_compression_session *encoder, const struct nalu_wishes *from,
    const struct nalu_wishes *to);

#endif
