/*
 * A change of AverageBitRate with lookahead, on a real clip. The three seconds that begin one second after the
 * change have the new rate within a quarter, and the change makes no key frame. Rates of single seconds are
 * printed without a promise.
 */
#define RATE_SHRINK 2
#include "rate_clip.h"

enum { BEFORE = 60, AFTER = 120 };

static void change(const char *preset, int64_t from, int64_t to) {
    rate_log log;
    rate_open(&log);
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PRESET, preset));
    CHECK_OK(nalu_session_set_double(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PARAMS, "threads=1")); /* equal bytes in
                                                                                             * each run */
    for (int frame = 0; frame < BEFORE + AFTER; frame++) {
        if (frame == 0 || frame == BEFORE)
            CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_AVERAGE_BIT_RATE, frame ? to : from));
        rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 30));
    }
    rate_finish(&log);
    const double begin = BEFORE / 30.0 + 1;
    const double ratio = rate_bytes(&log, begin, 3) * 8 / 3 / (double)to;
    printf("  %s, %g to %g Mb/s: %.2f of it in three seconds;", preset, (double)from / 1e6, (double)to / 1e6, ratio);
    for (int second = 0; second < 3; second++) printf(" %.2f", rate_bytes(&log, begin + second, 1) * 8 / (double)to);
    printf("\n");
    CHECK_NEAR(ratio, 1, 0.25);
    CHECK_EQ(log.key_frames, 1);
}

static void three_seconds_have_the_new_rate_with_lookahead(void) {
    static const char *const presets[] = {"medium", "veryfast"};
    static const int64_t changes[][2] = {{250000, 500000}, {250000, 1000000}, {1000000, 500000}, {1000000, 250000}};
    for (int preset = 0; preset < 2; preset++)
        for (int i = 0; i < 4; i++)
            if (is_tried(4 * preset + i)) change(presets[preset], changes[i][0], changes[i][1]);
}

int main(void) {
    rate_load();
    RUN(three_seconds_have_the_new_rate_with_lookahead);
    return check_result();
}
