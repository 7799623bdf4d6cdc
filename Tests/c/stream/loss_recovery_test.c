/* EnableLTR over a channel that loses samples. From each refresh on, FFmpeg decodes the received samples bit by
 * bit as it decodes the complete stream, and with temporal layers also those of the base layer alone. */
#include "clip.h"
#include "ffmpeg.h"
#include "refusal.h"

enum { W = 112, H = 96, FRAMES = 90 };

static uint32_t state;
static uint32_t chance(uint32_t most) { return (state = state * 1664525u + 1013904223u) / 65536 % most; }

/* Opens a session that delivers each frame before its encode call returns. */
static void make(clip *c, const char *more) {
    clip_open(c, W, H);
    c->noise = 40;
    REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_ENABLE_LTR, 1));
    REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 0));
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, more));
}

static size_t size_of(const nalu_sample *sample) {
    size_t size = 0;
    (void)nalu_sample_get_data(sample, &size);
    return size;
}

typedef struct run {
    int refreshes, key_frames; /* all refreshes, and those that became key frames */
    size_t refresh_bytes;      /* of refreshes that are no key frames */
    size_t key_bytes;          /* of the first frame */
    int received, decodable, shown, right, wrong;
} run;

/* Decodes the received samples, whose places are in `places` (-1: not received), and compares the pictures with those of the
 * whole stream. */
static void judge(stream_file *it, const int64_t places[], const bool decodable[], const pictures *all, const char *what, run *result) {
    int64_t shown[FRAMES];
    char text[260];
    pictures some = stream_decode_at(it, W, H, shown, FRAMES);
    int32_t same = 0, right = 0, wanted = 0;
    for (int32_t i = 0; i < FRAMES; i++) result->received += places[i] >= 0, wanted += places[i] >= 0 && decodable[i];
    for (int32_t k = 0; k < some.count; k++) {
        int32_t i = 0;
        while (i < FRAMES && places[i] != shown[k]) i++;
        if (!check_that(i < FRAMES, __FILE__, __LINE__, "a picture of a sample", what)) break;
        const bool equal = same_picture(all, i, &some, k);
        same += equal, right += decodable[i];
        snprintf(text, sizeof text, "%s: frame %d", what, (int)i);
        if (decodable[i]) check_that(equal, __FILE__, __LINE__, "the picture of the whole stream", text);
    }
    CHECK(right <= same);
    /* All decodable pictures are shown. FFmpeg also shows pictures from other samples, unless they follow a
     * lost key frame. */
    snprintf(text, sizeof text, "%s: %d of %d", what, (int)right, (int)wanted);
    check_that(right == wanted, __FILE__, __LINE__, "all decodable pictures are shown", text);
    result->shown += some.count, result->right += right, result->wrong += some.count - same, result->decodable += wanted;
    pictures_free(&some);
}

/*
 * Simulates a channel that loses one of `one_in` samples and acknowledgements, with a round trip of `delay`
 * frames. The receiver reports for each frame what it received. It can decode a received frame if it could
 * decode the reference that the sample names.
 */
static run try_channel(uint32_t seed, const char *properties, int32_t delay, uint32_t one_in) {
    run result = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    bool lost[FRAMES], decodable[FRAMES], refreshed[FRAMES];
    clip c;
    make(&c, properties);
    state = seed * 2654435761u + 1;
    stream_file whole, rest, base;
    stream_open(&whole);
    stream_open(&rest);
    stream_open(&base);
    int64_t places[FRAMES], base_places[FRAMES];
    int32_t broken_since = -1;
    for (int32_t i = 0; i < FRAMES; i++) {
        int64_t tokens[FRAMES];
        uint32_t count = 0;
        bool told = false;
        /* The receiver's report on frame i - delay arrives now. */
        if (i >= delay && delay > 0) {
            const int32_t then = i - delay;
            if (decodable[then] && chance(one_in) != 0)
                tokens[count++] = nalu_sample_get_ltr_acknowledgement_token(c.samples[then]);
            /* A loss is reported repeatedly until a later refresh is decoded. */
            told = broken_since >= 0 && !decodable[then] && broken_since <= then;
        }
        /* No refresh is requested while an earlier one is on its way. */
        if (told)
            for (int32_t k = i - 1; k >= 0 && k > i - delay; k--)
                if (refreshed[k]) told = false;
        REQUIRE_OK(clip_encode_ltr(&c, told ? NALU_FRAME_FORCE_LTR_REFRESH : 0, count ? tokens : NULL, count));
        REQUIRE(CHECK_EQ(c.count, i + 1));
        const nalu_sample *sample = c.samples[i];
        CHECK_EQ(nalu_sample_get_ltr_acknowledgement_token(sample), i);
        const bool key = nalu_sample_is_key_frame(sample) != 0;
        refreshed[i] = told;
        if (told) {
            result.refreshes++;
            result.key_frames += key;
            if (!key) result.refresh_bytes += size_of(sample);
        }
        lost[i] = i > 0 && chance(one_in) == 0;
        const int64_t reference = nalu_sample_get_ltr_reference_token(sample);
        REQUIRE(CHECK(reference >= -1 && reference < i));
        CHECK_EQ(reference < 0, !(nalu_sample_get_attachments(sample) & NALU_SAMPLE_DEPENDS_ON_OTHERS));
        decodable[i] = !lost[i] && (reference < 0 || decodable[reference]);
        /* A refresh is decodable unless it refers to a key frame whose acknowledgement is on its way. */
        if (told && reference >= 0 && !decodable[reference]) CHECK(nalu_sample_is_key_frame(c.samples[reference]));
        if (!decodable[i] && broken_since < 0) broken_since = i;
        if (decodable[i]) broken_since = -1;
        stream_add(&whole, sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
        places[i] = lost[i] ? -1 : (int64_t)ftello(rest.file);
        if (!lost[i]) stream_add(&rest, sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
        const bool is_base = (nalu_sample_get_attachments(sample) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) != 0;
        base_places[i] = lost[i] || !is_base ? -1 : (int64_t)ftello(base.file);
        if (!lost[i] && is_base) stream_add(&base, sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    }
    result.key_bytes = size_of(c.samples[0]);
    pictures all = stream_decode(&whole, W, H);
    char what[160];
    snprintf(what, sizeof what, "%s, delay %d, seed %u", properties, (int)delay, (unsigned)seed);
    CHECK_EQ(all.count, FRAMES);
    judge(&rest, places, decodable, &all, what, &result);
    if (strstr(properties, NALU_PROPERTY_BASE_LAYER_FRAME_RATE_FRACTION)) {
        snprintf(what, sizeof what, "the base layer of %s, delay %d, seed %u", properties, (int)delay, (unsigned)seed);
        judge(&base, base_places, decodable, &all, what, &result);
    }
    if (getenv("NALU_TEST_SHOW"))
        printf("%s, delay %d, 1 in %u lost: %d refreshes, %d of them key frames, the others %zu bytes each, key frame %zu; "
               "%d pictures right of %d\n", properties, (int)delay, (unsigned)one_in, result.refreshes, result.key_frames,
            result.refreshes > result.key_frames ? result.refresh_bytes / (size_t)(result.refreshes - result.key_frames) : 0,
            result.key_bytes, result.shown - result.wrong, result.shown);
    pictures_free(&all);
    stream_close(&whole);
    stream_close(&rest);
    stream_close(&base);
    clip_close(&c);
    return result;
}

static void refreshes_recover_from_losses(void) {
    static const char *properties[] = {"", "RealTime=true,AverageBitRate=300000", "x264.preset=ultrafast",
        "ProfileLevel=H264_ConstrainedBaseline_AutoLevel,NaluAllowMultipleSlices=false",
        "RealTime=true,MaxH264SliceBytes=1200"};
    static const int32_t delays[] = {1, 2, 4, 6};
    run all = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (uint32_t seed = 0; seed < 20; seed++) {
        run one = try_channel(seed, properties[seed % 5], delays[seed / 5], 9);
        all.refreshes += one.refreshes;
        all.key_frames += one.key_frames;
        all.refresh_bytes += one.refresh_bytes;
        all.key_bytes += one.key_bytes / 20;
        all.received += one.received, all.decodable += one.decodable, all.shown += one.shown;
        all.right += one.right, all.wrong += one.wrong;
    }
    /* The test is effective: pictures that were not decodable did differ. */
    CHECK(all.wrong > 50);
    CHECK(all.right == all.decodable && all.right * 10 > all.received * 6);
    if (getenv("NALU_TEST_SHOW"))
        printf("%d refreshes, %d of them key frames; of %d samples %d are shown, %d to be right, %d wrong\n", all.refreshes,
            all.key_frames, all.received, all.shown, all.right, all.wrong);
    /* Most refreshes are P frames, and smaller than key frames. */
    CHECK(all.refreshes > 60);
    CHECK(all.key_frames * 3 < all.refreshes);
    CHECK(all.refresh_bytes / (size_t)(all.refreshes - all.key_frames) < all.key_bytes * 3 / 4);
}

/* Frames outside the base layer are lost without harm. A refresh refers to an acknowledged frame of the base layer. */
static void layers_recover_from_losses(void) {
    static const char *properties[] = {"BaseLayerFrameRateFraction=0.5", "BaseLayerFrameRateFraction=0.25",
        "RealTime=true,AverageBitRate=300000,BaseLayerFrameRateFraction=0.5,BaseLayerBitRateFraction=0.7",
        "ProfileLevel=H264_ConstrainedBaseline_AutoLevel,BaseLayerFrameRateFraction=0.25,ReferenceBufferCount=14"};
    static const int32_t delays[] = {1, 3};
    run all = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (uint32_t seed = 0; seed < 8; seed++) {
        run one = try_channel(seed, properties[seed % 4], delays[seed / 4], 9);
        all.refreshes += one.refreshes, all.key_frames += one.key_frames;
        all.received += one.received, all.decodable += one.decodable, all.right += one.right, all.wrong += one.wrong;
    }
    if (getenv("NALU_TEST_SHOW"))
        printf("layers: %d refreshes, %d of them key frames; %d of %d samples decodable, %d right, %d wrong\n", all.refreshes,
            all.key_frames, all.decodable, all.received, all.right, all.wrong);
    CHECK(all.wrong > 10 && all.right == all.decodable && all.right * 10 > all.received * 6);
    CHECK(all.refreshes > 10 && all.key_frames * 2 < all.refreshes);
}

/* A refresh is a P frame if a frame was acknowledged, or if the acknowledgement of a key frame may be on its
 * way. It is a key frame if none was acknowledged, or too long ago. */
static void a_refresh_is_a_p_frame_if_a_frame_was_acknowledged(void) {
    for (int32_t age = -1; age < 20; age++) {
        clip c;
        int64_t token = 2;
        make(&c, "ReferenceBufferCount=6");
        for (int i = 0; i < 3; i++) REQUIRE_OK(clip_encode_ltr(&c, 0, NULL, 0));
        for (int32_t i = 0; i < age; i++) REQUIRE_OK(clip_encode_ltr(&c, 0, NULL, 0));
        REQUIRE_OK(clip_encode_ltr(&c, NALU_FRAME_FORCE_LTR_REFRESH, age < 0 ? NULL : &token, age >= 0));
        clip_finish(&c);
        const nalu_sample *last = c.samples[c.count - 1];
        /* The encoder keeps frame 2 for five later frames. The acknowledgement of frame 0, a key frame, is on
         * its way. */
        CHECK_EQ(nalu_sample_is_key_frame(last), age > 5);
        CHECK_EQ(nalu_sample_get_ltr_reference_token(last), age < 0 ? 0 : age > 5 ? -1 : 2);
        CHECK_EQ(sample_slice_type(last), nalu_sample_is_key_frame(last) ? 2 : 0);
        CHECK_EQ(clip_info(&c).max_num_ref_frames, 6);
        clip_close(&c);
    }
}

/* Refreshes requested before a key frame is acknowledged make no other key frame while the encoder keeps the
 * first. */
static void a_key_frame_in_transit_is_not_repeated(void) {
    clip c;
    make(&c, "ReferenceBufferCount=4");
    for (int i = 0; i < 3; i++) REQUIRE_OK(clip_encode_ltr(&c, 0, NULL, 0));
    REQUIRE_OK(clip_encode_ltr(&c, NALU_FRAME_FORCE_KEY_FRAME, NULL, 0));
    for (int i = 0; i < 6; i++) REQUIRE_OK(clip_encode_ltr(&c, NALU_FRAME_FORCE_LTR_REFRESH, NULL, 0));
    clip_finish(&c);
    for (int i = 0; i < c.count; i++) CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i == 0 || i == 3 || i == 8);
    for (int i = 4; i < 8; i++) CHECK_EQ(nalu_sample_get_ltr_reference_token(c.samples[i]), 3);
    CHECK_EQ(nalu_sample_get_ltr_reference_token(c.samples[9]), 8);
    clip_close(&c);
}

static void settings_that_ltr_excludes_are_refused(void) {
    clip c;
    int64_t token = 0;
    int32_t value = -1;
    clip_open(&c, W, H);
    CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_ENABLE_LTR, &value));
    CHECK_EQ(value, 0);
    REFUSED(clip_encode_ltr(&c, NALU_FRAME_FORCE_LTR_REFRESH, NULL, 0), NALU_STATUS_CONFLICT, "EnableLTR");
    REFUSED(clip_encode_ltr(&c, 0, &token, 1), NALU_STATUS_CONFLICT, "EnableLTR");
    REQUIRE_OK(clip_encode_ltr(&c, 0, NULL, 0));
    clip_finish(&c);
    REFUSED(nalu_session_set_bool(c.session, NALU_PROPERTY_ENABLE_LTR, 1), NALU_STATUS_TOO_LATE, "EnableLTR");
    CHECK_EQ(nalu_sample_get_ltr_acknowledgement_token(c.samples[0]), -1);
    CHECK_EQ(nalu_sample_get_ltr_acknowledgement_token(NULL), -1);
    CHECK_EQ(nalu_sample_get_ltr_reference_token(c.samples[0]), -1);
    CHECK_EQ(nalu_sample_get_ltr_reference_token(NULL), -1);
    clip_close(&c);

    make(&c, "");
    REFUSED(clip_encode_ltr(&c, 0, NULL, 1), NALU_STATUS_PARAMETER, "acknowledged_ltr_tokens is NULL");
    REFUSED(clip_encode_ltr(&c, 0, &token, 1), NALU_STATUS_OUT_OF_RANGE, "token 0");
    REQUIRE_OK(clip_encode_ltr(&c, 0, NULL, 0));
    REQUIRE_OK(clip_encode_ltr(&c, 0, &token, 1));
    const int64_t bad[] = {-1, 2, INT64_MIN, INT64_MAX};
    for (int i = 0; i < 4; i++) REFUSED(clip_encode_ltr(&c, 0, &bad[i], 1), NALU_STATUS_OUT_OF_RANGE, "token");
    REFUSED(clip_encode_ltr(&c, 0, &token, 100000), NALU_STATUS_OUT_OF_RANGE, "100000");
    clip_finish(&c);
    clip_close(&c);

    static const char *conflicts[] = {"AllowFrameReordering=true", "SuggestedLookAheadFrameCount=5", "x264.params=\"ref=2\"",
        "x264.params=\"dpb-size=4\"", "x264.params=\"bframes=2\"", "NaluAllowIntraRefresh=true"};
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
        clip_open(&c, W, H);
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ENABLE_LTR, 1));
        REFUSED(nalu_session_set_properties_from_text(c.session, conflicts[i]), NALU_STATUS_CONFLICT, "EnableLTR");
        clip_close(&c);
    }
    static const char *undone[] = {"x264.params=\"rc-lookahead=10:mbtree=1:bframes=0\"", "x264.params=\"sliced-threads=0:threads=3\""};
    for (size_t i = 0; i < 2; i++) {
        clip_open(&c, W, H);
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ENABLE_LTR, 1));
        REQUIRE_OK(nalu_session_set_properties_from_text(c.session, undone[i]));
        REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "EnableLTR", "x264.params");
        clip_close(&c);
    }
}

/* The session continues after a flush, and tokens from before it become invalid. */
static void tokens_become_invalid_after_a_flush(void) {
    clip c;
    int64_t tokens[] = {0, 1, 2, 3};
    make(&c, "");
    for (int i = 0; i < 4; i++) REQUIRE_OK(clip_encode_ltr(&c, 0, NULL, 0));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, 30));
    REQUIRE_OK(clip_encode_ltr(&c, NALU_FRAME_FORCE_LTR_REFRESH, tokens, 4));
    REQUIRE_OK(clip_encode_ltr(&c, NALU_FRAME_FORCE_LTR_REFRESH, tokens, 4));
    tokens[0] = 5;
    REQUIRE_OK(clip_encode_ltr(&c, NALU_FRAME_FORCE_LTR_REFRESH, tokens, 1));
    clip_finish(&c);
    for (int i = 0; i < 7; i++) CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i == 0 || i == 4);
    CHECK_EQ(nalu_sample_get_ltr_reference_token(c.samples[5]), 4);
    CHECK_EQ(nalu_sample_get_ltr_reference_token(c.samples[6]), 5);
    clip_close(&c);
}

int main(void) {
    RUN(refreshes_recover_from_losses);
    RUN(layers_recover_from_losses);
    RUN(a_refresh_is_a_p_frame_if_a_frame_was_acknowledged);
    RUN(a_key_frame_in_transit_is_not_repeated);
    RUN(settings_that_ltr_excludes_are_refused);
    RUN(tokens_become_invalid_after_a_flush);
    return check_result();
}
