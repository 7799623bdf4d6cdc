/*
 * The real-time governor: x264's analysis steps down if frames take longer than they last, without a key frame,
 * and steps up again. Here the requested frame rate stands for the machine's speed; benchmarks/governor.c keeps
 * a real rate.
 */
#include "rate_clip.h"

static int64_t step_count(rate_log *log) {
    int64_t count = -1;
    CHECK_OK(nalu_session_get_int64(log->session, NALU_PROPERTY_GOVERNOR_STEP_COUNT, &count));
    return count;
}

static void check_has(const char *text, const char *words, int line) {
    check_that(strstr(text, words) != NULL, __FILE__, line, words, text);
}
#define HAS(text, words) check_has((text), (words), __LINE__)

static void open_in_real_time(rate_log *log, const char *preset, const char *more) {
    char text[200];
    rate_open(log);
    snprintf(text, sizeof text, "RealTime=true,AverageBitRate=3000000,x264.preset=%s%s", preset, more);
    CHECK_OK(nalu_session_set_properties_from_text(log->session, text));
}

/* Frame rates that no machine reaches (a millisecond for 720p) and that every machine reaches (a second). */
enum { TOO_FAST = 1000, SLOW = 1 };

static void the_governor_steps_down_and_up_without_a_key_frame(void) {
    static const struct { const char *preset; int last; const char *opened, *cheapest; } all[] = {
        {"medium", 5, "ref=3:", "subme=1:"},
        {"slow", 5, "ref=5:", "subme=1:"},
        {"veryfast", 2, "subme=2:", "subme=1:"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!is_tried((int)i)) continue;
        rate_log log;
        char opened[4096], text[4096];
        int frame = 0;
        open_in_real_time(&log, all[i].preset, ",ExpectedFrameRate=1");
        CHECK_OK(nalu_compression_session_prepare(log.session));
        CHECK_EQ(rate_governor_step(&log), 0);
        CHECK_EQ(step_count(&log), all[i].last);
        rate_effective(&log, opened);
        HAS(opened, all[i].opened);
        /* Before the first frame, another rate would open another encoder. */
        rate_encode_expecting(&log, &frame, 1, SLOW);
        rate_encode_expecting(&log, &frame, 30, TOO_FAST);
        printf("  %s: %d steps\n", all[i].preset, (int)rate_governor_step(&log));
        CHECK_EQ(rate_governor_step(&log), all[i].last);
        CHECK_EQ(step_count(&log), all[i].last);
        rate_effective(&log, text);
        HAS(text, all[i].cheapest);
        HAS(text, "ref=1:");
        HAS(text, "me=dia:");
        HAS(text, "partitions=i8x8,i4x4:");
        rate_encode_expecting(&log, &frame, 9 * all[i].last + 9, SLOW);
        CHECK_EQ(rate_governor_step(&log), 0);
        /* The numbers of the rate control may differ. */
        rate_effective(&log, text);
        CHECK(strncmp(opened, text, (size_t)(strstr(opened, ":threads=") - opened)) == 0);
        CHECK_EQ(log.key_frames, 1);
        CHECK_EQ(log.count, frame);
        rate_finish(&log);
    }
}

static void the_governor_can_be_disabled(void) {
    rate_log log;
    int frame = 0;
    open_in_real_time(&log, "medium", ",NaluRealTimeGovernor=false");
    rate_encode_expecting(&log, &frame, 12, TOO_FAST);
    CHECK_EQ(rate_governor_step(&log), 0);
    CHECK_EQ(step_count(&log), 0);
    CHECK_OK(nalu_session_set_bool(log.session, NALU_PROPERTY_REAL_TIME_GOVERNOR, 1));
    CHECK_EQ(step_count(&log), 5);
    rate_encode_expecting(&log, &frame, 12, TOO_FAST);
    CHECK(rate_governor_step(&log) > 0);
    CHECK_OK(nalu_session_set_bool(log.session, NALU_PROPERTY_REAL_TIME_GOVERNOR, 0));
    rate_encode_expecting(&log, &frame, 1, TOO_FAST);
    CHECK_EQ(rate_governor_step(&log), 0);
    CHECK_EQ(log.key_frames, 1);
    rate_finish(&log);
}

/* The governor stays off without a frame rate, without RealTime, and with ultrafast, which has no cheaper step. */
static void the_governor_needs_real_time_and_a_frame_rate(void) {
    static const char *const all[] = {
        "RealTime=true,x264.preset=medium",
        "MaxFrameDelayCount=0,x264.preset=medium,ExpectedFrameRate=1000",
        "RealTime=true,x264.preset=ultrafast,ExpectedFrameRate=1000",
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        rate_log log;
        rate_open(&log);
        CHECK_OK(nalu_session_set_properties_from_text(log.session, all[i]));
        for (int frame = 0; frame < 10; frame++) rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 30));
        CHECK_OK(nalu_compression_session_complete_frames(log.session, nalu_time_invalid()));
        CHECK_EQ(rate_governor_step(&log), 0);
        CHECK_EQ(step_count(&log), 0);
        rate_finish(&log);
    }
}

static void the_number_of_steps_is_known_when_the_encoder_is_open(void) {
    rate_log log;
    int64_t count = -1;
    open_in_real_time(&log, "medium", "");
    CHECK_STATUS(nalu_session_get_int64(log.session, NALU_PROPERTY_GOVERNOR_STEP_COUNT, &count),
                 NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_STATUS(nalu_session_set_int64(log.session, NALU_PROPERTY_GOVERNOR_STEP_COUNT, 1),
                 NALU_STATUS_PROPERTY_READ_ONLY);
    CHECK_OK(nalu_compression_session_prepare(log.session));
    CHECK_EQ(step_count(&log), 0);
    CHECK_OK(nalu_session_set_double(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    CHECK_OK(nalu_compression_session_prepare(log.session));
    CHECK_EQ(step_count(&log), 5);
    rate_finish(&log);
}

/* The governor never goes beyond cheaper settings from x264.params, and keeps their rate. */
static void the_governor_never_exceeds_the_opening_settings(void) {
    rate_log log;
    char text[4096];
    int frame = 0;
    rate_open(&log);
    CHECK_OK(nalu_session_set_properties_from_text(
        log.session, "RealTime=true,x264.preset=medium,x264.params=\"crf=30:subme=3:ref=1:me=dia\",ExpectedFrameRate=1"));
    rate_encode_expecting(&log, &frame, 20, TOO_FAST);
    rate_effective(&log, text);
    HAS(text, "subme=1:");
    HAS(text, "crf=30:");
    CHECK_EQ(step_count(&log), 4);
    rate_encode_expecting(&log, &frame, 40, SLOW);
    rate_effective(&log, text);
    HAS(text, "subme=3:");
    HAS(text, "ref=1:");
    CHECK_EQ(log.key_frames, 1);
    rate_finish(&log);
}

int main(void) {
    rate_load();
    RUN(the_governor_steps_down_and_up_without_a_key_frame);
    RUN(the_governor_can_be_disabled);
    RUN(the_governor_needs_real_time_and_a_frame_rate);
    RUN(the_number_of_steps_is_known_when_the_encoder_is_open);
    RUN(the_governor_never_exceeds_the_opening_settings);
    return check_result();
}
