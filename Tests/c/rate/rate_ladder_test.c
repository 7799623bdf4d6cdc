/*
 * Bit rates of 75 kb/s, 2.4 Mb/s, 150 kb/s and 900 kb/s for two seconds each. From one second after each change,
 * the rate is within a tenth of the requested one, and no change makes a key frame. With lookahead, samples lag
 * up to a second and a half behind the input, and the tolerance is 0.15 (veryfast) or 0.25 (medium).
 */
#define RATE_SHRINK 2
#include "rate_clip.h"

static const int64_t ladder[] = {75000, 2400000, 150000, 900000};
enum { STEPS = sizeof ladder / sizeof ladder[0] };

static void climb(const char *name, int real_time, const char *preset, double tolerance) {
    rate_log log;
    rate_open(&log);
    CHECK_OK(nalu_session_set_bool(log.session, NALU_PROPERTY_REAL_TIME, real_time));
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PRESET, preset));
    CHECK_OK(nalu_session_set_double(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    /* Equal bytes in each run: otherwise x264's VBV buffer depends on the progress of each thread, and the
     * governor on the time. */
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PARAMS,
                                     real_time ? "threads=1" : "threads=1:" RATE_FAST_ANALYSIS));
    CHECK_OK(nalu_session_set_bool(log.session, NALU_PROPERTY_REAL_TIME_GOVERNOR, 0));
    const int part = rate_part(2 * 30);
    for (int frame = 0; frame < STEPS * part; frame++) {
        if (frame % part == 0)
            CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_AVERAGE_BIT_RATE, ladder[frame / part]));
        rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 30));
    }
    rate_finish(&log);
    CHECK_EQ(log.key_frames, 1);
    if (!RATE_IS_MEASURED) return;
    printf("  %s:", name);
    for (int step = 0; step < STEPS; step++) {
        /* With B-frames, the first frames of a step have decode times before the step. */
        double ratio = rate_bytes(&log, step * 2 + 1, 0.9) * 8 / 0.9 / (double)ladder[step];
        printf(" %.2f", ratio);
        /* In the first step x264 alone controls the rate; see RatePlanner.isTrimmed. */
        CHECK_NEAR(ratio, 1, step ? tolerance : 0.2);
    }
    printf(" of %g, %g, %g and %g Mb/s\n", (double)ladder[0] / 1e6, (double)ladder[1] / 1e6, (double)ladder[2] / 1e6,
           (double)ladder[3] / 1e6);
}

static void each_bit_rate_of_the_ladder_is_kept_in_real_time(void) {
    climb("real time, ultrafast", 1, "ultrafast", 0.1);
    climb("real time, veryfast", 1, "veryfast", 0.1);
    climb("real time, medium", 1, "medium", 0.1);
}

static void each_bit_rate_of_the_ladder_is_kept_with_lookahead(void) {
    climb("file, veryfast", 0, "veryfast", 0.15);
    climb("file, medium", 0, "medium", 0.25);
}

int main(void) {
    rate_load();
    RUN(each_bit_rate_of_the_ladder_is_kept_in_real_time);
    RUN(each_bit_rate_of_the_ladder_is_kept_with_lookahead);
    return check_result();
}
