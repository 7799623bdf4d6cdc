/*
 * ConstantBitRate: each second of the stream has the same number of bits, whatever the pictures are, filled up where
 * they need fewer; the stream says so in its HRD parameters.
 */
#include "rate_clip.h"
#include "refusal.h"

enum { SECONDS = 4 };

static const uint8_t *grey_picture(int frame) {
    static uint8_t grey[RATE_FRAME];
    (void)frame;
    memset(grey, 128, sizeof grey);
    return grey;
}
static const uint8_t *clip_then_noise(int frame) { return frame < 60 ? rate_picture(frame) : rate_noise(frame); }
static const uint8_t *cut_each_third_frame(int frame) { return rate_picture(frame / 3 * 37 % RATE_FRAMES); }

typedef struct content {
    const char *name;
    const uint8_t *(*picture)(int frame);
} content;
static const content contents[] = {
    {"clip", rate_picture},
    {"grey", grey_picture},
    {"clip, then noise", clip_then_noise},
    {"a cut each third frame", cut_each_third_frame},
};

/* The least and the most bits in any second of decode time, through the rate. */
static void check_windows(const rate_log *log, double rate, const char *mode, const char *name) {
    double least = INFINITY, most = 0, end = log->times[log->count - 1];
    for (int i = 0; i < log->count && log->times[i] + 1 <= end + 1e-9; i++) {
        double bits = rate_bytes(log, log->times[i], 1) * 8;
        least = fmin(least, bits);
        most = fmax(most, bits);
    }
    printf("  %s, %s: each second has %.4f to %.4f of the rate\n", mode, name, least / rate, most / rate);
    CHECK(least >= 0.98 * rate);
    CHECK(most <= 1.02 * rate);
}

static void hold(const char *mode, int real_time, const char *preset, int64_t rate, int frame_rate) {
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        rate_log log;
        rate_open(&log);
        CHECK_OK(nalu_session_set_bool(log.session, NALU_PROPERTY_REAL_TIME, real_time));
        CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PRESET, preset));
        CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_CONSTANT_BIT_RATE, rate));
        CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, frame_rate));
        CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 45));
        for (int frame = 0; frame < SECONDS * frame_rate; frame++)
            rate_encode(&log, contents[i].picture(frame), nalu_time_make(frame, frame_rate));
        rate_finish(&log);
        CHECK(log.key_frames >= SECONDS * frame_rate / 45);
        check_windows(&log, (double)rate, mode, contents[i].name);
    }
}

static void each_second_has_the_same_bits(void) {
    hold("real time, 2 Mb/s", 1, "ultrafast", 2000000, 30);
    hold("real time, 4 Mb/s at 60 a second", 1, "veryfast", 4000000, 60);
    hold("file, 1 Mb/s", 0, "veryfast", 1000000, 30);
}

/* With lookahead x264 goes by the presentation times: at another cadence than the announced one, too. */
static void the_rate_goes_by_time_with_lookahead(void) {
    rate_log log;
    rate_open(&log);
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PRESET, "veryfast"));
    CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_CONSTANT_BIT_RATE, 2000000));
    CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    for (int frame = 0; frame < 75; frame++) rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 25));
    rate_finish(&log);
    check_windows(&log, 2e6, "file", "25 a second, 30 announced");
}

/* Filler data NAL units stand behind the picture's own; the SPS has NAL HRD parameters with cbr_flag. */
static int fillers, samples;
static nalu_sequence_info sequence;

static void look(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    (void)refcon, (void)frame, (void)flags;
    CHECK_STATUS(status, NALU_STATUS_OK);
    if (!sample) return;
    samples++;
    sequence.struct_size = sizeof sequence;
    CHECK_OK(nalu_format_description_get_sequence_info(nalu_sample_get_format_description(sample), &sequence));
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++)
        if ((nalu_sample_get_nal(sample, i, NULL)[0] & 31) == NALU_NAL_FILLER) {
            fillers++;
            break;
        }
}

static nalu_compression_session *make(void) {
    nalu_compression_session *session = NULL;
    REQUIRE_OK(nalu_compression_session_create(RATE_WIDTH, RATE_HEIGHT, NALU_CODEC_H264, NULL, NULL, look, NULL, NULL,
                                               &session));
    return session;
}

static nalu_status encode_grey(nalu_compression_session *session, int frame) {
    const uint8_t *picture = grey_picture(frame);
    const void *planes[3] = {picture, picture + RATE_WIDTH * RATE_HEIGHT, picture + RATE_WIDTH * RATE_HEIGHT * 5 / 4};
    const int64_t strides[3] = {RATE_WIDTH, RATE_WIDTH / 2, RATE_WIDTH / 2};
    return nalu_compression_session_encode_planes(session, RATE_WIDTH, RATE_HEIGHT, NALU_PIXEL_FORMAT_Y420, 3, planes,
                                                  strides, NULL, nalu_time_make(frame, 30), nalu_time_invalid(), NULL,
                                                  NULL, NULL);
}

static void the_stream_says_so(void) {
    nalu_compression_session *session = make();
    fillers = samples = 0;
    CHECK_OK(nalu_session_set_bool(session, NALU_PROPERTY_REAL_TIME, 1));
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_CONSTANT_BIT_RATE, 1000000));
    CHECK_OK(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    for (int frame = 0; frame < 10; frame++) CHECK_OK(encode_grey(session, frame));
    CHECK_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    CHECK_EQ(samples, 10);
    CHECK(fillers >= 9);
    CHECK_EQ(sequence.nal_hrd, 1);
    int64_t bytes = 0;
    CHECK_OK(nalu_session_get_int64(session, NALU_PROPERTY_ESTIMATED_AVERAGE_BYTES_PER_FRAME, &bytes));
    CHECK_EQ(bytes, 4167);
    nalu_compression_session_release(session);
}

static void what_it_excludes_is_refused(void) {
    nalu_compression_session *session = make();
    const double limit[2] = {100000, 1};
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_CONSTANT_BIT_RATE, 1000000));
    REFUSED(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 1000000), NALU_STATUS_CONFLICT, "ConstantBitRate");
    REFUSED(nalu_session_set_int64(session, NALU_PROPERTY_VARIABLE_BIT_RATE, 1000000), NALU_STATUS_CONFLICT, "ConstantBitRate");
    REFUSED(nalu_session_set_double(session, NALU_PROPERTY_QUALITY, 0.5), NALU_STATUS_CONFLICT, "ConstantBitRate");
    REFUSED(nalu_session_set_numbers(session, NALU_PROPERTY_DATA_RATE_LIMITS, limit, 2), NALU_STATUS_CONFLICT, "ConstantBitRate");
    REFUSED(nalu_session_set_int64(session, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, 40), NALU_STATUS_CONFLICT, "ConstantBitRate");
    REFUSED(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "crf=20"), NALU_STATUS_CONFLICT, "ConstantBitRate");
    REFUSED(nalu_session_set_int64(session, NALU_PROPERTY_CONSTANT_BIT_RATE, 63999), NALU_STATUS_OUT_OF_RANGE, "64000");
    /* Without a frame rate nobody knows a frame's share. */
    REFUSED(encode_grey(session, 0), NALU_STATUS_CONFLICT, "ExpectedFrameRate");
    CHECK_OK(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    CHECK_OK(encode_grey(session, 0));
    REFUSED(nalu_session_set_int64(session, NALU_PROPERTY_CONSTANT_BIT_RATE, 2000000), NALU_STATUS_TOO_LATE, "ConstantBitRate");
    REFUSED(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 25), NALU_STATUS_TOO_LATE, "ExpectedFrameRate");
    REFUSED(nalu_session_set_int64(session, NALU_PROPERTY_VBV_MAX_BIT_RATE, 2000000), NALU_STATUS_TOO_LATE, "VBVMaxBitRate");
    CHECK_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    nalu_compression_session_release(session);
}

int main(void) {
    rate_load();
    RUN(each_second_has_the_same_bits);
    RUN(the_rate_goes_by_time_with_lookahead);
    RUN(the_stream_says_so);
    RUN(what_it_excludes_is_refused);
    return check_result();
}
