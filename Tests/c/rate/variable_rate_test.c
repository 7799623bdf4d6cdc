/* VariableBitRate: a long-term average within the VBV buffer that VBVMaxBitRate and the related properties
 * describe. */
#define RATE_SHRINK 4
#include "rate_clip.h"
#include "refusal.h"

enum { FRAMES = 240, RATE = 188000 };

/* Returns by how many bits a buffer underflows at most. Bits enter at `rate`; each sample leaves at its decode
 * time. */
static double largest_lack(const rate_log *log, double rate, double size, double initial) {
    double held = size * initial, lack = 0;
    for (int i = 0; i < log->count; i++) {
        if (i > 0) held = fmin(size, held + rate * (log->times[i] - log->times[i - 1]));
        held -= log->bytes[i] * 8;
        lack = fmax(lack, -held);
    }
    return lack;
}

/* Two still seconds, then the clip, then two seconds of cuts, so that the bits must be distributed unevenly. */
static const uint8_t *picture(int frame) {
    if (frame < 60) return rate_picture(0);
    return frame < 180 ? rate_picture(frame - 60) : rate_picture(frame * 37 % RATE_FRAMES);
}

static void open_with(rate_log *log, const char *vbv) {
    char text[300];
    rate_open(log);
    snprintf(text, sizeof text, "x264.preset=veryfast,VariableBitRate=%d,ExpectedFrameRate=30%s", RATE, vbv);
    CHECK_OK(nalu_session_set_properties_from_text(log->session, text));
}

static void encode_all(rate_log *log) {
    for (int frame = 0; frame < FRAMES; frame++) rate_encode(log, picture(frame), nalu_time_make(frame, 30));
    CHECK_OK(nalu_compression_session_complete_frames(log->session, nalu_time_invalid()));
}

static void the_vbv_buffer_does_not_underflow(void) {
    /* The first VBV buffer holds five seconds of the average, which is more than half of the clip. */
    static const struct { const char *text; double rate, seconds, initial, tolerance; } buffers[] = {
        {"", 2.0 * RATE, 2.5, 0.9, 0.35},
        {",VBVMaxBitRate=188000,VBVBufferDuration=1", RATE, 1, 0.9, 0.15},
        {",VBVMaxBitRate=250000,VBVBufferDuration=0.5,VBVInitialDelayPercentage=50", 2.5e5, 0.5, 0.5, 0.15},
    };
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        rate_log log;
        double size = buffers[i].rate * buffers[i].seconds;
        open_with(&log, buffers[i].text);
        encode_all(&log);
        double lack = largest_lack(&log, buffers[i].rate, size, buffers[i].initial);
        double average = rate_bytes(&log, -1, 100) * 8 / (FRAMES / 30.0);
        printf("  %s: %.2f of the average, the VBV buffer lacks %.4f of its size\n", buffers[i].text, average / RATE, lack / size);
        /* x264 counts whole kilobits, and misses its VBV buffer by some bits. */
        CHECK(lack <= 0.01 * size);
        CHECK_NEAR(average / RATE, 1, buffers[i].tolerance);
        nalu_compression_session_release(log.session);
    }
}

/* Frames of 1/60 to 1/15 s. B-frames are decoded at other times than they are presented. */
static void uneven_frames_do_not_underflow_the_vbv_buffer(void) {
    static const int steps[] = {1, 2, 2, 4};
    static const struct { const char *text; double rate, seconds; } buffers[] = {
        {",VBVMaxBitRate=225000,VBVBufferDuration=0.2", 2.25e5, 0.2},
        {",VBVMaxBitRate=188000,VBVBufferDuration=0.3", RATE, 0.3},
        {",VBVMaxBitRate=375000,VBVBufferDuration=0.1,MaxKeyFrameInterval=25", 3.75e5, 0.1},
        {",VBVMaxBitRate=225000,VBVBufferDuration=0.1,MaxKeyFrameInterval=10", 2.25e5, 0.1},
    };
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        rate_log log;
        double size = buffers[i].rate * buffers[i].seconds;
        int64_t time = 0;
        uint32_t random = (uint32_t)(i + 1) * 2654435761u;
        open_with(&log, buffers[i].text);
        for (int frame = 0; frame < FRAMES; frame++) {
            rate_encode(&log, picture(frame), nalu_time_make(time, 60));
            random = random * 1664525u + 1013904223u;
            time += steps[random >> 30];
        }
        CHECK_OK(nalu_compression_session_complete_frames(log.session, nalu_time_invalid()));
        double lack = largest_lack(&log, buffers[i].rate, size, 0.9);
        printf("  %s: the VBV buffer lacks %.4f of its size\n", buffers[i].text, lack / size);
        CHECK(lack <= 0.01 * size);
        nalu_compression_session_release(log.session);
    }
}

static void check_effective(rate_log *log, const char *words) {
    char text[4096] = "";
    size_t size = 0;
    CHECK_OK(nalu_session_copy_string(log->session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size));
    check_that(strstr(text, words) != NULL, __FILE__, __LINE__, words, text);
}

static void x264_gets_the_vbv_buffer(void) {
    rate_log log;
    open_with(&log, ",VBVMaxBitRate=250000,VBVBufferDuration=0.5,VBVInitialDelayPercentage=25");
    CHECK_OK(nalu_compression_session_prepare(log.session));
    check_effective(&log, ":bitrate=188:");
    check_effective(&log, ":vbv-maxrate=250:vbv-bufsize=125:vbv-init=0.25");
    nalu_compression_session_release(log.session);
}

/* A VBV buffer with a lower initial fullness leaves fewer bits for the first picture. */
static void a_lower_initial_fullness_makes_the_first_picture_smaller(void) {
    double first[2];
    for (int i = 0; i < 2; i++) {
        rate_log log;
        open_with(&log, i ? ",VBVMaxBitRate=188000,VBVBufferDuration=0.5,VBVInitialDelayPercentage=10"
                          : ",VBVMaxBitRate=188000,VBVBufferDuration=0.5,VBVInitialDelayPercentage=100");
        for (int frame = 0; frame < 30; frame++) rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 30));
        CHECK_OK(nalu_compression_session_complete_frames(log.session, nalu_time_invalid()));
        first[i] = log.bytes[0];
        nalu_compression_session_release(log.session);
    }
    printf("  first picture: %.0f bytes from a full VBV buffer, %.0f from one that is a tenth full\n", first[0], first[1]);
    CHECK(first[1] < 0.8 * first[0]);
}

static void the_vbv_buffer_can_change_while_encoding(void) {
    rate_log log;
    open_with(&log, ",VBVMaxBitRate=375000,VBVBufferDuration=1");
    for (int frame = 0; frame < 120; frame++) {
        if (frame == 60) {
            CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_VBV_MAX_BIT_RATE, 200000));
            CHECK_OK(nalu_session_set_double(log.session, NALU_PROPERTY_VBV_BUFFER_DURATION, 0.5));
        }
        rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 30));
    }
    CHECK_OK(nalu_compression_session_complete_frames(log.session, nalu_time_invalid()));
    check_effective(&log, ":vbv-maxrate=200:vbv-bufsize=100");
    CHECK_EQ(log.key_frames, 1);
    CHECK(rate_largest_window(&log, 1) > 0);
    REFUSED(nalu_session_set_int64(log.session, NALU_PROPERTY_VARIABLE_BIT_RATE, 250000), NALU_STATUS_CONFLICT,
            "VBVMaxBitRate 200000", "VariableBitRate 250000");
    REFUSED(nalu_session_set_int64(log.session, NALU_PROPERTY_VARIABLE_BIT_RATE, 150000), NALU_STATUS_TOO_LATE,
            "VariableBitRate");
    REFUSED(nalu_session_set_double(log.session, NALU_PROPERTY_VBV_INITIAL_DELAY_PERCENTAGE, 40), NALU_STATUS_TOO_LATE,
            "VBVInitialDelayPercentage");
    nalu_compression_session_release(log.session);
}

static void properties_that_conflict_with_variable_bit_rate_are_refused(void) {
    rate_log log;
    open_with(&log, "");
    nalu_compression_session *s = log.session;
    REFUSED(nalu_session_set_int64(s, NALU_PROPERTY_AVERAGE_BIT_RATE, 1000000), NALU_STATUS_CONFLICT, "VariableBitRate");
    REFUSED(nalu_session_set_int64(s, NALU_PROPERTY_CONSTANT_BIT_RATE, 1000000), NALU_STATUS_CONFLICT, "VariableBitRate");
    REFUSED(nalu_session_set_double(s, NALU_PROPERTY_QUALITY, 0.5), NALU_STATUS_CONFLICT, "VariableBitRate");
    REFUSED(nalu_session_set_bool(s, NALU_PROPERTY_REAL_TIME, 1), NALU_STATUS_CONFLICT, "VariableBitRate", "RealTime");
    REFUSED(nalu_session_set_int64(s, NALU_PROPERTY_VBV_MAX_BIT_RATE, RATE - 1), NALU_STATUS_CONFLICT, "VBVMaxBitRate");
    REFUSED(nalu_session_set_string(s, NALU_PROPERTY_X264_PARAMS, "vbv-init=0.5"), NALU_STATUS_CONFLICT, "vbv-init");
    /* The VBV properties without VariableBitRate limit nothing. */
    CHECK_OK(nalu_session_unset_property(s, NALU_PROPERTY_VARIABLE_BIT_RATE));
    CHECK_OK(nalu_session_set_double(s, NALU_PROPERTY_VBV_BUFFER_DURATION, 1));
    REFUSED(nalu_compression_session_prepare(s), NALU_STATUS_CONFLICT, "VBVBufferDuration", "VariableBitRate");
    CHECK_OK(nalu_session_unset_property(s, NALU_PROPERTY_VBV_BUFFER_DURATION));
    rate_encode(&log, rate_picture(0), nalu_time_make(0, 30));
    REFUSED(nalu_session_set_double(s, NALU_PROPERTY_VBV_BUFFER_DURATION, 1), NALU_STATUS_TOO_LATE, "VBVBufferDuration");
    nalu_compression_session_release(s);
}

int main(void) {
    rate_load();
    RUN(the_vbv_buffer_does_not_underflow);
    RUN(uneven_frames_do_not_underflow_the_vbv_buffer);
    RUN(x264_gets_the_vbv_buffer);
    RUN(a_lower_initial_fullness_makes_the_first_picture_smaller);
    RUN(the_vbv_buffer_can_change_while_encoding);
    RUN(properties_that_conflict_with_variable_bit_rate_are_refused);
    return check_result();
}
