/*
 * A change of AverageBitRate, on a real clip. Without delay, the second that begins one second after the change has
 * the new rate within 15 %. With lookahead, the three seconds that begin one second after the
 * change have the new rate within a quarter; the rates of single seconds are printed without a promise. The change
 * makes no key frame. Without delay, a rate that changes by little ten times in a second is followed in each second.
 */
#define RATE_SHRINK 2
#include "rate_clip.h"

static void change(const char *preset, int64_t from, int64_t to) {
    rate_log log;
    rate_open(&log);
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PRESET, preset));
    CHECK_OK(nalu_session_set_double(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PARAMS,
                                     "threads=1:" RATE_FAST_ANALYSIS)); /* one thread: equal bytes in each run */
    rate_check_change(&log, preset, from, to);
    CHECK_EQ(log.key_frames, 1);
}

static void three_seconds_have_the_new_rate_with_lookahead(void) {
    static const char *const presets[] = {"medium", "veryfast"};
    static const int64_t changes[][2] = {{250000, 500000}, {250000, 1000000}, {1000000, 500000}, {1000000, 250000}};
    for (int preset = 0; preset < 2; preset++)
        for (int i = 0; i < 4; i++)
            change(presets[preset], changes[i][0], changes[i][1]);
}

/* Three changes in a row, so that each begins with what the one before has left. */
static void hold_after_changes(const char *preset, int frame_rate, const int64_t rates[4]) {
    enum { SECONDS = 4 };
    rate_log log;
    rate_open(&log);
    CHECK_OK(nalu_session_set_properties_from_text(
        log.session, "RealTime=true,NaluRealTimeGovernor=false,x264.params=\"threads=1\""));
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PRESET, preset));
    CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, frame_rate));
    const int part = rate_part(SECONDS * frame_rate);
    int frame = 0;
    for (int i = 0; i < 4; i++) rate_encode_at_rate(&log, &frame, part, rates[i], frame_rate);
    rate_finish(&log);
    for (int i = 1; i < 4 && RATE_IS_MEASURED; i++) {
        const double ratio = rate_bytes(&log, i * SECONDS + 1, 1) * 8 / (double)rates[i];
        printf("  %s, %d per second, %g to %g kb/s: %.3f of it in the second second\n", preset, frame_rate,
               (double)rates[i - 1] / 1e3, (double)rates[i] / 1e3, ratio);
        CHECK_NEAR(ratio, 1, 0.15);
    }
}

static void the_second_second_has_the_new_rate_without_delay(void) {
    hold_after_changes("veryfast", 25, (const int64_t[]){600000, 300000, 150000, 60000});
    hold_after_changes("superfast", 30, (const int64_t[]){150000, 300000, 600000, 1200000});
}

/* Changes the rate by `factor` ten times in a second, from the third second on, as a client that follows a network
 * does. */
static void follow(double from, double factor) {
    enum { FRAME_RATE = 30, BEGIN = 2, SECONDS = 7 };
    rate_log log;
    rate_open(&log);
    CHECK_OK(nalu_session_set_properties_from_text(
        log.session,
        "RealTime=true,NaluRealTimeGovernor=false,x264.params=\"threads=1\",x264.preset=superfast,ExpectedFrameRate=30"));
    double rate = from, wanted[SECONDS] = {0};
    for (int frame = 0; frame < rate_part(SECONDS * FRAME_RATE); frame++) {
        if (frame > BEGIN * FRAME_RATE && frame % 3 == 0) rate *= factor;
        CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_AVERAGE_BIT_RATE, (int64_t)rate));
        wanted[frame / FRAME_RATE] += rate / FRAME_RATE;
        rate_encode(&log, rate_picture(frame), nalu_time_make(frame, FRAME_RATE));
    }
    rate_finish(&log);
    CHECK_EQ(log.key_frames, 1);
    printf("  from %g kb/s by %g ten times in a second:", from / 1e3, factor);
    for (int second = BEGIN; second < SECONDS && RATE_IS_MEASURED; second++) {
        const double ratio = rate_bytes(&log, second, 1) * 8 / wanted[second];
        printf(" %.3f", ratio);
        CHECK_NEAR(ratio, 1, 0.15);
    }
    printf("\n");
}

static void a_rate_that_changes_by_little_is_followed_without_delay(void) {
    follow(200000, 1.035);
    follow(150000, 1.015);
    follow(1200000, 0.965);
    follow(600000, 0.985);
}

int main(void) {
    rate_load();
    RUN(a_rate_that_changes_by_little_is_followed_without_delay);
    RUN(the_second_second_has_the_new_rate_without_delay);
    RUN(three_seconds_have_the_new_rate_with_lookahead);
    return check_result();
}
