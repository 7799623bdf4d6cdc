/* SupportedPresetDictionaries: each preset can be set from its text over any earlier properties, entirely or
 * not at all. Its promises about delay, work and quality hold. */
#include "clip.h"
#include "ffmpeg.h"
#include "movie.h"
#include "refusal.h"

#include <time.h>

enum { HIGH_QUALITY, BALANCED, HIGH_SPEED, VIDEO_CONFERENCING, PRESETS };

static const struct { const char *name, *text, *as_text, *x264; } presets[PRESETS] = {
    {NALU_COMPRESSION_PRESET_HIGH_QUALITY,
     "AllowFrameReordering=unset,MaxFrameDelayCount=unset,RealTime=false,x264.preset=slower",
     "RealTime=false,x264.preset=slower", "subme=9"},
    {NALU_COMPRESSION_PRESET_BALANCED,
     "AllowFrameReordering=unset,MaxFrameDelayCount=unset,RealTime=false,x264.preset=medium",
     "RealTime=false,x264.preset=medium", "subme=7"},
    {NALU_COMPRESSION_PRESET_HIGH_SPEED,
     "AllowFrameReordering=unset,MaxFrameDelayCount=unset,RealTime=false,x264.preset=veryfast",
     "RealTime=false,x264.preset=veryfast", "subme=2"},
    {NALU_COMPRESSION_PRESET_VIDEO_CONFERENCING,
     "AllowFrameReordering=false,MaxFrameDelayCount=0,RealTime=true,x264.preset=unset",
     "AllowFrameReordering=false,MaxFrameDelayCount=0,RealTime=true", "subme=2"},
};

static const char *text_of(nalu_compression_session *session) {
    static char text[1000];
    size_t size = 0;
    REQUIRE_OK(nalu_session_copy_properties_as_text(session, text, sizeof text, &size));
    return text;
}

static nalu_status set_preset(nalu_compression_session *session, const char *name) {
    return nalu_session_set_preset(session, name);
}

static void the_preset_texts_have_their_properties(void) {
    clip c;
    char all[1000], expected[1000];
    int used = 0;
    size_t size = 0;
    clip_open(&c, 64, 48);
    for (int i = 0; i < PRESETS; i++) {
        used += snprintf(expected + used, sizeof expected - (size_t)used, "%s%s=\"%s\"", i ? "," : "", presets[i].name,
                         presets[i].text);
    }
    CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_SUPPORTED_PRESET_DICTIONARIES, all, sizeof all, &size));
    CHECK_STR_EQ(all, expected);
    clip_close(&c);
}

static void wrong_arguments_of_presets_are_refused(void) {
    clip c;
    char text[40];
    size_t size = 0;
    zeros nothing = {{0}};
    nalu_compression_session *none = (nalu_compression_session *)(void *)&nothing;
    clip_open(&c, 64, 48);
    nalu_compression_session *s = c.session;
    REFUSED(nalu_session_set_preset(s, "balanced"), NALU_STATUS_OUT_OF_RANGE, "preset is \"balanced\"", "HighQuality",
            "VideoConferencing", "placebo");
    REFUSED(nalu_session_set_preset(s, ""), NALU_STATUS_OUT_OF_RANGE, "preset is \"\"");
    REFUSED(nalu_session_set_preset(s, NULL), NALU_STATUS_PARAMETER, "preset is NULL");
    REFUSED(nalu_session_set_preset(NULL, "Balanced"), NALU_STATUS_PARAMETER, "session is NULL");
    REFUSED(nalu_session_set_preset(none, "Balanced"), NALU_STATUS_INVALID_HANDLE, "session");
    CHECK_STR_EQ(text_of(s), "");
    /* x264's presets are the value of one property. */
    CHECK_OK(nalu_session_set_preset(s, "slow"));
    CHECK_STR_EQ(text_of(s), "x264.preset=slow");
    CHECK_OK(nalu_session_copy_string(s, NALU_PROPERTY_X264_PRESET, text, sizeof text, &size));
    REQUIRE_OK(nalu_compression_session_invalidate(s));
    CHECK_STATUS(nalu_session_set_preset(s, "Balanced"), NALU_STATUS_INVALID_SESSION);
    clip_close(&c);
}

/* Each preset is set on a new session, and after each of the other presets. */
static void a_preset_replaces_any_other_preset(void) {
    for (int first = -1; first < PRESETS; first++)
        for (int then = 0; then < PRESETS; then++) {
            clip c;
            char text[40] = "";
            int32_t real_time = -1;
            int64_t delay = -9;
            size_t size = 0;
            clip_open(&c, 64, 48);
            REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "MaxKeyFrameInterval=7"));
            if (first >= 0) CHECK_OK(set_preset(c.session, presets[first].name));
            CHECK_OK(set_preset(c.session, presets[then].name));
            CHECK(strstr(text_of(c.session), "MaxKeyFrameInterval=7,") == text_of(c.session));
            REQUIRE_OK(nalu_session_unset_property(c.session, "MaxKeyFrameInterval"));
            CHECK_STR_EQ(text_of(c.session), presets[then].as_text);
            CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_REAL_TIME, &real_time));
            CHECK_EQ(real_time, then == VIDEO_CONFERENCING);
            CHECK_OK(nalu_session_get_int64(c.session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, &delay));
            CHECK_EQ(delay, then == VIDEO_CONFERENCING ? 0 : -1);
            CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_X264_PRESET, text, sizeof text, &size));
            CHECK_STR_EQ(text, then == HIGH_QUALITY ? "slower" : then == BALANCED ? "medium" : "veryfast");
            clip_close(&c);
        }
}

/* Each preset is combined with every property that sets the rate, and with properties that are compatible with
 * all presets. */
static void presets_combine_with_rate_properties(void) {
    static const char *const others[] = {
        "AverageBitRate=300000", "Quality=0.7", "AverageBitRate=300000,DataRateLimits=[60000,1]",
        "ConstantBitRate=300000,ExpectedFrameRate=30", "MaxKeyFrameInterval=30,MaxKeyFrameIntervalDuration=2",
        "ProfileLevel=H264_Main_AutoLevel", "ProfileLevel=H264_Baseline_AutoLevel", "x264.tune=film",
        "x264.params=\"ref=2\"", "AverageBitRate=300000,SourceFrameCount=4,MaxAllowedFrameQP=45",
        "MoreFramesAfterEnd=true"};
    for (int i = 0; i < PRESETS; i++)
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            clip c;
            char whole[500];
            clip_open(&c, 64, 48);
            CHECK_OK(set_preset(c.session, presets[i].name));
            check_statuses(nalu_session_set_properties_from_text(c.session, others[k]), NALU_STATUS_OK, __FILE__, __LINE__,
                           others[k]);
            snprintf(whole, sizeof whole, "%s", text_of(c.session));
            clip_encode_all(&c, 4);
            clip_close(&c);
            /* In the opposite order the result is the same. */
            clip_open(&c, 64, 48);
            CHECK_OK(nalu_session_set_properties_from_text(c.session, others[k]));
            CHECK_OK(set_preset(c.session, presets[i].name));
            CHECK_STR_EQ(text_of(c.session), whole);
            clip_close(&c);
        }
}

static void a_preset_is_set_entirely_or_not_at_all(void) {
    static const struct { int preset; const char *before, *word; } all[] = {
        {VIDEO_CONFERENCING, "AllowOpenGOP=true", "AllowOpenGOP"},
        {VIDEO_CONFERENCING, "VariableBitRate=300000", "VariableBitRate"},
        {VIDEO_CONFERENCING, "MaximizePowerEfficiency=true", "MaximizePowerEfficiency"},
        {VIDEO_CONFERENCING, "SuggestedLookAheadFrameCount=10", "SuggestedLookAheadFrameCount"},
        {HIGH_QUALITY, "PrioritizeEncodingSpeedOverQuality=true", "PrioritizeEncodingSpeedOverQuality"},
        {BALANCED, "PrioritizeEncodingSpeedOverQuality=true", "PrioritizeEncodingSpeedOverQuality"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip c;
        clip_open(&c, 64, 48);
        REQUIRE_OK(nalu_session_set_properties_from_text(c.session, all[i].before));
        REFUSED(set_preset(c.session, presets[all[i].preset].name), NALU_STATUS_CONFLICT, all[i].word);
        CHECK_STR_EQ(text_of(c.session), all[i].before);
        clip_close(&c);
    }
    /* While encoding, only the current values are accepted. */
    for (int i = 0; i < PRESETS; i++) {
        clip c;
        clip_open(&c, 64, 48);
        REQUIRE_OK(set_preset(c.session, presets[i].name));
        clip_encode(&c, 2);
        for (int other = 0; other < PRESETS; other++) {
            CHECK_STATUS(set_preset(c.session, presets[other].name), other == i ? NALU_STATUS_OK : NALU_STATUS_TOO_LATE);
            CHECK_STR_EQ(text_of(c.session), presets[i].as_text);
        }
        CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 3));
        clip_finish(&c);
        clip_close(&c);
    }
}

/* The stream's contents for each preset. */
static void each_preset_has_its_stream_features(void) {
    for (int i = 0; i < PRESETS; i++) {
        clip c;
        char effective[4096];
        int b_frames = 0;
        int64_t most_pending = 0;
        size_t size = 0;
        clip_open(&c, 96, 80);
        REQUIRE_OK(set_preset(c.session, presets[i].name));
        for (int n = 0; n < 30; n++) {
            int64_t pending = -1;
            clip_encode(&c, 1);
            REQUIRE_OK(nalu_session_get_int64(c.session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &pending));
            if (pending > most_pending) most_pending = pending;
        }
        clip_finish(&c);
        REQUIRE_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_X264_EFFECTIVE, effective, sizeof effective, &size));
        check_that(strstr(effective, presets[i].x264) != NULL, __FILE__, __LINE__, presets[i].name, effective);
        for (int n = 0; n < c.count; n++) b_frames += sample_slice_type(c.samples[n]) == 1;
        if (i == VIDEO_CONFERENCING) {
            CHECK_EQ(most_pending, 0);
            CHECK_EQ(b_frames, 0);
            CHECK_EQ(clip_info(&c).pic_order_cnt_type, 2);
            CHECK_EQ(clip_info(&c).reorder_depth, 0);
            for (int n = 0; n < c.count; n++)
                CHECK_EQ(nalu_time_compare(nalu_sample_get_decode_time(c.samples[n]),
                                           nalu_sample_get_presentation_time(c.samples[n])), 0);
        } else {
            CHECK(most_pending >= 8);
            CHECK(b_frames > 0);
        }
        clip_close(&c);
    }
}

/* ---- A real clip ---------------------------------------------------------------------------------------------------- */

enum { FRAMES = 40 };

typedef struct outcome {
    double bits, decibels, seconds; /* luma PSNR and processor time */
} outcome;

typedef struct sink {
    stream_file stream;
    double bytes;
} sink;

static void sink_take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    sink *it = (sink *)refcon;
    size_t size = 0;
    (void)frame, (void)status, (void)flags;
    if (!sample) return;
    (void)nalu_sample_get_data(sample, &size);
    it->bytes += (double)size;
    stream_add(&it->stream, sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
}

static double processor_seconds(void) {
    struct timespec time;
    REQUIRE(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static outcome encode_movie(const movie *m, const char *preset, int64_t rate) {
    nalu_compression_session *session = NULL;
    sink out = {.bytes = 0};
    outcome result;
    stream_open(&out.stream);
    const double before = processor_seconds();
    REQUIRE_OK(nalu_compression_session_create(m->width, m->height, NALU_CODEC_H264, NULL, NULL, sink_take, &out, NULL,
                                               &session));
    REQUIRE_OK(set_preset(session, preset));
    REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, rate));
    REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, m->rate_numerator));
    for (int32_t i = 0; i < FRAMES; i++) REQUIRE_OK(movie_encode(session, m, i));
    REQUIRE_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    result.seconds = processor_seconds() - before;
    nalu_compression_session_release(session);
    result.bits = out.bytes * 8;
    pictures decoded = stream_decode(&out.stream, m->width, m->height);
    REQUIRE(CHECK_EQ(decoded.count, FRAMES));
    double error = 0;
    for (int32_t i = 0; i < FRAMES; i++) {
        const uint8_t *is = picture(&decoded, i), *was = m->pixels + (size_t)i * m->frame_size;
        for (int32_t k = 0; k < m->width * m->height; k++) error += (double)((is[k] - was[k]) * (is[k] - was[k]));
    }
    result.decibels = 10 * log10(255.0 * 255.0 * FRAMES * m->width * m->height / error);
    pictures_free(&decoded);
    stream_close(&out.stream);
    return result;
}

static bool is_ordered(const double *seconds) {
    return seconds[HIGH_QUALITY] > seconds[BALANCED] && seconds[BALANCED] > seconds[HIGH_SPEED];
}

/* PSNR at equal numbers of bits, interpolated between two rates, and processor time. */
static void presets_differ_in_quality_and_time(void) {
    enum { FILES = 3 };
    outcome low[FILES], high[FILES];
    double at[FILES], seconds[FILES];
    movie m = movie_load("bikes", 640, 272, FRAMES, 25, 1);
    for (int i = 0; i < FILES; i++) {
        low[i] = encode_movie(&m, presets[i].name, 300000);
        high[i] = encode_movie(&m, presets[i].name, 600000);
        seconds[i] = low[i].seconds + high[i].seconds;
        REQUIRE(high[i].bits > low[i].bits);
    }
    /* Other programs can only add to the time, so the minimum of several runs counts. */
    for (int again = 0; again < 4 && !is_ordered(seconds); again++)
        for (int i = 0; i < FILES; i++) {
            const double both =
                encode_movie(&m, presets[i].name, 300000).seconds + encode_movie(&m, presets[i].name, 600000).seconds;
            if (both < seconds[i]) seconds[i] = both;
        }
    const double middle = sqrt(low[BALANCED].bits * high[BALANCED].bits);
    for (int i = 0; i < FILES; i++) {
        const double part = log(middle / low[i].bits) / log(high[i].bits / low[i].bits);
        at[i] = low[i].decibels + part * (high[i].decibels - low[i].decibels);
        printf("  %s: %.0f and %.0f bits, %.2f and %.2f dB, %.2f dB at %.0f bits, %.2f s\n", presets[i].name, low[i].bits,
               high[i].bits, low[i].decibels, high[i].decibels, at[i], middle, seconds[i]);
    }
    CHECK(at[HIGH_QUALITY] > at[BALANCED]);
    CHECK(at[BALANCED] > at[HIGH_SPEED]);
    CHECK(seconds[HIGH_QUALITY] > seconds[BALANCED]);
    CHECK(seconds[BALANCED] > seconds[HIGH_SPEED]);
    free(m.pixels);
}

int main(void) {
    RUN(the_preset_texts_have_their_properties);
    RUN(wrong_arguments_of_presets_are_refused);
    RUN(a_preset_replaces_any_other_preset);
    RUN(presets_combine_with_rate_properties);
    RUN(a_preset_is_set_entirely_or_not_at_all);
    RUN(each_preset_has_its_stream_features);
    RUN(presets_differ_in_quality_and_time);
    return check_result();
}
