/*
 * ConstantBitRate: without delay, each second of the stream has the same number of bits for any pictures. With
 * lookahead, each interval has its share of bits, to within the half second that the decoder's buffer holds. If
 * the pictures can use the bits, little of the stream is filler. A frame that cannot be made small enough is
 * dropped, and its callback reports this.
 */
#define RATE_SHRINK 2
#include "rate_clip.h"
#include "refusal.h"

enum { SECONDS = 3 };

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

/* Makes all runs produce equal bytes. Otherwise x264's VBV buffer depends on the progress of each thread, and
 * the governor on the time. */
static void make_repeatable(const rate_log *log) {
    CHECK_OK(nalu_session_set_string(log->session, NALU_PROPERTY_X264_PARAMS, "threads=1"));
    CHECK_OK(nalu_session_set_bool(log->session, NALU_PROPERTY_REAL_TIME_GOVERNOR, 0));
}

/* Opens a session with ConstantBitRate, in which equal input gives equal bytes. */
static void open_constant(rate_log *log, const char *preset, int64_t rate, int frame_rate) {
    rate_open(log);
    make_repeatable(log);
    CHECK_OK(nalu_session_set_string(log->session, NALU_PROPERTY_X264_PRESET, preset));
    CHECK_OK(nalu_session_set_int64(log->session, NALU_PROPERTY_CONSTANT_BIT_RATE, rate));
    CHECK_OK(nalu_session_set_int64(log->session, NALU_PROPERTY_EXPECTED_FRAME_RATE, frame_rate));
}

/* Checks the minimum and the maximum number of bits in any second of decode time, relative to the rate. */
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

static void hold(const char *mode, const char *preset, int64_t rate, int frame_rate) {
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        if (!is_tried((int)i + frame_rate / 60)) continue;
        rate_log log;
        open_constant(&log, preset, rate, frame_rate);
        CHECK_OK(nalu_session_set_bool(log.session, NALU_PROPERTY_REAL_TIME, 1));
        CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 45));
        for (int frame = 0; frame < SECONDS * frame_rate; frame++)
            rate_encode(&log, contents[i].picture(frame), nalu_time_make(frame, frame_rate));
        rate_finish(&log);
        CHECK(log.key_frames >= SECONDS * frame_rate / 45);
        check_windows(&log, (double)rate, mode, contents[i].name);
    }
}

static void each_second_has_the_same_bits(void) {
    hold("real time, 500 kb/s", "ultrafast", 500000, 30);
    hold("real time, 1 Mb/s at 60 per second", "veryfast", 1000000, 60);
}

/* Checks that between any two samples the bits of the time between them flow, to within the size of the buffer. */
static void check_stretches(const rate_log *log, double rate, double buffer, const char *name) {
    double sum = 0, least = INFINITY, most = -INFINITY, early = 0, late = 0;
    for (int i = 0; i <= log->count; i++) {
        const double due = rate * log->times[i < log->count ? i : log->count - 1];
        /* The fullness before and after the sample leaves the buffer. */
        if (i) late = fmax(late, (sum - due) / rate - least);
        if (i < log->count) {
            least = fmin(least, (sum - due) / rate);
            most = fmax(most, (sum - due) / rate);
            early = fmax(early, most - (sum - due) / rate);
            sum += log->bytes[i] * 8;
        }
    }
    printf("  %s: at most %.3f s of the rate more than its share in a stretch, at most %.3f s less\n", name, late, early);
    CHECK(late <= buffer * 1.02);
    CHECK(early <= buffer * 1.02);
}

static void each_interval_has_its_share_of_bits_with_lookahead(void) {
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        if (!is_tried((int)i + 1)) continue;
        rate_log log;
        open_constant(&log, "veryfast", 250000, 30);
        CHECK_OK(nalu_session_set_int64(log.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 45));
        for (int frame = 0; frame < SECONDS * 30; frame++)
            rate_encode(&log, contents[i].picture(frame), nalu_time_make(frame, 30));
        rate_finish(&log);
        check_stretches(&log, 25e4, 0.5, contents[i].name);
    }
}

/* With lookahead x264 follows the presentation times, even if the frame rate differs from the announced one. */
static void the_rate_follows_presentation_times_with_lookahead(void) {
    rate_log log;
    open_constant(&log, "veryfast", 500000, 30);
    for (int frame = 0; frame < 75; frame++) rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 25));
    rate_finish(&log);
    check_stretches(&log, 5e5, 0.5, "25 per second, 30 announced");
}

/* ---- The use of the bits ---- */

typedef struct outcome {
    double bytes, filler, squared_error;
    int samples;
} outcome;

static void weigh(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    outcome *sum = (outcome *)refcon;
    nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
    size_t size = 0;
    (void)frame, (void)flags;
    CHECK_STATUS(status, NALU_STATUS_OK);
    if (!CHECK(sample != NULL)) return;
    nalu_sample_get_data(sample, &size);
    sum->bytes += (double)size;
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++)
        if ((nalu_sample_get_nal(sample, i, &size)[0] & 31) == NALU_NAL_FILLER) sum->filler += (double)size + 4;
    CHECK_OK(nalu_sample_get_quality_metrics(sample, &metrics));
    sum->squared_error += metrics.luma_mean_squared_error;
    sum->samples++;
}

/* Encodes the clip at 1 Mb/s. */
static outcome encode_clip(const char *key, const char *preset, int real_time, const char *threads) {
    outcome sum = {0};
    rate_log log = {0};
    REQUIRE_OK(nalu_compression_session_create(RATE_WIDTH, RATE_HEIGHT, NALU_CODEC_H264, NULL, NULL, weigh, &sum, NULL,
                                               &log.session));
    make_repeatable(&log);
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PARAMS, threads));
    CHECK_OK(nalu_session_set_int64(log.session, key, 1000000));
    CHECK_OK(nalu_session_set_string(log.session, NALU_PROPERTY_X264_PRESET, preset));
    CHECK_OK(nalu_session_set_bool(log.session, NALU_PROPERTY_REAL_TIME, real_time));
    CHECK_OK(nalu_session_set_double(log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    CHECK_OK(nalu_session_set_bool(log.session, NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR, 1));
    for (int frame = 0; frame < RATE_FRAMES; frame++)
        rate_encode(&log, rate_picture(frame), nalu_time_make(frame, 30));
    rate_finish(&log);
    CHECK_EQ(sum.samples, RATE_FRAMES);
    return sum;
}

static double decibels(outcome sum) { return 10 * log10(255 * 255 * sum.samples / sum.squared_error); }

static void little_filler_data_is_written(void) {
    static const struct { const char *preset; int real_time; const char *threads; } modes[] = {
        {"veryfast", 0, "threads=1"},
        {"medium", 0, "threads=1:" RATE_FAST_ANALYSIS},
        {"veryfast", 1, "threads=1"},
        /* Each of the two threads encodes a slice, and its rate control depends on the progress of the other. That
         * progress depends on the machine's load, so the minimum of several runs counts. */
        {"veryfast", 1, "threads=2"},
        {"ultrafast", 1, "threads=2"},
    };
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (!is_tried((int)i)) continue;
        int turns = strncmp(modes[i].threads, "threads=1", 9) == 0 ? 1 : 5;
        outcome constant;
        do {
            constant =
                encode_clip(NALU_PROPERTY_CONSTANT_BIT_RATE, modes[i].preset, modes[i].real_time, modes[i].threads);
        } while (--turns > 0 && constant.filler > 0.05 * constant.bytes);
        printf("  %s%s, %s: %.1f %% filler, %.2f dB\n", modes[i].preset, modes[i].real_time ? ", real time" : "",
               modes[i].threads, 100 * constant.filler / constant.bytes, decibels(constant));
        CHECK(constant.filler <= 0.05 * constant.bytes);
        /* Without delay the first key frame fits into the buffer of a frame and a half, and costs quality. */
        if (modes[i].real_time) continue;
        outcome average = encode_clip(NALU_PROPERTY_AVERAGE_BIT_RATE, modes[i].preset, 0, modes[i].threads);
        printf("  %s: %.2f dB with AverageBitRate\n", modes[i].preset, decibels(average));
        CHECK(decibels(constant) >= decibels(average) - 0.5);
    }
}

/* ---- Frames beyond the channel's capacity ---- */

typedef struct drops {
    rate_log log;
    int dropped, waits;
    double bytes;
} drops;

static void count_drops(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags,
                        nalu_sample *sample) {
    drops *it = (drops *)refcon;
    CHECK_STATUS(status, NALU_STATUS_OK);
    if (sample) {
        CHECK(!it->waits || nalu_sample_is_key_frame(sample));
        it->waits = 0;
        rate_take(&it->log, frame, status, flags, sample);
    } else {
        CHECK_EQ(flags, NALU_ENCODE_INFO_FRAME_DROPPED);
        it->dropped++;
        it->waits = 1;
    }
}

/* The limit holds however x264's threads are scheduled. */
static void no_second_exceeds_the_rate_with_several_threads(void) {
    static drops it;
    memset(&it, 0, sizeof it);
    REQUIRE_OK(nalu_compression_session_create(RATE_WIDTH, RATE_HEIGHT, NALU_CODEC_H264, NULL, NULL, count_drops, &it,
                                               NULL, &it.log.session));
    CHECK_OK(nalu_session_set_properties_from_text(
        it.log.session, "RealTime=true,ConstantBitRate=250000,ExpectedFrameRate=30,x264.params=\"threads=4\""));
    for (int frame = 0; frame < SECONDS * 30; frame++)
        rate_encode(&it.log, cut_each_third_frame(frame), nalu_time_make(frame, 30));
    rate_finish(&it.log);
    double most = rate_largest_window(&it.log, 1) * 8 / 25e4;
    printf("  four threads: at most %.4f of the rate in a second, %d of %d frames dropped\n", most, it.dropped, SECONDS * 30);
    CHECK(most <= 1.02);
}

/* At every QP the key frames of this size exceed the buffer. A key frame is delivered anyway, and later frames
 * are dropped until the channel has carried it. */
static void frames_beyond_the_channels_capacity_are_dropped(void) {
    static drops it;
    memset(&it, 0, sizeof it);
    REQUIRE_OK(nalu_compression_session_create(RATE_WIDTH, RATE_HEIGHT, NALU_CODEC_H264, NULL, NULL, count_drops, &it,
                                               NULL, &it.log.session));
    make_repeatable(&it.log);
    CHECK_OK(nalu_session_set_int64(it.log.session, NALU_PROPERTY_CONSTANT_BIT_RATE, 64000));
    CHECK_OK(nalu_session_set_string(it.log.session, NALU_PROPERTY_X264_PRESET, "ultrafast"));
    CHECK_OK(nalu_session_set_bool(it.log.session, NALU_PROPERTY_REAL_TIME, 1));
    CHECK_OK(nalu_session_set_double(it.log.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    for (int frame = 0; frame < SECONDS * 30; frame++)
        rate_encode(&it.log, rate_picture(frame), nalu_time_make(frame, 30));
    rate_finish(&it.log);
    double bits = 0, largest = 0;
    for (int i = 0; i < it.log.count; i++) {
        bits += it.log.bytes[i] * 8;
        largest = fmax(largest, it.log.bytes[i] * 8);
    }
    printf("  %d of %d frames dropped, %.3f of the rate\n", it.dropped, SECONDS * 30, bits / SECONDS / 64000);
    CHECK_EQ(it.log.count + it.dropped, SECONDS * 30);
    CHECK(it.dropped > 0);
    CHECK(it.log.count >= SECONDS);
    CHECK(bits <= 1.02 * 64000 * SECONDS + largest);
    /* Filler data replaces the bits of dropped frames. */
    CHECK(bits >= 0.98 * 64000 * SECONDS);
}

/* Filler data NAL units follow the picture's own NAL units. The SPS has NAL HRD parameters with cbr_flag. */
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

static void the_stream_signals_the_constant_rate(void) {
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

/* Reads the SEI messages of ITU-T H.264 D.1.2 and D.1.3. Returns cpb_removal_delay, for which x264 uses 31
 * bits, and whether the picture begins a buffering period. Returns -1 if the sample has no delay. */
static int64_t removal_delay(const nalu_sample *sample, int *begins) {
    int64_t delay = -1;
    *begins = 0;
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        size_t size = 0, used = 0;
        uint8_t bytes[64];
        const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
        if ((nal[0] & 31) != NALU_NAL_SEI) continue;
        /* Removes emulation prevention bytes. Each message here is short, and alone in its NAL unit. */
        for (size_t k = 1; k < size && used < sizeof bytes; k++)
            if (k < 3 || nal[k] != 3 || nal[k - 1] != 0 || nal[k - 2] != 0) bytes[used++] = nal[k];
        if (used > 6 && bytes[0] == 0) *begins = 1;
        if (used > 6 && bytes[0] == 1)
            delay = ((int64_t)bytes[2] << 24 | bytes[3] << 16 | bytes[4] << 8 | bytes[5]) >> 1;
    }
    return delay;
}

static int64_t since_period;
static int removals, reordered, wrong_removals;

static void look_at_removals(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    int begins = 0;
    look(refcon, frame, status, flags, sample);
    if (!CHECK(sample != NULL)) return;
    const int64_t delay = removal_delay(sample, &begins);
    /* Each picture is removed one frame (two ticks) after the picture before it, and the first picture at once. */
    wrong_removals += delay != (removals ? since_period + 2 : 0);
    since_period = begins ? 0 : delay;
    reordered += !begins && nalu_time_compare(nalu_sample_get_presentation_time(sample),
                                nalu_sample_get_decode_time(sample)) == 0;
    removals++;
}

/* The same with B-frames. */
static void pictures_are_removed_a_frame_apart(void) {
    static const struct { const char *frame_rate; int32_t scale, units; } rates[] = {{"25", 50, 1}, {"29.97", 60000, 1001}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        rate_log log = {0};
        char text[200];
        REQUIRE_OK(nalu_compression_session_create(RATE_WIDTH, RATE_HEIGHT, NALU_CODEC_H264, NULL, NULL, look_at_removals,
                                                   NULL, NULL, &log.session));
        snprintf(text, sizeof text, "ConstantBitRate=500000,ExpectedFrameRate=%s,MaxKeyFrameInterval=20,x264.preset=veryfast",
                 rates[i].frame_rate);
        CHECK_OK(nalu_session_set_properties_from_text(log.session, text));
        removals = reordered = wrong_removals = 0;
        for (int frame = 0; frame < 60; frame++)
            rate_encode(&log, rate_picture(frame), nalu_time_make((int64_t)frame * rates[i].units * 2, rates[i].scale));
        REQUIRE_OK(nalu_compression_session_complete_frames(log.session, nalu_time_invalid()));
        CHECK_EQ(removals, 60);
        CHECK(reordered > 10);
        CHECK_EQ(wrong_removals, 0);
        CHECK_EQ(sequence.time_scale, rates[i].scale);
        CHECK_EQ(sequence.num_units_in_tick, rates[i].units);
        nalu_compression_session_release(log.session);
    }
}

static void properties_that_conflict_with_constant_bit_rate_are_refused(void) {
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
    /* The share of a frame is unknown without a frame rate. */
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
    RUN(each_interval_has_its_share_of_bits_with_lookahead);
    RUN(the_rate_follows_presentation_times_with_lookahead);
    RUN(little_filler_data_is_written);
    RUN(no_second_exceeds_the_rate_with_several_threads);
    RUN(frames_beyond_the_channels_capacity_are_dropped);
    RUN(the_stream_signals_the_constant_rate);
    RUN(pictures_are_removed_a_frame_apart);
    RUN(properties_that_conflict_with_constant_bit_rate_are_refused);
    return check_result();
}
