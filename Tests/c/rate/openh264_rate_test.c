/* The rates of OpenH264: the average, changes while encoding, and DataRateLimits in every window. */
#define RATE_SHRINK 2
#include "rate_clip.h"

#define OPENH264 "org.openh264.openh264"

static rate_log log_of_session;

static void encode(rate_log *log, int first, int frames) {
    for (int i = first; i < first + frames; i++) rate_encode(log, rate_picture(i), nalu_time_make(i, 30));
}

static void an_average_bit_rate_holds(void) {
    static const int64_t rates[] = {150000, 400000, 1000000};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        rate_log *log = &log_of_session;
        rate_open_with(log, OPENH264);
        REQUIRE_OK(nalu_session_set_int64(log->session, NALU_PROPERTY_AVERAGE_BIT_RATE, rates[i]));
        REQUIRE_OK(nalu_session_set_double(log->session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
        encode(log, 0, 240);
        rate_finish(log);
        const double rate = rate_bytes(log, 2, 6) * 8 / 6;
        printf("  %.0f of %.0f bits per second\n", rate, (double)rates[i]);
        CHECK_NEAR(rate / (double)rates[i], 1, 0.1);
    }
}

static void a_frame_rate_beyond_the_library_has_the_same_bit_rate(void) {
    static const int32_t frames_per_second[] = {120, 15};
    for (size_t i = 0; i < sizeof frames_per_second / sizeof *frames_per_second; i++) {
        rate_log *log = &log_of_session;
        rate_open_with(log, OPENH264);
        REQUIRE_OK(nalu_session_set_int64(log->session, NALU_PROPERTY_AVERAGE_BIT_RATE, 1000000));
        REQUIRE_OK(nalu_session_set_double(log->session, NALU_PROPERTY_EXPECTED_FRAME_RATE, frames_per_second[i]));
        for (int k = 0; k < frames_per_second[i] * 3; k++)
            rate_encode(log, rate_picture(k), nalu_time_make(k, frames_per_second[i]));
        rate_finish(log);
        CHECK_NEAR(rate_bytes(log, 1, 2) * 8 / 2 / 1e6, 1, 0.15);
    }
}

static void a_new_rate_holds_after_half_a_second(void) {
    static const int64_t rates[][2] = {{300000, 1200000}, {1200000, 300000}, {100000, 1000000}, {1000000, 100000}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        rate_log *log = &log_of_session;
        rate_open_with(log, OPENH264);
        REQUIRE_OK(nalu_session_set_double(log->session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
        REQUIRE_OK(nalu_session_set_int64(log->session, NALU_PROPERTY_AVERAGE_BIT_RATE, rates[i][0]));
        encode(log, 0, 90);
        REQUIRE_OK(nalu_session_set_int64(log->session, NALU_PROPERTY_AVERAGE_BIT_RATE, rates[i][1]));
        encode(log, 90, 90);
        rate_finish(log);
        const double rate = rate_bytes(log, 3.5, 1) * 8, later = rate_bytes(log, 4.5, 1.5) * 8 / 1.5;
        printf("  %.0f to %.0f: %.0f, later %.0f\n", (double)rates[i][0], (double)rates[i][1], rate, later);
        CHECK_NEAR(rate / (double)rates[i][1], 1, 0.15);
        CHECK_NEAR(later / (double)rates[i][1], 1, 0.1);
        CHECK_EQ(log->key_frames, 1);
    }
}

static void a_ceiling_holds_over_a_quality(void) {
    rate_log *log = &log_of_session;
    rate_open_with(log, OPENH264);
    REQUIRE_OK(nalu_session_set_properties_from_text(log->session, "Quality=0.9,AverageBitRate=500000,ExpectedFrameRate=30"));
    encode(log, 0, 150);
    rate_finish(log);
    CHECK_NEAR(rate_bytes(log, 2, 3) * 8 / 3 / 500000, 1, 0.1);
}

static void a_clip_of_known_length_has_its_size(void) {
    rate_log *log = &log_of_session;
    rate_open_with(log, OPENH264);
    REQUIRE_OK(nalu_session_set_properties_from_text(
        log->session, "AverageBitRate=800000,ExpectedFrameRate=30,SourceFrameCount=132"));
    encode(log, 0, 132);
    rate_finish(log);
    const double size = rate_bytes(log, 0, 5), wanted = 800000 / 8.0 * 132 / 30;
    printf("  %.3f of the size\n", size / wanted);
    CHECK_NEAR(size / wanted, 1, 0.03);
}

int main(void) {
    rate_load();
    RUN(an_average_bit_rate_holds);
    RUN(a_frame_rate_beyond_the_library_has_the_same_bit_rate);
    RUN(a_new_rate_holds_after_half_a_second);
    RUN(a_ceiling_holds_over_a_quality);
    RUN(a_clip_of_known_length_has_its_size);
    return check_result();
}
