#include "deferred_properties.h"

#include "properties.h"

#include <math.h>
#include <string.h>

/* The largest lookahead in frames if MaxFrameDelayCount is not set. Programs written for a Mac expect the first sample
 * after a few frames. */
enum { USUAL_LOOK_AHEAD = 12 };

void nalu_deferred_init(struct nalu_deferred_values *deferred) {
    for (int i = 0; i < NALU_DEFERRED_COUNT; i++) deferred->values[i] = NAN;
    deferred->several_passes = false;
}

bool nalu_deferred_is_same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Computes the values that the encoder receives; NaN stands for the default. `deferred` is NULL for a new encoder,
 * which has defaults only. */
static void resolve(const struct nalu_deferred_values *deferred, double values[NALU_DEFERRED_COUNT]) {
    struct nalu_deferred_values all;
    nalu_deferred_init(&all);
    if (deferred) all = *deferred;
    memcpy(values, all.values, sizeof all.values);
    if (!deferred) return;
    /* Constant bit rate needs the frame rate, because filler data fills each frame up to a size. Without it, the rate
     * becomes an average. */
    if (values[NALU_DEFERRED_CONSTANT_BIT_RATE] > 0 && !(values[NALU_DEFERRED_EXPECTED_FRAME_RATE] > 0)) {
        if (!(values[NALU_DEFERRED_AVERAGE_BIT_RATE] > 0))
            values[NALU_DEFERRED_AVERAGE_BIT_RATE] = values[NALU_DEFERRED_CONSTANT_BIT_RATE];
        values[NALU_DEFERRED_CONSTANT_BIT_RATE] = NAN;
    }
    /* The length of the video is used to plan an average bit rate. Several passes plan the bits without it. */
    if (!(values[NALU_DEFERRED_AVERAGE_BIT_RATE] > 0) || all.several_passes)
        values[NALU_DEFERRED_SOURCE_FRAME_COUNT] = values[NALU_DEFERRED_EXPECTED_DURATION] = NAN;
    if (!(values[NALU_DEFERRED_VARIABLE_BIT_RATE] > 0))
        values[NALU_DEFERRED_VBV_MAX_BIT_RATE] = values[NALU_DEFERRED_VBV_BUFFER_DURATION] =
            values[NALU_DEFERRED_VBV_INITIAL_DELAY_PERCENTAGE] = NAN;
    /* Programs often set a quality by habit in addition to a rate, so the rate takes precedence. */
    if (values[NALU_DEFERRED_AVERAGE_BIT_RATE] > 0 || values[NALU_DEFERRED_CONSTANT_BIT_RATE] > 0 ||
        values[NALU_DEFERRED_VARIABLE_BIT_RATE] > 0 || !isnan(values[NALU_DEFERRED_CONSTANT_QUALITY_FACTOR]) ||
        all.several_passes)
        values[NALU_DEFERRED_QUALITY] = NAN;
    if (isnan(values[NALU_DEFERRED_MAX_LOOK_AHEAD_FRAME_COUNT]) && isnan(values[NALU_DEFERRED_MAX_FRAME_DELAY_COUNT]) &&
        !all.several_passes)
        values[NALU_DEFERRED_MAX_LOOK_AHEAD_FRAME_COUNT] = USUAL_LOOK_AHEAD;
    if (values[NALU_DEFERRED_REAL_TIME] == 1) values[NALU_DEFERRED_MAXIMIZE_POWER_EFFICIENCY] = NAN;
    /* Allowing reordering is the default. It is not an error if another property excludes reordering. */
    if (values[NALU_DEFERRED_ALLOW_FRAME_REORDERING] == 1) values[NALU_DEFERRED_ALLOW_FRAME_REORDERING] = NAN;
    /* Programs shift decode times by one frame of reordering, because H.264 of a Mac has no more. */
    if (isnan(values[NALU_DEFERRED_ALLOW_B_PYRAMID])) values[NALU_DEFERRED_ALLOW_B_PYRAMID] = 0;
}

bool nalu_deferred_have_effect(const struct nalu_deferred_values *from, const struct nalu_deferred_values *to) {
    double before[NALU_DEFERRED_COUNT], after[NALU_DEFERRED_COUNT];
    resolve(from, before);
    resolve(to, after);
    for (int i = 0; i < NALU_DEFERRED_COUNT; i++)
        if (!nalu_deferred_is_same(before[i], after[i])) return true;
    return false;
}

int nalu_deferred_changes(nalu_compression_session *encoder, const struct nalu_deferred_values *from,
    const struct nalu_deferred_values *to, nalu_property changes[NALU_DEFERRED_COUNT]) {
    double before[NALU_DEFERRED_COUNT], after[NALU_DEFERRED_COUNT];
    int count = 0;
    resolve(from, before);
    resolve(to, after);
    for (int i = NALU_NOT_DEFERRED + 1; i < NALU_DEFERRED_COUNT; i++) {
        const char *name = nalu_property_of_deferred((enum nalu_deferred)i)->name;
        nalu_property_info info = {.struct_size = sizeof info};
        if (nalu_property_get_info(name, &info) != NALU_STATUS_OK) return -1;
        /* A value that the encoder does not receive now may have an effect later. */
        if (!nalu_deferred_is_same(to->values[i], after[i]) &&
            (to->values[i] < info.minimum || to->values[i] > info.maximum))
            return -1;
        if (nalu_deferred_is_same(before[i], after[i])) continue;
        if (isnan(to->values[i]) && !nalu_session_has_property(encoder, name)) continue;
        nalu_property *change = &changes[count++];
        *change = (nalu_property){.key = name, .type = info.type};
        if (isnan(after[i])) change->type = NALU_PROPERTY_TYPE_UNSET;
        else if (change->type == NALU_PROPERTY_TYPE_DOUBLE) change->number = after[i];
        else change->integer = after[i] >= 0x1p62 ? INT64_MAX : after[i] <= -0x1p62 ? INT64_MIN : llround(after[i]);
    }
    return count;
}

nalu_status nalu_deferred_apply(nalu_compression_session *encoder, const struct nalu_deferred_values *from,
    const struct nalu_deferred_values *to) {
    nalu_property changes[NALU_DEFERRED_COUNT];
    const int count = nalu_deferred_changes(encoder, from, to, changes);
    return count < 0 ? NALU_STATUS_OUT_OF_RANGE : nalu_session_set_properties(encoder, changes, (size_t)count);
}
