/*
 * Rate control: DataRateLimits holds in every window. AverageBitRate set while encoding holds one second later,
 * without a key frame, in each mode.
 */
#define RATE_SHRINK 2
#include "rate_clip.h"

/* A combination of settings that control the rate. */
typedef struct rate_mode {
    const char *name;
    int real_time;
    const char *preset;
    double quality; /* below 0: unset */
} rate_mode;

static const rate_mode modes[] = {
    {"real time", 1, "veryfast", -1},
    {"real time, ultrafast", 1, "ultrafast", -1},
    {"file", 0, "veryfast", -1},
    {"file, medium", 0, "medium", -1},
    {"quality under a ceiling", 0, "veryfast", 0.9},
    {"real time, quality under a ceiling", 1, "veryfast", 0.9},
};
enum { MODES = sizeof modes / sizeof modes[0] };

static void set_mode(rate_log *log, const rate_mode *mode) {
    if (mode->real_time) CHECK_OK(nalu_session_set_bool(log->session, NALU_PROPERTY_REAL_TIME, 1));
    CHECK_OK(nalu_session_set_string(log->session, NALU_PROPERTY_X264_PRESET, mode->preset));
    if (strcmp(mode->preset, "medium") == 0)
        CHECK_OK(nalu_session_set_string(log->session, NALU_PROPERTY_X264_PARAMS, RATE_FAST_ANALYSIS));
    if (mode->quality >= 0) CHECK_OK(nalu_session_set_double(log->session, NALU_PROPERTY_QUALITY, mode->quality));
}

/* An animation, then two seconds of noise: 93,750 bytes in a second at 500 kb/s. */
static void no_window_of_a_second_exceeds_the_limit(void) {
    for (int i = 0; i < MODES; i++) {
        if (!is_tried(i)) continue;
        rate_log log;
        const double limit[2] = {93750, 1};
        rate_open(&log);
        set_mode(&log, &modes[i]);
        CHECK_OK(nalu_session_set_double(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
        CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 500000));
        CHECK_OK(nalu_session_set_numbers(log.session, NALU_PROPERTY_DATA_RATE_LIMITS, limit, 2));
        for (int frame = 0; frame < 60; frame++) rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 30));
        for (int frame = 60; frame < 120; frame++) rate_encode(&log, rate_noise(frame), nalu_time_make(frame, 30));
        rate_finish(&log);
        double largest = rate_largest_window(&log, 1);
        printf("  %s: largest window %.0f of 93750 bytes\n", modes[i].name, largest);
        CHECK(largest <= 93750);
        CHECK(largest > 37500);
    }
}

static void a_live_bit_rate_is_reached_a_second_later(void) {
    static const int64_t steps[][2] = {{1000000, 250000}, {250000, 1000000}};
    for (int i = 0; i < MODES; i++)
        for (size_t step = 0; step < sizeof steps / sizeof steps[0]; step++) {
            if (!is_tried(i + (int)step)) continue;
            rate_log log;
            rate_open(&log);
            set_mode(&log, &modes[i]);
            CHECK_OK(nalu_session_set_double(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
            CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_AVERAGE_BIT_RATE, steps[step][0]));
            for (int frame = 0; frame < 150; frame++) {
                if (frame == 60)
                    CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_AVERAGE_BIT_RATE, steps[step][1]));
                rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 30));
            }
            rate_finish(&log);
            double after = rate_bytes(&log, 3, 2) * 8 / 2, ratio = after / (double)steps[step][1];
            printf("  %s: %.2f to %.2f Mb/s: %.2f of it in the 2nd and 3rd second\n", modes[i].name,
                   (double)steps[step][0] / 1e6, (double)steps[step][1] / 1e6, ratio);
            CHECK(ratio > 0.85 && ratio < 1.15);
            CHECK_EQ(log.key_frames, 1);
        }
}

/* Without a frame rate the presentation times determine the rate. (An assumed duration of 1/30 s per frame
 * would give half or twice the rate.) */
static void test_the_rate_follows_presentation_times(void) {
    static const int rates[] = {15, 60};
    for (int real_time = 0; real_time < 2; real_time++)
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
            if (!is_tried(2 * real_time + (int)i)) continue;
            rate_log log;
            rate_open(&log);
            set_mode(&log, &modes[real_time ? 0 : 2]);
            CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 500000));
            for (int frame = 0; frame < rates[i] * 5; frame++)
                rate_encode(&log, rate_picture(frame), nalu_time_make(frame, rates[i]));
            rate_finish(&log);
            double ratio = rate_bytes(&log, 2, 3) * 8 / 3 / 5e5;
            printf("  %s, %d frames per second: %.2f of the rate\n", real_time ? "real time" : "file", rates[i], ratio);
            CHECK(ratio > 0.75 && ratio < 1.25);
        }
}

int main(void) {
    rate_load();
    RUN(no_window_of_a_second_exceeds_the_limit);
    RUN(a_live_bit_rate_is_reached_a_second_later);
    RUN(test_the_rate_follows_presentation_times);
    return check_result();
}
