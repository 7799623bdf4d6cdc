/* The quality of H.265 streams: Quality, QPs and their bounds, QP offsets of areas, and changes while encoding. */
#include "refusal.h"
#include "x265_clip.h"

/* ---- Settings of a stream and of frames --------------------------------------------------------------------------- */

static void a_higher_quality_takes_more_bytes(void) {
    static const char *const properties[] = {"Quality", "ConstantQualityFactor"};
    for (int i = 0; i < 2; i++) {
        size_t last = 0;
        for (int step = 0; step <= 4; step++) {
            clip c;
            char text[40];
            snprintf(text, sizeof text, "%s=%g", properties[i], step / 4.0);
            x265_open(&c, text);
            x265_encode_all(&c, 12);
            CHECK(clip_bytes(&c) > last);
            last = clip_bytes(&c);
            clip_close(&c);
        }
    }
}

static void a_frame_can_have_its_own_qp(void) {
    clip c;
    int32_t supports = 0;
    x265_open(&c, "RealTime=true,SpatialAdaptiveQPLevel=0");
    CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP, &supports));
    CHECK(supports);
    static const int32_t qps[] = {20, 35, 28, 44, 10};
    for (int frame = 0; frame < 5; frame++) {
        nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
        options.base_frame_qp_plus_1 = qps[frame] + 1;
        REQUIRE_OK(clip_encode_with(&c, nalu_time_make(frame, 30), nalu_time_make(1, 30), &options));
    }
    x265_finish(&c);
    for (int frame = 0; frame < 5; frame++) CHECK_NEAR(nalu_sample_get_average_qp(c.samples[frame]), qps[frame], 0.1);
    clip_close(&c);

    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.base_frame_qp_plus_1 = 30;
    x265_open(&c, "AverageBitRate=100000");
    REFUSED(clip_encode_with(&c, nalu_time_make(0, 30), nalu_time_make(1, 30), &options), NALU_STATUS_CONFLICT,
            "base_frame_qp_plus_1", "AverageBitRate");
    clip_close(&c);
}

static void qps_have_bounds(void) {
    clip c;
    x265_open(&c, "MinAllowedFrameQP=40,Quality=0.9,RealTime=true");
    x265_encode_all(&c, 6);
    for (int32_t i = 0; i < c.count; i++) CHECK(nalu_sample_get_average_qp(c.samples[i]) >= 39.99);
    clip_close(&c);
    x265_open(&c, "MaxAllowedFrameQP=20,Quality=0.1,RealTime=true");
    x265_encode_all(&c, 6);
    for (int32_t i = 0; i < c.count; i++) CHECK(nalu_sample_get_average_qp(c.samples[i]) <= 20.01);
    clip_close(&c);
}

static void areas_can_be_finer_from_any_frame_on(void) {
    clip c;
    static const float offsets[2] = {-8, -8};
    double qps[2] = {0, 0};
    for (int with = 0; with < 2; with++) {
        x265_open(&c, "RealTime=true,SpatialAdaptiveQPLevel=0,Quality=0.7");
        c.noise = 255; /* a skipped block has no QP of its own */
        for (int frame = 0; frame < 8; frame++) {
            nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
            if (with && frame >= 3) {
                options.qp_offsets = offsets;
                options.qp_offset_columns = 2;
                options.qp_offset_rows = 1;
            }
            REQUIRE_OK(clip_encode_with(&c, nalu_time_make(frame, 30), nalu_time_make(1, 30), &options));
        }
        x265_finish(&c);
        for (int32_t i = 4; i < 8; i++) qps[with] += nalu_sample_get_average_qp(c.samples[i]) / 4;
        clip_close(&c);
    }
    CHECK_NEAR(qps[1], qps[0] - 8, 2);
}

/* The same offset everywhere changes nothing, also in the frames before the first picture is known. */
static void offsets_of_areas_leave_the_rate(void) {
    int64_t bytes[3];
    for (int kind = 0; kind < 3; kind++) {
        static const float offsets[] = {12, -20};
        clip c;
        x265_open(&c, "AverageBitRate=200000,ExpectedFrameRate=30");
        for (int frame = 0; frame < 30; frame++) {
            nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
            if (kind > 0) options.qp_offsets = &offsets[kind - 1], options.qp_offset_columns = options.qp_offset_rows = 1;
            REQUIRE_OK(clip_encode_with(&c, nalu_time_make(frame, 30), nalu_time_make(1, 30), &options));
        }
        x265_finish(&c);
        bytes[kind] = (int64_t)clip_bytes(&c);
        CHECK_NEAR((double)bytes[kind], (double)bytes[0], 0.02 * (double)bytes[0]);
        clip_close(&c);
    }
}

/* ---- Changes while encoding --------------------------------------------------------------------------------------- */

enum { CHANGE = 20 };

/* Encodes noise, in which every block has a QP, with the properties `after` from frame CHANGE on. Writes the mean QPs
 * before the change and after it, without the first frames. */
static void qps_of_change(const char *others, const char *before, const char *after, double qps[2]) {
    clip c;
    x265_open(&c, others);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, before));
    c.noise = 255;
    clip_encode(&c, CHANGE);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, after));
    x265_encode_all(&c, CHANGE);
    qps[0] = qps[1] = 0;
    int32_t counts[2] = {0, 0};
    for (int32_t i = 0; i < c.count; i++) {
        const int64_t frame = nalu_sample_get_presentation_time(c.samples[i]).value;
        if (frame % CHANGE < 3) continue;
        qps[frame >= CHANGE] += nalu_sample_get_average_qp(c.samples[i]);
        counts[frame >= CHANGE]++;
    }
    for (int i = 0; i < 2; i++) qps[i] /= counts[i];
    clip_close(&c);
}

/* After a change of the quality, frames have the QP that a session with that quality gives them. */
static void a_quality_changes_while_encoding(void) {
    static const char *const delays[] = {"RealTime=true", "SuggestedLookAheadFrameCount=8"};
    /* Further properties, the quality before the change, and the one after it. */
    static const char *const changes[][3] = {
        {"", "Quality=0.9", "Quality=0.2"},
        {"", "Quality=0.1", "Quality=0.8"},
        {"", "", "Quality=0.2"},
        {"", "ConstantQualityFactor=0.8", "ConstantQualityFactor=0.3"},
        {"", "Quality=1", "Quality=0.3"},
        {"AverageBitRate=200000000", "Quality=0.9", "Quality=0.2"},
        {"MaxAllowedFrameQP=30", "Quality=0.1", "Quality=0.7"},
        {"MinAllowedFrameQP=24", "Quality=0.9", "Quality=0.3"},
        {"MinAllowedFrameQP=24", "Quality=0.9", "Quality=0.3"},
        {"MaxAllowedFrameQP=30", "Quality=0.1", "Quality=0.9"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        double found[2], expected[2];
        char others[120];
        snprintf(others, sizeof others, "%s%s%s", delays[i % 2], *changes[i][0] ? "," : "", changes[i][0]);
        qps_of_change(others, changes[i][1], changes[i][2], found);
        qps_of_change(others, changes[i][2], changes[i][2], expected);
        if (!CHECK_NEAR(found[1], expected[1], 1.5) || !CHECK(fabs(found[0] - found[1]) > 3))
            fprintf(stderr, "%s: %s, then %s\n", others, changes[i][1], changes[i][2]);
    }
}

/* Returns the bytes of 60 frames with the properties. */
static size_t bytes_with(const char *properties, const char *more) {
    clip c;
    char text[160];
    snprintf(text, sizeof text, "%s,%s", properties, more);
    x265_open(&c, text);
    c.noise = 60;
    x265_encode_all(&c, 60);
    const size_t bytes = clip_bytes(&c);
    clip_close(&c);
    return bytes;
}

/* A bound that overrides the rate gives the pictures that the bound alone gives, apart from single blocks, and one that
 * does not matter leaves the rate as it is. */
static void bounds_of_qps_limit_a_rate_once(void) {
    static const char *const delays[] = {"RealTime=true", "SuggestedLookAheadFrameCount=8"};
    for (int i = 0; i < 2; i++) {
        const size_t bounded = bytes_with(delays[i], "MinAllowedFrameQP=45,Quality=0.5");
        const size_t with_rate = bytes_with(delays[i], "MinAllowedFrameQP=45,AverageBitRate=1000000");
        if (!CHECK(with_rate > bounded * 0.88 && with_rate < bounded * 1.12))
            fprintf(stderr, "%s: %zu bytes with a rate, %zu without\n", delays[i], with_rate, bounded);
        const size_t free_rate = bytes_with(delays[i], "AverageBitRate=4000000");
        const size_t high = bytes_with(delays[i], "MaxAllowedFrameQP=20,AverageBitRate=4000000");
        if (!CHECK(high > free_rate * 0.85 && high < free_rate * 1.15))
            fprintf(stderr, "%s: %zu bytes with a bound, %zu without\n", delays[i], high, free_rate);
    }
}

int main(void) {
    RUN(a_higher_quality_takes_more_bytes);
    RUN(a_frame_can_have_its_own_qp);
    RUN(qps_have_bounds);
    RUN(areas_can_be_finer_from_any_frame_on);
    RUN(offsets_of_areas_leave_the_rate);
    RUN(a_quality_changes_while_encoding);
    RUN(bounds_of_qps_limit_a_rate_once);
    RUN(judge_streams);
    return check_result();
}
