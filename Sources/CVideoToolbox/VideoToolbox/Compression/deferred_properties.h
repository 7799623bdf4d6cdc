/* Deferred properties: VideoToolbox lets a client combine them, and libnalu does not. The session stores them as the client
 * set them, and the encoder receives the values that follow from all of them. */
#ifndef NALU_VT_DEFERRED_PROPERTIES_H
#define NALU_VT_DEFERRED_PROPERTIES_H

#include <CoreFoundation/CoreFoundation.h>
#include <nalu/nalu.h>
#include <stdbool.h>

enum nalu_deferred {
    NALU_NOT_DEFERRED,
    NALU_DEFERRED_AVERAGE_BIT_RATE,
    NALU_DEFERRED_CONSTANT_BIT_RATE,
    NALU_DEFERRED_VARIABLE_BIT_RATE,
    NALU_DEFERRED_SOURCE_FRAME_COUNT,
    NALU_DEFERRED_EXPECTED_DURATION,
    NALU_DEFERRED_VBV_MAX_BIT_RATE,
    NALU_DEFERRED_VBV_BUFFER_DURATION,
    NALU_DEFERRED_VBV_INITIAL_DELAY_PERCENTAGE,
    NALU_DEFERRED_EXPECTED_FRAME_RATE,
    NALU_DEFERRED_QUALITY,
    NALU_DEFERRED_CONSTANT_QUALITY_FACTOR,
    NALU_DEFERRED_MAX_FRAME_DELAY_COUNT,
    NALU_DEFERRED_MAX_LOOK_AHEAD_FRAME_COUNT,
    NALU_DEFERRED_REAL_TIME,
    NALU_DEFERRED_MAXIMIZE_POWER_EFFICIENCY,
    NALU_DEFERRED_ALLOW_FRAME_REORDERING,
    NALU_DEFERRED_ALLOW_B_PYRAMID,
    NALU_DEFERRED_COUNT
};

/* The values that the client has set; NaN if not set. */
struct nalu_deferred_values {
    double values[NALU_DEFERRED_COUNT];
    bool several_passes;
};

void nalu_deferred_init(struct nalu_deferred_values *deferred);

/* Returns true if two values are the same number, or both are unset. */
bool nalu_deferred_is_same(double a, double b);

/* Returns true if the change from `from` to `to` changes anything for the encoder. */
bool nalu_deferred_have_effect(const struct nalu_deferred_values *from, const struct nalu_deferred_values *to);

/* Writes the encoder's changes from `from` to `to` and returns their number, or -1 if a value is out of range. `from` is
 * NULL for a new encoder. A default of this library is left out if the encoder does not have the property. */
int nalu_deferred_changes(nalu_compression_session *encoder, const struct nalu_deferred_values *from,
    const struct nalu_deferred_values *to, nalu_property changes[NALU_DEFERRED_COUNT]);

/* Passes the encoder the changes from `from` to `to`: all of them, or none if the call fails. */
nalu_status nalu_deferred_apply(nalu_compression_session *encoder, const struct nalu_deferred_values *from,
    const struct nalu_deferred_values *to);

#endif
