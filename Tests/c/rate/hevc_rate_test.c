/*
 * AverageBitRate of H.265, on a real clip: the average, and a change while encoding. The second that begins one second
 * after the change has the new rate within 15 %, and so has the second after the change, without delay. A change makes
 * no key frame. Without delay, the rate stays near the average when scrolling text becomes noise.
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
    const int dense = rate_part(30), end = dense + rate_part(150);
    for (int frame = 0; frame < end; frame += frame < dense ? 1 : 2)
        rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 30));
    rate_finish(&log);
    if (RATE_IS_MEASURED) CHECK_NEAR(rate_bytes(&log, 3, 3) * 8 / 3 / 150000, 1, 0.15);
}

/* Draws text that scrolls, whose frames take few bits and differ from each other as much as those of noise. */
static const uint8_t *text_picture(int frame) {
    static uint8_t picture[RATE_FRAME];
    memset(picture, 128, sizeof picture);
    for (int y = 0; y < RATE_HEIGHT; y++) {
        const uint32_t line = (uint32_t)(y + 3 * frame);
        for (int x = 0; x < RATE_WIDTH; x++) {
            const int ink = line % 8 < 6 && (line / 8 * 2654435761u >> (x / 6 % 28) & 1);
            picture[y * RATE_WIDTH + x] = ink ? 235 : 16;
        }
    }
    return picture;
}

static void the_rate_holds_when_text_becomes_noise_without_delay(void) {
    enum { TEXT = 25, NOISE = 12, FRAME_RATE = 25, RATE = 200000 };
    rate_log log;
    rate_open_codec(&log, NALU_CODEC_HEVC);
    CHECK_OK(nalu_session_set_properties_from_text(
        log.session, "RealTime=true,x265.preset=ultrafast,ExpectedFrameRate=25,AverageBitRate=200000"));
    for (int frame = 0; frame < TEXT + NOISE; frame++)
        rate_encode(&log, frame < TEXT ? text_picture(frame) : rate_noise(frame), nalu_time_make(frame, FRAME_RATE));
    rate_finish(&log);
    const double start = (double)TEXT / FRAME_RATE, end = (double)NOISE / FRAME_RATE;
    const double first = rate_bytes(&log, start, 1.0 / FRAME_RATE) * 8 / RATE, all = rate_bytes(&log, start, end) * 8 / RATE;
    printf("  text, then noise: %.2f s of the rate in the first frame, %.2f s in %g s\n", first, all, end);
    CHECK(first < 0.4);
    CHECK(all < end + 0.4);
}

int main(void) {
    rate_load();
    RUN(the_second_second_has_the_new_rate_without_delay);
    RUN(three_seconds_have_the_new_rate_with_lookahead);
    RUN(the_rate_is_that_of_time);
    RUN(the_rate_holds_when_text_becomes_noise_without_delay);
    return check_result();
}
