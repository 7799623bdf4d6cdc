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
    [NALU_WISH_EXPECTED_FRAME_RATE] = {NALU_PROPERTY_EXPECTED_FRAME_RATE, NALU_PROPERTY_TYPE_DOUBLE, true},
    [NALU_WISH_QUALITY] = {NALU_PROPERTY_QUALITY, NALU_PROPERTY_TYPE_DOUBLE, true},
    [NALU_WISH_REAL_TIME] = {NALU_PROPERTY_REAL_TIME, NALU_PROPERTY_TYPE_BOOL, true},
    [NALU_WISH_MAXIMIZE_POWER_EFFICIENCY] =
        {NALU_PROPERTY_MAXIMIZE_POWER_EFFICIENCY, NALU_PROPERTY_TYPE_BOOL, true},
    /* What the stream does is read back: clients derive from it how much decode times lag. */
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

bool nalu_wish_is_read_back(enum nalu_wish wish) { return table[wish].read_back; }

/* What the encoder is given: NaN for its default. */
static void resolve(const struct nalu_wishes *wishes, double values[NALU_WISH_COUNT]) {
    memcpy(values, wishes->values, sizeof wishes->values);
    /* Filler data fills frames up to a size that only a frame rate gives. */
    if (values[NALU_WISH_CONSTANT_BIT_RATE] > 0 && !(values[NALU_WISH_EXPECTED_FRAME_RATE] > 0)) {
        if (!(values[NALU_WISH_AVERAGE_BIT_RATE] > 0))
            values[NALU_WISH_AVERAGE_BIT_RATE] = values[NALU_WISH_CONSTANT_BIT_RATE];
        values[NALU_WISH_CONSTANT_BIT_RATE] = NAN;
    }
    /* Programs set a quality by habit, together with the rate that they mean. */
    if (values[NALU_WISH_AVERAGE_BIT_RATE] > 0 || values[NALU_WISH_CONSTANT_BIT_RATE] > 0 ||
        values[NALU_WISH_VARIABLE_BIT_RATE] > 0 || wishes->several_passes)
        values[NALU_WISH_QUALITY] = NAN;
    if (values[NALU_WISH_REAL_TIME] == 1) values[NALU_WISH_MAXIMIZE_POWER_EFFICIENCY] = NAN;
    /* Where something else excludes reordering, allowing it is not an error; the default is to allow it. */
    if (values[NALU_WISH_ALLOW_FRAME_REORDERING] == 1) values[NALU_WISH_ALLOW_FRAME_REORDERING] = NAN;
}
static bool equal(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

nalu_status nalu_wishes_apply(nalu_compression_session *encoder, const struct nalu_wishes *from,
    const struct nalu_wishes *to) {
    double before[NALU_WISH_COUNT], after[NALU_WISH_COUNT];
    nalu_property changes[NALU_WISH_COUNT];
    size_t count = 0;
    /* A quality that has no effect now may have one later. */
    const double quality = to->values[NALU_WISH_QUALITY];
    if (quality < 0 || quality > 1) return NALU_STATUS_OUT_OF_RANGE;
    resolve(from, before);
    resolve(to, after);
    for (int i = 0; i < NALU_WISH_COUNT; i++) {
        if (equal(before[i], after[i])) continue;
        nalu_property *change = &changes[count++];
        *change = (nalu_property){.key = table[i].key, .type = table[i].type};
        if (isnan(after[i])) change->type = NALU_PROPERTY_TYPE_UNSET;
        if (isnan(after[i])) continue;
        if (change->type == NALU_PROPERTY_TYPE_DOUBLE) change->number = after[i];
        else change->integer = after[i] >= 0x1p62 ? INT64_MAX : after[i] <= -0x1p62 ? INT64_MIN : llround(after[i]);
    }
    return nalu_session_set_properties(encoder, changes, count);
}
