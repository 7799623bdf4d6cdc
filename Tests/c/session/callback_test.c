/* The output callback: exactly once per frame, in decode order, never concurrently, with all arguments of the
 * frame. FFmpeg decodes the streams. */
#include "session_support.h"

static recorder all = RECORDER_INIT;

static void each_frame_has_exactly_one_callback(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    encode_all(session, &all, 60);
    judge_results(&all, __func__);
    nalu_compression_session_release(session);
    CHECK_EQ(all.count, 60);
    recorder_clear(&all);
}

/* A bit reader for an RBSP, most significant bit first; enough for the fields before frame_num. */
typedef struct bits {
    const uint8_t *bytes;
    size_t at;
} bits;

static unsigned read_bits(bits *from, int count) {
    unsigned value = 0;
    for (; count > 0; count--, from->at++) value = value << 1 | (from->bytes[from->at / 8] >> (7 - from->at % 8) & 1u);
    return value;
}

static unsigned read_golomb(bits *from) {
    int zeros = 0;
    while (zeros < 31 && read_bits(from, 1) == 0) zeros++;
    return (1u << zeros) - 1 + read_bits(from, zeros);
}

/* Reads the SPS (ITU-T H.264 7.3.2.1.1) up to log2_max_frame_num_minus4, for a High profile without scaling
 * lists. */
static int bits_of_frame_num(nalu_sample *sample) {
    bits sps = {nalu_format_description_get_parameter_set(nalu_sample_get_format_description(sample), 0, NULL), 8};
    CHECK_EQ(read_bits(&sps, 8), 100);
    read_bits(&sps, 16);
    for (int field = 0; field < 4; field++) read_golomb(&sps);
    CHECK_EQ(read_bits(&sps, 2), 0);
    return (int)read_golomb(&sps) + 4;
}

/* Reads the slice header (ITU-T H.264 7.3.3): first_mb_in_slice, slice_type, pic_parameter_set_id, frame_num of
 * the first slice. */
static unsigned frame_num(nalu_sample *sample, int width) {
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        const uint8_t *unit = nalu_sample_get_nal(sample, i, NULL);
        if ((unit[0] & 31) != NALU_NAL_SLICE && (unit[0] & 31) != NALU_NAL_SLICE_IDR) continue;
        bits slice = {unit, 8};
        for (int field = 0; field < 3; field++) read_golomb(&slice);
        return read_bits(&slice, width);
    }
    CHECK(!"the sample has a slice");
    return 0;
}

/* frame_num counts earlier reference pictures (7.4.3), so it proves the decode order. */
static void check_frame_nums(void) {
    const int width = bits_of_frame_num(all.results[0].sample);
    unsigned references = 0;
    for (size_t i = 0; i < all.count; i++) {
        nalu_sample *sample = all.results[i].sample;
        if (nalu_sample_is_key_frame(sample)) references = 0;
        CHECK_EQ(frame_num(sample, width), references % (1u << width));
        if (nalu_sample_get_attachments(sample) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) references++;
    }
}

/* H.265 has no frame_num. The picture order count (ITU-T H.265 7.3.6.1) proves which picture a sample has. Its 8 bits
 * follow the type of the slice; IDR pictures (types 19 and 20) have none, and begin a new count. */
static void check_picture_order_counts(void) {
    size_t first = 0;
    for (size_t i = 0; i < all.count; i++) {
        const size_t number = FRAME_NUMBER(all.results[i].frame_refcon);
        nalu_sample *sample = all.results[i].sample;
        const uint8_t *unit = NULL;
        for (uint32_t k = 0; k < nalu_sample_get_nal_count(sample) && !unit; k++) {
            const uint8_t *each = nalu_sample_get_nal(sample, k, NULL);
            if ((each[0] >> 1 & 63) < 32) unit = each;
        }
        REQUIRE(unit != NULL);
        if ((unit[0] >> 1 & 63) == 19 || (unit[0] >> 1 & 63) == 20) {
            first = number;
            continue;
        }
        bits slice = {unit, 16};
        CHECK_EQ(read_bits(&slice, 1), 1);
        for (int field = 0; field < 2; field++) read_golomb(&slice);
        CHECK_EQ(read_bits(&slice, 8), (number - first) & 255);
    }
}

/* FFmpeg decodes the samples in this order. */
static void samples_are_delivered_in_decode_order(void) {
    int went_back = 0;
    nalu_compression_session *session = make_session(record_result, &all);
    make_reordering(session);
    encode_all(session, &all, 60);
    check_decode_times(&all);
    judge_results(&all, __func__);
    if (tested()->codec == NALU_CODEC_HEVC) check_picture_order_counts();
    else check_frame_nums();
    for (size_t i = 1; i < all.count; i++)
        went_back += FRAME_NUMBER(all.results[i].frame_refcon) < FRAME_NUMBER(all.results[i - 1].frame_refcon);
    CHECK_EQ(went_back > 0, can_delay());
    end_session(session, &all);
}

static void a_refused_frame_gets_no_callback(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_immediate(session);
    CHECK_OK(encode_picture(session, 5));
    CHECK_STATUS(encode_picture(session, 5), NALU_STATUS_INVALID_TIME);
    CHECK_STATUS(encode_picture(session, 4), NALU_STATUS_INVALID_TIME);
    uint8_t pixels[PICTURE_SIZE] = {0};
    CHECK_STATUS(encode_pixels(session, pixels, nalu_time_invalid(), NULL, NULL), NALU_STATUS_INVALID_TIME);
    CHECK_STATUS(encode_pixels(session, pixels, nalu_time_indefinite(), NULL, NULL), NALU_STATUS_INVALID_TIME);
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.flags = 1u << 31;
    CHECK_STATUS(encode_picture_with(session, 6, &options), NALU_STATUS_PARAMETER);
    CHECK_OK(encode_picture(session, 6));
    CHECK_OK(complete_all(session));
    CHECK_EQ(all.count, 2);
    CHECK_EQ(pending_frames(session), 0);
    CHECK_OK(nalu_compression_session_invalidate(session));
    CHECK_STATUS(encode_picture(session, 7), NALU_STATUS_INVALID_SESSION);
    nalu_compression_session_release(session);
    CHECK_EQ(all.count, 2);
    recorder_clear(&all);
}

static void all_callbacks_are_on_the_sessions_thread(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    encode_pictures(session, 20);
    CHECK_OK(complete_all(session));
    for (unsigned i = 20; i < 40; i++) CHECK_OK(encode_picture(session, i));
    CHECK_OK(nalu_compression_session_invalidate(session));
    CHECK_EQ(all.count, 40);
    for (size_t i = 0; i < all.count; i++) {
        CHECK(pthread_equal(all.results[i].thread, all.results[0].thread));
        CHECK(!pthread_equal(all.results[i].thread, pthread_self()));
    }
    end_session(session, &all);
}

static void a_frame_may_have_its_own_callback(void) {
    static recorder own = RECORDER_INIT;
    nalu_compression_session *session = make_session(record_result, &all);
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.callback = record_result;
    options.callback_refcon = &own;
    for (unsigned i = 0; i < 30; i++) CHECK_OK(encode_picture_with(session, i, i % 3 == 0 ? &options : NULL));
    CHECK_OK(complete_all(session));
    CHECK_EQ(own.count, 10);
    CHECK_EQ(all.count, 20);
    for (size_t i = 0; i < own.count; i++) CHECK_EQ(FRAME_NUMBER(own.results[i].frame_refcon) % 3, 0);
    for (size_t i = 0; i < all.count; i++) CHECK(FRAME_NUMBER(all.results[i].frame_refcon) % 3 != 0);
    end_session(session, &all);
    recorder_clear(&own);
}

static void a_session_without_a_callback_accepts_frames_with_one(void) {
    nalu_compression_session *session = make_session(NULL, NULL);
    make_immediate(session);
    CHECK_STATUS(encode_picture(session, 0), NALU_STATUS_PARAMETER);
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    CHECK_STATUS(encode_picture_with(session, 0, &options), NALU_STATUS_PARAMETER);
    options.callback = record_result;
    options.callback_refcon = &all;
    CHECK_OK(encode_picture_with(session, 0, &options));
    CHECK_STATUS(encode_picture(session, 1), NALU_STATUS_PARAMETER);
    complete_and_check(session, &all, 1);
    end_session(session, &all);
}

static void a_retained_sample_outlives_its_session(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_immediate(session);
    CHECK_OK(encode_picture(session, 0));
    CHECK_OK(complete_all(session));
    nalu_sample *sample = nalu_sample_retain(all.results[0].sample);
    nalu_format_description *format = nalu_format_description_retain(nalu_sample_get_format_description(sample));
    recorder_clear(&all);
    nalu_compression_session_release(session);
    size_t size = 0;
    CHECK(nalu_sample_get_data(sample, &size) != NULL && size > 4);
    CHECK_EQ(nalu_sample_is_key_frame(sample), 1);
    CHECK_PTR_EQ(nalu_sample_get_frame_refcon(sample), FRAME(0));
    CHECK(same_time(nalu_sample_get_presentation_time(sample), frame_time(0)));
    CHECK_PTR_EQ(nalu_sample_get_format_description(sample), format);
    nalu_sample_release(sample);
    CHECK_EQ(nalu_format_description_get_width(format), WIDTH);
    CHECK_EQ(nalu_format_description_get_height(format), HEIGHT);
    nalu_format_description_release(format);
}

static void consecutive_samples_share_one_format_description(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    encode_pictures(session, 20);
    CHECK_OK(complete_all(session));
    for (size_t i = 1; i < all.count; i++)
        CHECK_PTR_EQ(nalu_sample_get_format_description(all.results[i].sample),
                     nalu_sample_get_format_description(all.results[0].sample));
    end_session(session, &all);
}

static void a_forced_key_frame_is_a_key_frame(void) {
    for (int delayed = 0; delayed < 2; delayed++) {
        nalu_compression_session *session = make_session(record_result, &all);
        if (delayed) make_reordering(session);
        else make_immediate(session);
        nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
        options.flags = NALU_FRAME_FORCE_KEY_FRAME;
        for (unsigned i = 0; i < 30; i++) CHECK_OK(encode_picture_with(session, i, i == 13 ? &options : NULL));
        complete_and_check(session, &all, 30);
        judge_results(&all, __func__);
        for (size_t i = 0; i < all.count; i++) {
            const uint32_t attachments = nalu_sample_get_attachments(all.results[i].sample);
            const size_t number = FRAME_NUMBER(all.results[i].frame_refcon);
            const int is_key = number == 0 || number == 13;
            CHECK_EQ(nalu_sample_is_key_frame(all.results[i].sample), is_key);
            CHECK_EQ((attachments & NALU_SAMPLE_NOT_SYNC) == 0, is_key);
            CHECK_EQ((attachments & NALU_SAMPLE_DEPENDS_ON_OTHERS) == 0, is_key);
            /* No frame before the key frame is decoded after it. */
            if (number == 13) CHECK_EQ(i, 13);
        }
        end_session(session, &all);
    }
}

int main(void) {
    RUN(each_frame_has_exactly_one_callback);
    RUN(samples_are_delivered_in_decode_order);
    RUN(a_refused_frame_gets_no_callback);
    RUN(all_callbacks_are_on_the_sessions_thread);
    RUN(a_frame_may_have_its_own_callback);
    RUN(a_session_without_a_callback_accepts_frames_with_one);
    RUN(a_retained_sample_outlives_its_session);
    RUN(consecutive_samples_share_one_format_description);
    RUN(a_forced_key_frame_is_a_key_frame);
    RUN(judge_streams);
    return check_result();
}
