/*
 * AverageBitRate of H.265, on a real clip: the average, and a change while encoding. The second that begins one second
 * after the change has the new rate within 15 %, and so has the second after the change, without delay. A change makes
 * no key frame.
 */
#define RATE_SHRINK 4
#include "rate_clip.h"

enum { SECONDS = 4 };

static void hold_after_changes(const char *preset, int frame_rate, const int64_t rates[4]) {
    rate_log log;
    rate_open_codec(&log, NALU_CODEC_HEVC);
    CHECK_OK(nalu_session_set_properties_from_text(log.session, "RealTime=true"));
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X265_PRESET, preset));
    CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, frame_rate));
    const int part = rate_part(SECONDS * frame_rate);
    int frame = 0;
    for (int i = 0; i < 4; i++) rate_encode_at_rate(&log, &frame, part, rates[i], frame_rate);
    rate_finish(&log);
    CHECK_EQ(log.key_frames, (4 * part + 249) / 250);
    for (int i = 0; i < 4 && RATE_IS_MEASURED; i++) {
        double ratios[SECONDS];
        for (int second = 0; second < SECONDS; second++)
            ratios[second] = rate_bytes(&log, i * SECONDS + second, 1) * 8 / (double)rates[i];
        printf("  %s, %d per second, %g kb/s: %.3f %.3f %.3f %.3f of it\n", preset, frame_rate, (double)rates[i] / 1e3,
               ratios[0], ratios[1], ratios[2], ratios[3]);
        CHECK_NEAR(ratios[1], 1, 0.15);
        CHECK_NEAR((ratios[0] + ratios[1] + ratios[2] + ratios[3]) / SECONDS, 1, 0.1);
    }
}

static void the_second_second_has_the_new_rate_without_delay(void) {
    hold_after_changes("ultrafast", 25, (const int64_t[]){300000, 150000, 75000, 30000});
    hold_after_changes("superfast", 30, (const int64_t[]){75000, 25000, 300000, 600000});
}

static void three_seconds_have_the_new_rate_with_lookahead(void) {
    static const int64_t changes[][2] = {{150000, 600000}, {400000, 60000}};
    for (int i = 0; i < 2; i++) {
        rate_log log;
        rate_open_codec(&log, NALU_CODEC_HEVC);
        CHECK_OK(nalu_session_set_properties_from_text(log.session, "x265.preset=superfast,ExpectedFrameRate=30"));
        rate_check_change(&log, "superfast", changes[i][0], changes[i][1]);
    }
}

/* Half of the frames do not arrive: the rate is that of time, not of frames. */
static void the_rate_is_that_of_time(void) {
    rate_log log;
    rate_open_codec(&log, NALU_CODEC_HEVC);
    CHECK_OK(nalu_session_set_properties_from_text(
        log.session, "RealTime=true,x265.preset=ultrafast,ExpectedFrameRate=30,AverageBitRate=150000"));
    const int dense = rate_part(60), end = dense + rate_part(120);
    for (int frame = 0; frame < end; frame += frame < dense ? 1 : 2)
        rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 30));
    rate_finish(&log);
    if (RATE_IS_MEASURED) CHECK_NEAR(rate_bytes(&log, 3, 3) * 8 / 3 / 150000, 1, 0.15);
}

int main(void) {
    rate_load();
    RUN(the_second_second_has_the_new_rate_without_delay);
    RUN(three_seconds_have_the_new_rate_with_lookahead);
    RUN(the_rate_is_that_of_time);
    return check_result();
}
