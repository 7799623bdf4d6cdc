/*
 * Pictures with lost slices, as in a network that loses a part of an access unit. With
 * NALU_DECODER_DROP_UNTIL_KEY_FRAME every shown picture equals the undamaged stream's, bit for bit. Without the
 * flag all other pictures are marked. NALU_DAMAGE_SEEDS sets the number of rounds.
 */
#include "damage_support.h"

static decode_recorder all = DECODE_RECORDER_INIT;
static movie carphone;
static int seeds = IS_SANITIZED ? 4 : 12;
static damage_count count;

static size_t unit_size(const uint8_t *at) {
    return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | (size_t)at[3];
}

/* Returns true if the NAL unit is a slice. `unit` begins with its length. */
static bool is_slice(const uint8_t *unit, bool is_hevc) {
    return is_hevc ? (unit[4] >> 1 & 63) < 32 : (unit[4] & 31) == 1 || (unit[4] & 31) == 5;
}

static bool is_hevc(const nalu_sample *sample) {
    return nalu_format_description_get_codec(nalu_sample_get_format_description(sample)) == NALU_CODEC_HEVC;
}

static size_t slices_of(const nalu_sample *sample) {
    size_t size = 0, slices = 0;
    const uint8_t *bytes = nalu_sample_get_data(sample, &size);
    for (size_t at = 0; at + 4 < size; at += 4 + unit_size(bytes + at)) slices += is_slice(bytes + at, is_hevc(sample));
    return slices;
}

/* Returns the sample without the slices whose `is_lost` is true; NULL if no slice is left. */
static nalu_sample *without_slices(nalu_sample *sample, const bool is_lost[]) {
    size_t size = 0, used = 0, number = 0, left = 0;
    const uint8_t *bytes = nalu_sample_get_data(sample, &size);
    uint8_t *copy = (uint8_t *)malloc(size);
    REQUIRE(copy);
    for (size_t at = 0; at + 4 < size; at += 4 + unit_size(bytes + at)) {
        bool slice = is_slice(bytes + at, is_hevc(sample));
        if (slice && is_lost[number++]) continue;
        left += slice;
        memcpy(copy + used, bytes + at, 4 + unit_size(bytes + at));
        used += 4 + unit_size(bytes + at);
    }
    nalu_sample *made = left > 0 ? sample_with(sample, copy, used) : NULL;
    REQUIRE(left == 0 || made);
    free(copy);
    return made;
}

/* Loses one slice in `one_in`. */
static void lose_slices(const material *it, bool drops, uint32_t seed, uint32_t one_in) {
    bool is_asynchronous = seed / 3 % 2;
    nalu_decompression_session *session = make_decoder_with(
        clip_format(&it->c), drops ? NALU_DECODER_DROP_UNTIL_KEY_FRAME : 0, seed % 3 + 1, record_decoded, &all);
    size_t given = 0;
    start_random(seed);
    for (size_t i = 0; i < (size_t)it->c.count; i++) {
        bool is_lost[512];
        size_t slices = slices_of(it->c.samples[i]);
        REQUIRE(slices <= 512);
        for (size_t slice = 0; slice < slices; slice++) is_lost[slice] = next_random() % one_in == 0;
        nalu_sample *sample = without_slices(it->c.samples[i], is_lost);
        if (!sample) continue;
        given++;
        CHECK_OK(nalu_decompression_session_decode_frame(session, sample, is_asynchronous ? ASYNCHRONOUS : 0, FRAME(i),
                                                         NULL));
        nalu_sample_release(sample);
    }
    finish_and_check(session, &all, it, drops, given, &count);
}

static void lose_slices_often(const material *it, const char *name, uint32_t one_in) {
    size_t slices = 0;
    for (int32_t i = 0; i < it->c.count; i++) slices += slices_of(it->c.samples[i]);
    count = (damage_count){0, 0};
    for (int seed = 1; seed <= seeds; seed++) lose_slices(it, true, (uint32_t)seed, one_in);
    size_t kept = count.shown;
    count = (damage_count){0, 0};
    for (int seed = 1; seed <= seeds; seed++) lose_slices(it, false, (uint32_t)seed, one_in);
    printf("  %s, %zu slices: %zu of %d shown; %zu wrong of %zu with the mark\n", name, slices, kept,
           seeds * it->c.count, count.wrong, count.shown);
    CHECK(kept > (size_t)(seeds * it->c.count) / 20);
    CHECK(count.wrong > 0);
}

enum { CAVLC = 1, OPEN_GOP = 2 };

static void lose_slices_of(const char *parameters, int64_t interval, int64_t slice_bytes, unsigned how) {
    static material it;
    material_open(&it, &carphone, parameters, interval);
    if (slice_bytes > 0)
        REQUIRE_OK(nalu_session_set_int64(it.c.session, NALU_PROPERTY_MAX_H264_SLICE_BYTES, slice_bytes));
    if (how & CAVLC) REQUIRE_OK(nalu_session_set_string(it.c.session, NALU_PROPERTY_H264_ENTROPY_MODE, "CAVLC"));
    if (how & OPEN_GOP) REQUIRE_OK(nalu_session_set_bool(it.c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, 1));
    material_make(&it, &carphone);
    lose_slices_often(&it, parameters, slice_bytes > 0 ? 40 : 20);
    material_drop(&it);
}

static void no_h264_picture_without_a_slice_is_displayed(void) {
    lose_slices_of("threads=1:trellis=0:slices=4:bframes=0:ref=2:scenecut=0", 8, 0, 0);
    lose_slices_of("threads=1:trellis=0:slices=4:bframes=3:b-adapt=0:b-pyramid=normal:ref=3:scenecut=0", 12, 0, 0);
    lose_slices_of("threads=1:trellis=0:slices=3:bframes=2:b-adapt=0:b-pyramid=none:scenecut=0", 10, 0, CAVLC);
    lose_slices_of("threads=1:trellis=0:bframes=2:b-adapt=0:b-pyramid=strict:scenecut=0", 10, 600, 0);
    lose_slices_of("threads=1:trellis=0:slices=2:bframes=3:b-adapt=0:b-pyramid=normal:scenecut=0", 10, 0, OPEN_GOP);
}

static void no_h265_picture_without_a_slice_is_displayed(void) {
    static material it;
    const char *raw = test_path("clip.yuv"), *path = test_path("clip.mp4");
    FILE *file = fopen(raw, "wb");
    REQUIRE(file && fwrite(carphone.pixels, carphone.frame_size, (size_t)carphone.frames, file) == (size_t)carphone.frames);
    fclose(file);
    int status = 1;
    char *said = media_run(&status,
        "ffmpeg -nostdin -v error -f rawvideo -pix_fmt yuv420p -s %dx%d -r 30 -i '%s' -c:v libx265 -preset veryfast"
        " -x265-params log-level=none:info=0:pools=1:frame-threads=1:slices=3:keyint=12 -tag:v hvc1 -y '%s' 2>&1",
        carphone.width, carphone.height, raw, path);
    if (!CHECK_EQ(status, 0)) fputs(said, stderr);
    nalu_reader *reader = NULL;
    nalu_sample *sample = NULL;
    REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    while (it.c.count < CLIP_MOST && nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK)
        it.c.samples[it.c.count++] = sample;
    nalu_reader_release(reader);
    REQUIRE(CHECK_EQ(it.c.count, carphone.frames));
    material_decode_whole(&it);
    lose_slices_often(&it, "x265, slices=3", 20);
    decoded_clear(&it.whole);
    for (int32_t i = 0; i < it.c.count; i++) nalu_sample_release(it.c.samples[i]);
}

int main(void) {
    const char *asked = getenv("NALU_DAMAGE_SEEDS");
    if (asked && atoi(asked) > 0) seeds = atoi(asked);
    carphone = movie_load("carphone_pristine", 176, 144, 96, 30, 1);
    RUN(no_h264_picture_without_a_slice_is_displayed);
    RUN(no_h265_picture_without_a_slice_is_displayed);
    free(carphone.pixels);
    return check_result();
}
