#include "wishes.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *key;
    int32_t type;
    bool read_back;
} table[NALU_WISH_COUNT] = {
    [NALU_WISH_AVERAGE_BIT_RATE] = {NALU_PROPERTY_AVERAGE_BIT_RATE, NALU_PROPERTY_TYPE_INT64, true},
    [NALU_WISH_CONSTANT_BIT_RATE] = {NALU_PROPERTY_CONSTANT_BIT_RATE, NALU_PROPERTY_TYPE_INT64, true},
    [NALU_WISH_VARIABLE_BIT_RATE] = {NALU_PROPERTY_VARIABLE_BIT_RATE, NALU_PROPERTY_TYPE_INT64, true},
    [NALU_WISH_SOURCE_FRAME_COUNT] = {NALU_PROPERTY_SOURCE_FRAME_COUNT, NALU_PROPERTY_TYPE_INT64, true},
    [NALU_WISH_EXPECTED_DURATION] = {NALU_PROPERTY_EXPECTED_DURATION, NALU_PROPERTY_TYPE_DOUBLE, true},
    [NALU_WISH_VBV_MAX_BIT_RATE] = {NALU_PROPERTY_VBV_MAX_BIT_RATE, NALU_PROPERTY_TYPE_INT64, true},
    [NALU_WISH_VBV_BUFFER_DURATION] = {NALU_PROPERTY_VBV_BUFFER_DURATION, NALU_PROPERTY_TYPE_DOUBLE, true},
    [NALU_WISH_VBV_INITIAL_DELAY_PERCENTAGE] =
        {NALU_PROPERTY_VBV_INITIAL_DELAY_PERCENTAGE, NALU_PROPERTY_TYPE_DOUBLE, true},
    [NALU_WISH_EXPECTED_FRAME_RATE] = {NALU_PROPERTY_EXPECTED_FRAME_RATE, NALU_PROPERTY_TYPE_DOUBLE, true},
    [NALU_WISH_QUALITY] = {NALU_PROPERTY_QUALITY, NALU_PROPERTY_TYPE_DOUBLE, true},
    [NALU_WISH_CONSTANT_QUALITY_FACTOR] =
        {NALU_PROPERTY_CONSTANT_QUALITY_FACTOR, NALU_PROPERTY_TYPE_DOUBLE, true},
    [NALU_WISH_MAX_FRAME_DELAY_COUNT] = {NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, NALU_PROPERTY_TYPE_INT64, true},
    [NALU_WISH_MAX_LOOK_AHEAD_FRAME_COUNT] =
        {NALU_PROPERTY_MAX_LOOK_AHEAD_FRAME_COUNT, NALU_PROPERTY_TYPE_INT64, false},
    [NALU_WISH_REAL_TIME] = {NALU_PROPERTY_REAL_TIME, NALU_PROPERTY_TYPE_BOOL, true},
    [NALU_WISH_MAXIMIZE_POWER_EFFICIENCY] =
        {NALU_PROPERTY_MAXIMIZE_POWER_EFFICIENCY, NALU_PROPERTY_TYPE_BOOL, true},
    /* The stream's own reordering is read back, because clients compute the lag of decode times from it. */
    [NALU_WISH_ALLOW_FRAME_REORDERING] = {NALU_PROPERTY_ALLOW_FRAME_REORDERING, NALU_PROPERTY_TYPE_BOOL, false},
};

void nalu_wishes_init(struct nalu_wishes *wishes) {
    for (int i = 0; i < NALU_WISH_COUNT; i++) wishes->values[i] = NAN;
    wishes->several_passes = false;
}

enum nalu_wish nalu_wish_of_key(const char *key) {
    int wish = 0;
    while (wish < NALU_WISH_COUNT && strcmp(table[wish].key, key) != 0) wish++;
    return (enum nalu_wish)wish;
}

const char *nalu_wish_key(enum nalu_wish wish) { return table[wish].key; }

bool nalu_wish_is_read_back(enum nalu_wish wish) { return table[wish].read_back; }

/* Properties that have no effect without another one: an average bit rate for the first list, VariableBitRate for the
 * second. */
static const enum nalu_wish of_clip[] = {NALU_WISH_SOURCE_FRAME_COUNT, NALU_WISH_EXPECTED_DURATION};
static const enum nalu_wish of_bucket[] = {
    NALU_WISH_VBV_MAX_BIT_RATE, NALU_WISH_VBV_BUFFER_DURATION, NALU_WISH_VBV_INITIAL_DELAY_PERCENTAGE};

enum { OF_CLIP = sizeof of_clip / sizeof *of_clip, OF_BUCKET = sizeof of_bucket / sizeof *of_bucket };

/* Computes the values that the encoder receives; NaN stands for the default. */
static void resolve(const struct nalu_wishes *wishes, double values[NALU_WISH_COUNT]) {
    memcpy(values, wishes->values, sizeof wishes->values);
    /* Constant bit rate needs the frame rate, because filler data fills each frame up to a size. Without it, the rate
     * becomes an average. */
    if (values[NALU_WISH_CONSTANT_BIT_RATE] > 0 && !(values[NALU_WISH_EXPECTED_FRAME_RATE] > 0)) {
        if (!(values[NALU_WISH_AVERAGE_BIT_RATE] > 0))
            values[NALU_WISH_AVERAGE_BIT_RATE] = values[NALU_WISH_CONSTANT_BIT_RATE];
        values[NALU_WISH_CONSTANT_BIT_RATE] = NAN;
    }
    /* The clip's length serves to plan an average bit rate. Several passes plan the bits without it. */
    if (!(values[NALU_WISH_AVERAGE_BIT_RATE] > 0) || wishes->several_passes)
        for (size_t i = 0; i < OF_CLIP; i++) values[of_clip[i]] = NAN;
    if (!(values[NALU_WISH_VARIABLE_BIT_RATE] > 0))
        for (size_t i = 0; i < OF_BUCKET; i++) values[of_bucket[i]] = NAN;
    /* Programs often set a quality by habit in addition to the rate that they want, so the rate wins. */
    if (values[NALU_WISH_AVERAGE_BIT_RATE] > 0 || values[NALU_WISH_CONSTANT_BIT_RATE] > 0 ||
        values[NALU_WISH_VARIABLE_BIT_RATE] > 0 || !isnan(values[NALU_WISH_CONSTANT_QUALITY_FACTOR]) ||
        wishes->several_passes)
        values[NALU_WISH_QUALITY] = NAN;
    if (isnan(values[NALU_WISH_MAX_LOOK_AHEAD_FRAME_COUNT]) && isnan(values[NALU_WISH_MAX_FRAME_DELAY_COUNT]) &&
        !wishes->several_passes)
        values[NALU_WISH_MAX_LOOK_AHEAD_FRAME_COUNT] = NALU_USUAL_LOOK_AHEAD;
    if (values[NALU_WISH_REAL_TIME] == 1) values[NALU_WISH_MAXIMIZE_POWER_EFFICIENCY] = NAN;
    /* Allowing reordering is the default. It is not an error if another property excludes reordering. */
    if (values[NALU_WISH_ALLOW_FRAME_REORDERING] == 1) values[NALU_WISH_ALLOW_FRAME_REORDERING] = NAN;
}

/* Checks values that have no effect now, because they may have one later. */
static bool is_in_range(enum nalu_wish wish, double value) {
    nalu_property_info info = {.struct_size = sizeof info};
    if (isnan(value) || nalu_property_get_info(table[wish].key, &info) != NALU_STATUS_OK) return true;
    return value >= info.minimum && value <= info.maximum;
}

static bool are_in_range(const double values[NALU_WISH_COUNT]) {
    bool all = is_in_range(NALU_WISH_QUALITY, values[NALU_WISH_QUALITY]);
    for (size_t i = 0; i < OF_CLIP; i++) all = all && is_in_range(of_clip[i], values[of_clip[i]]);
    for (size_t i = 0; i < OF_BUCKET; i++) all = all && is_in_range(of_bucket[i], values[of_bucket[i]]);
    return all;
}

static bool equal(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

bool nalu_wishes_have_effect(const struct nalu_wishes *from, const struct nalu_wishes *to) {
    double before[NALU_WISH_COUNT], after[NALU_WISH_COUNT];
    resolve(from, before);
    resolve(to, after);
    for (int i = 0; i < NALU_WISH_COUNT; i++)
        if (!equal(before[i], after[i])) return true;
    return false;
}

int nalu_wishes_changes(const struct nalu_wishes *from, const struct nalu_wishes *to,
    nalu_property changes[NALU_WISH_COUNT]) {
    double before[NALU_WISH_COUNT], after[NALU_WISH_COUNT];
    int count = 0;
    if (!are_in_range(to->values)) return -1;
    resolve(from, before);
    resolve(to, after);
    for (int i = 0; i < NALU_WISH_COUNT; i++) {
        if (equal(before[i], after[i])) continue;
        nalu_property *change = &changes[count++];
        *change = (nalu_property){.key = table[i].key, .type = table[i].type};
        if (isnan(after[i])) change->type = NALU_PROPERTY_TYPE_UNSET;
        else if (change->type == NALU_PROPERTY_TYPE_DOUBLE) change->number = after[i];
        else change->integer = after[i] >= 0x1p62 ? INT64_MAX : after[i] <= -0x1p62 ? INT64_MIN : llround(after[i]);
    }
    return count;
}

nalu_status nalu_wishes_apply(nalu_compression_session *encoder, const struct nalu_wishes *from,
    const struct nalu_wishes *to) {
    nalu_property changes[NALU_WISH_COUNT];
    const int count = nalu_wishes_changes(from, to, changes);
    return count < 0 ? NALU_STATUS_OUT_OF_RANGE : nalu_session_set_properties(encoder, changes, (size_t)count);
}
