/* Intra refresh on demand: FFmpeg, started at the recovery point, shows the same pictures after
 * recovery_frame_cnt frames. */
#include "clip.h"
#include "ffmpeg.h"
#include "refusal.h"

enum { W = 176, H = 144, COLUMNS = W / 16 };

static void encode(clip *c, uint32_t flags) {
    REQUIRE_OK(clip_encode_at(c, nalu_time_make(c->fed, 30), nalu_time_make(1, 30), flags));
}

static void make(clip *c, const char *more) {
    clip_open(c, W, H);
    c->noise = 60;
    REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_ALLOW_INTRA_REFRESH, 1));
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, more));
}

/* Returns recovery_frame_cnt of the sample's recovery point message (ITU-T H.264 D.1.8); -1 without one. */
static int recovery_count(const nalu_sample *sample) {
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        size_t size = 0, bit = 24;
        const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
        if ((nal[0] & 31) == NALU_NAL_SEI && size > 3 && nal[1] == 6) return (int)bits_ue(nal, size, &bit);
    }
    return -1;
}

static size_t size_of(const nalu_sample *sample) {
    size_t size = 0;
    (void)nalu_sample_get_data(sample, &size);
    return size;
}

static void check_starts(const clip *c, const int32_t starts[], int count, const char *what) {
    for (int32_t i = 0; i < c->count; i++) {
        bool begins = false;
        for (int k = 0; k < count; k++) begins |= starts[k] == i;
        char where[200];
        snprintf(where, sizeof where, "%s: frame %d", what, (int)i);
        check_that(nalu_sample_is_key_frame(c->samples[i]) == (i == 0), __FILE__, __LINE__, "key frame", where);
        check_that(!!(nalu_sample_get_attachments(c->samples[i]) & NALU_SAMPLE_PARTIAL_SYNC) == begins, __FILE__,
            __LINE__, "partial sync", where);
        check_that(recovery_count(c->samples[i]) == (begins ? COLUMNS - 2 : -1), __FILE__, __LINE__, "recovery point", where);
    }
}

static void check_decoding_from(const clip *c, int32_t start, const pictures *all, const char *what) {
    stream_file stream;
    stream_open(&stream);
    for (int32_t i = start; i < c->count; i++)
        stream_add(&stream, c->samples[i],
            i == start ? NALU_ANNEX_B_PARAMETER_SETS_ALWAYS : NALU_ANNEX_B_NO_PARAMETER_SETS);
    pictures some = stream_decode(&stream, W, H);
    /* A decoder may drop the first pictures. */
    const int32_t missing = c->count - start - some.count;
    const int32_t whole = start + recovery_count(c->samples[start]);
    REQUIRE(check_that(missing >= 0 && missing <= COLUMNS, __FILE__, __LINE__, "pictures", what));
    for (int32_t i = whole; i < c->count; i++) {
        char where[200];
        snprintf(where, sizeof where, "%s: from %d, frame %d", what, (int)start, (int)i);
        if (check_that(i - start - missing >= 0, __FILE__, __LINE__, "shown", where))
            check_that(same_picture(all, i, &some, i - start - missing), __FILE__, __LINE__, "the whole stream's", where);
    }
    pictures_free(&some);
    stream_close(&stream);
}

static void try_mode(const char *properties) {
    static const int32_t starts[] = {20, 45, 56};
    size_t largest = 0;
    clip c;
    make(&c, properties);
    /* The refresh requested at frame 47 waits until that of frame 45 is complete. */
    const int32_t frames = strstr(properties, "slow") ? 120 : 300;
    for (int32_t i = 0; i < frames; i++)
        encode(&c, i == 20 || i == 45 || i == 47 ? NALU_FRAME_BEGIN_INTRA_REFRESH : 0);
    clip_finish(&c);
    /* The next refresh begins when the intra column has reached the right edge. */
    int32_t second = 0;
    for (int32_t i = 46; i < 70; i++)
        if (nalu_sample_get_attachments(c.samples[i]) & NALU_SAMPLE_PARTIAL_SYNC) second = i;
    CHECK(second >= 45 + COLUMNS - 2 && second <= 45 + COLUMNS);
    const int32_t found[] = {starts[0], starts[1], second};
    check_starts(&c, found, 3, properties);
    stream_file stream;
    stream_open(&stream);
    for (int32_t i = 0; i < c.count; i++) stream_add(&stream, c.samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    pictures all = stream_decode(&stream, W, H);
    REQUIRE(CHECK_EQ(all.count, c.count));
    for (int k = 0; k < 3; k++) check_decoding_from(&c, found[k], &all, properties);
    for (int32_t i = 1; i < c.count; i++) largest = size_of(c.samples[i]) > largest ? size_of(c.samples[i]) : largest;
    if (getenv("NALU_TEST_SHOW"))
        printf("%s: key frame %zu bytes, largest other %zu, mean %zu\n", properties, size_of(c.samples[0]), largest,
            clip_bytes(&c) / (size_t)c.count);
    pictures_free(&all);
    stream_close(&stream);
    clip_close(&c);
}

static void pictures_are_exact_after_an_intra_refresh(void) {
    try_mode("");
    try_mode("RealTime=true,AverageBitRate=500000");
    try_mode("x264.preset=ultrafast,RealTime=true");
    try_mode("x264.preset=slow,NaluAllowMultipleSlices=false");
    try_mode("ProfileLevel=H264_Baseline_AutoLevel,MaxH264SliceBytes=900");
}

/* A refresh replaces a key frame without its size. */
static void an_intra_refresh_is_smaller_than_a_key_frame(void) {
    size_t key = 0, refresh = 0;
    for (int forced = 0; forced < 2; forced++) {
        clip c;
        make(&c, "RealTime=true,Quality=0.5");
        for (int32_t i = 0; i < 60; i++)
            encode(&c, i != 30 ? 0 : forced ? NALU_FRAME_FORCE_KEY_FRAME : NALU_FRAME_BEGIN_INTRA_REFRESH);
        clip_finish(&c);
        CHECK_EQ(nalu_sample_is_key_frame(c.samples[30]), forced);
        for (int32_t i = 30; i < 45; i++) {
            size_t *most = forced ? &key : &refresh;
            if (size_of(c.samples[i]) > *most) *most = size_of(c.samples[i]);
        }
        clip_close(&c);
    }
    if (getenv("NALU_TEST_SHOW")) printf("largest with a key frame %zu bytes, with a refresh %zu\n", key, refresh);
    CHECK(refresh * 3 < key * 2);
}

static void an_intra_refresh_does_not_move_key_frames(void) {
    clip c;
    make(&c, "MaxKeyFrameInterval=40");
    for (int32_t i = 0; i < 100; i++) encode(&c, i == 30 ? NALU_FRAME_BEGIN_INTRA_REFRESH : 0);
    clip_finish(&c);
    for (int32_t i = 0; i < 100; i++) CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i % 40 == 0);
    clip_close(&c);
}

static void settings_that_intra_refresh_excludes_are_refused(void) {
    int32_t value = -1;
    clip c;
    clip_open(&c, W, H);
    CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_ALLOW_INTRA_REFRESH, &value));
    CHECK_EQ(value, 0);
    REFUSED(clip_encode_at(&c, nalu_time_zero(), nalu_time_invalid(), NALU_FRAME_BEGIN_INTRA_REFRESH), NALU_STATUS_CONFLICT,
        "NaluAllowIntraRefresh");
    encode(&c, 0);
    REFUSED(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_INTRA_REFRESH, 1), NALU_STATUS_TOO_LATE,
        "NaluAllowIntraRefresh");
    clip_finish(&c);
    clip_close(&c);
    static const char *conflicts[] = {"AllowFrameReordering=true", "SuggestedLookAheadFrameCount=5", "ReferenceBufferCount=2",
        "x264.params=\"ref=2\"", "x264.params=\"bframes=2\"", "x264.params=\"keyint=30\"", "EnableLTR=true"};
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        make(&c, "");
        REFUSED(nalu_session_set_properties_from_text(c.session, conflicts[i]), NALU_STATUS_CONFLICT, "NaluAllowIntraRefresh");
        clip_close(&c);
    }
    clip_open(&c, W, H);
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "intra-refresh=1"), NALU_STATUS_OUT_OF_RANGE,
        "NaluAllowIntraRefresh");
    clip_close(&c);
}

int main(void) {
    RUN(pictures_are_exact_after_an_intra_refresh);
    RUN(an_intra_refresh_is_smaller_than_a_key_frame);
    RUN(an_intra_refresh_does_not_move_key_frames);
    RUN(settings_that_intra_refresh_excludes_are_refused);
    return check_result();
}
