/*
 * NaluParameterSetsInStream: a client writes the parameter sets into the stream before each key frame. The sets are
 * then part of the plan of ConstantBitRate, and of the windows of DataRateLimits. The samples stay without them.
 */
#define RATE_SHRINK 4
#include "rate_clip.h"

enum { FRAME_RATE = 25, PICTURES = 150 };

static size_t largest_sets, sets_in_samples;

static void take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    rate_log *log = (rate_log *)refcon;
    static uint8_t bytes[1 << 20];
    size_t own = 0, size = 0;
    (void)frame, (void)flags;
    CHECK_STATUS(status, NALU_STATUS_OK);
    if (!sample) return;
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        const int type = nalu_sample_get_nal(sample, i, NULL)[0] & 31;
        sets_in_samples += type == NALU_NAL_SPS || type == NALU_NAL_PPS;
    }
    nalu_sample_get_data(sample, &own);
    REQUIRE_OK(nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, bytes, sizeof bytes, &size));
    if (size - own > largest_sets) largest_sets = size - own;
    log->times[log->count] = nalu_time_get_seconds(nalu_sample_get_decode_time(sample));
    log->bytes[log->count++] = (double)size;
    log->key_frames += nalu_sample_is_key_frame(sample);
}

static const uint8_t *grey(int frame) {
    static uint8_t picture[RATE_FRAME];
    (void)frame;
    memset(picture, 128, sizeof picture);
    return picture;
}

/* Encodes pictures. The log has the bytes of Annex B with parameter sets. */
static void encode(rate_log *log, const char *properties, const uint8_t *(*picture)(int)) {
    memset(log, 0, sizeof *log);
    largest_sets = sets_in_samples = 0;
    REQUIRE_OK(nalu_compression_session_create(RATE_WIDTH, RATE_HEIGHT, NALU_CODEC_H264, NULL, NULL, take, log, NULL,
                                               &log->session));
    REQUIRE_OK(nalu_session_set_properties_from_text(log->session, properties));
    REQUIRE_OK(nalu_session_set_properties_from_text(
        log->session, "NaluParameterSetsInStream=true,NaluRealTimeGovernor=false,ExpectedFrameRate=25,x264.preset=superfast"));
    for (int frame = 0; frame < PICTURES; frame++) rate_encode(log, picture(frame), nalu_time_make(frame, FRAME_RATE));
    rate_finish(log);
    CHECK_EQ(sets_in_samples, 0);
    CHECK(largest_sets > 20);
}

/*
 * The buffer of a channel is filled continuously. No picture removes more than it contains, and filler data keep it
 * from overflowing, so that it stays full while the picture is grey. Sets that nobody counts would empty it.
 */
static void the_channel_carries_the_sets(const char *properties, double rate, double buffer, double beginning) {
    static rate_log log;
    encode(&log, properties, grey);
    CHECK_EQ(log.count, PICTURES);
    CHECK_EQ(log.key_frames, PICTURES / 5);
    double bits = buffer * beginning, least = bits, most = bits, last = 0;
    for (int i = 0; i < log.count; i++) {
        if (i) bits += rate * (log.times[i] - log.times[i - 1]);
        most = fmax(most, bits);
        if (i >= log.count - 10) last = fmax(last, bits);
        bits -= log.bytes[i] * 8;
        least = fmin(least, bits);
    }
    const double sets = log.key_frames * (double)largest_sets * 8 / buffer;
    printf("  %s: the buffer has %.3f to %.3f of its size, %.3f at the end; all sets have %.3f\n", properties,
           least / buffer, most / buffer, last / buffer, sets);
    CHECK(least >= 0);
    CHECK(most <= 1.02 * buffer);
    CHECK(last >= 0.95 * buffer);
    CHECK(sets > 0.2);
}

static void constant_bit_rate_counts_the_sets(void) {
    /* Without delay, the buffer holds a frame and 18 ms; with lookahead, half a second. */
    the_channel_carries_the_sets("ConstantBitRate=128000,RealTime=true,MaxKeyFrameInterval=5,x264.params=\"threads=1\"", 128000,
                                 128000 * (1.0 / FRAME_RATE + 0.018), 1);
    the_channel_carries_the_sets("ConstantBitRate=64000,MaxKeyFrameInterval=5,AllowFrameReordering=false,x264.params=\"threads=1\"",
                                 64000, 64000 * 0.5, 0.9);
}

/* A second without motion, then a second with cuts, which uses all that the limit allows. */
static const uint8_t *burst(int frame) { return frame / FRAME_RATE % 2 ? rate_picture(frame * 37 % RATE_FRAMES) : grey(frame); }

/* The sets take an eighth of the limit. */
static void data_rate_limits_count_the_sets(void) {
    static rate_log log;
    encode(&log, "DataRateLimits=[8000,1],AverageBitRate=400000,RealTime=true,MaxKeyFrameInterval=1", burst);
    const double fullest = rate_largest_window(&log, 1);
    printf("  the fullest second has %.0f bytes, %.0f of them parameter sets; the limit is 8000\n", fullest,
           (double)largest_sets * FRAME_RATE);
    CHECK(fullest <= 8000);
    CHECK(fullest - (double)largest_sets * FRAME_RATE > 4000);
}

int main(void) {
    rate_load();
    RUN(constant_bit_rate_counts_the_sets);
    RUN(data_rate_limits_count_the_sets);
    return check_result();
}
