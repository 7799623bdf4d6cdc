/* Creating and preparing a session, and its state after a first frame that cannot be encoded. */
#include "session_support.h"

static recorder all = RECORDER_INIT;

static void prepare_may_be_called_any_number_of_times(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    CHECK_OK(nalu_compression_session_prepare(session));
    CHECK_OK(nalu_compression_session_prepare(session));
    CHECK_OK(encode_picture(session, 0));
    CHECK_OK(nalu_compression_session_prepare(session));
    CHECK_OK(complete_all(session));
    CHECK_OK(nalu_compression_session_prepare(session));
    check_all_encoded(&all, 1);
    end_session(session, &all);
}

static void most_properties_cannot_change_after_the_first_frame(void) {
    for (int by_frame = 0; by_frame < 2; by_frame++) {
        nalu_compression_session *session = make_session(record_result, &all);
        CHECK_OK(nalu_session_set_string(session, tested()->late, tested()->values[0]));
        if (by_frame) CHECK_OK(encode_picture(session, 0));
        else CHECK_OK(nalu_compression_session_prepare(session));
        CHECK_STATUS(nalu_session_set_string(session, tested()->late, tested()->values[1]),
                     by_frame ? NALU_STATUS_TOO_LATE : NALU_STATUS_OK);
        end_session(session, &all);
    }
}

/* One thread opens the encoder, and the other threads wait for it. */
static void *prepare_session(void *session) {
    CHECK_OK(nalu_compression_session_prepare((nalu_compression_session *)session));
    return NULL;
}

static void several_threads_may_prepare_at_once(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) REQUIRE(pthread_create(&threads[i], NULL, prepare_session, session) == 0);
    CHECK_OK(encode_picture(session, 0));
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    complete_and_check(session, &all, 1);
    end_session(session, &all);
}

static void *set_profile(void *session) {
    nalu_status status = nalu_session_set_string((nalu_compression_session *)session, NALU_PROPERTY_PROFILE_LEVEL,
                                                 tested()->profile);
    CHECK(status == NALU_STATUS_OK);
    return (void *)(uintptr_t)(status == NALU_STATUS_OK);
}

/* Other threads can set properties while the encoder is being opened. An accepted property must take effect. */
static void a_property_set_while_the_encoder_opens_is_honoured(void) {
    for (int round = 0; round < 60; round++) {
        nalu_compression_session *session = make_session(record_result, &all);
        pthread_t threads[2];
        void *accepted = NULL;
        REQUIRE(pthread_create(&threads[0], NULL, prepare_session, session) == 0);
        nanosleep(&(struct timespec){0, round * 15000}, NULL);
        REQUIRE(pthread_create(&threads[1], NULL, set_profile, session) == 0);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], &accepted);
        /* The property may have closed the encoder. */
        CHECK_OK(nalu_compression_session_prepare(session));
        CHECK_OK(encode_picture(session, 0));
        complete_and_check(session, &all, 1);
        nalu_sequence_info info = {.struct_size = sizeof info};
        CHECK_OK(nalu_format_description_get_sequence_info(nalu_sample_get_format_description(all.results[0].sample), &info));
        CHECK_EQ(info.profile_idc == tested()->profile_idc, accepted != NULL);
        end_session(session, &all);
    }
}

/* The options of x264 can contradict properties, which is seen when the encoder is opened. */
static void a_first_frame_that_cannot_be_encoded_is_not_accepted(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 2));
    CHECK_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "rc-lookahead=20"));
    CHECK_STATUS(nalu_compression_session_prepare(session), NALU_STATUS_CONFLICT);
    CHECK_STATUS(encode_picture(session, 5), NALU_STATUS_CONFLICT);
    CHECK_EQ(pending_frames(session), 0);
    CHECK_OK(complete_all(session));
    CHECK_EQ(recorder_count(&all), 0);
    /* The session is unchanged: its properties can be corrected, and an earlier time is still allowed. */
    CHECK_OK(nalu_session_unset_property(session, NALU_PROPERTY_X264_PARAMS));
    CHECK_OK(encode_picture(session, 0));
    complete_and_check(session, &all, 1);
    end_session(session, &all);
}

static void the_info_flags_mark_an_accepted_frame(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_immediate(session);
    nalu_pixel_buffer *buffer = NULL;
    REQUIRE_OK(nalu_pixel_buffer_create(WIDTH, HEIGHT, NALU_PIXEL_FORMAT_L008, &buffer));
    memset(nalu_pixel_buffer_get_plane_base_address(buffer, 0), 9,
           (size_t)nalu_pixel_buffer_get_plane_stride(buffer, 0) * HEIGHT);
    nalu_encode_info_flags flags = 77;
    CHECK_OK(nalu_compression_session_encode_frame(session, buffer, frame_time(0), nalu_time_invalid(), NULL, FRAME(0),
                                                   &flags));
    CHECK_EQ(flags, NALU_ENCODE_INFO_ASYNCHRONOUS);
    CHECK_STATUS(nalu_compression_session_encode_frame(session, buffer, frame_time(0), nalu_time_invalid(), NULL,
                                                       FRAME(0), &flags), NALU_STATUS_INVALID_TIME);
    CHECK_EQ(flags, 0);
    nalu_pixel_buffer_release(buffer);
    complete_and_check(session, &all, 1);
    end_session(session, &all);
}

/* Options and specifications are read only during the call. */
static void arguments_may_be_overwritten_after_the_call(void) {
    static gate blocked = GATE_INIT;
    static recorder own = RECORDER_INIT;
    char id[64];
    snprintf(id, sizeof id, "%s", tested()->id);
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    specification.encoder_id = id;
    nalu_source_attributes source = NALU_SOURCE_ATTRIBUTES_INIT;
    source.pixel_format = NALU_PIXEL_FORMAT_420F;
    nalu_compression_session *session = NULL;
    REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, tested()->codec, &specification, &source,
                                               record_when_open, &blocked, NULL, &session));
    memset(id, 'x', sizeof id);
    memset(&specification, 0xff, sizeof specification);
    memset(&source, 0xff, sizeof source);
    make_immediate(session);
    CHECK_OK(encode_picture(session, 0));
    event_wait(&blocked.entered);
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.flags = NALU_FRAME_FORCE_KEY_FRAME;
    options.callback = record_result;
    options.callback_refcon = &own;
    CHECK_OK(encode_picture_with(session, 1, &options));
    memset(&options, 0xff, sizeof options);
    event_signal(&blocked.opened);
    CHECK_OK(complete_all(session));
    CHECK_EQ(own.count, 1);
    CHECK_EQ(nalu_sample_is_key_frame(own.results[0].sample), 1);
    nalu_sequence_info info = {.struct_size = sizeof info};
    CHECK_OK(nalu_format_description_get_sequence_info(nalu_sample_get_format_description(own.results[0].sample),
                                                       &info));
    CHECK_EQ(info.video_full_range, 1);
    end_session(session, &own);
    recorder_clear(&blocked.results);
}

/* A program compiled with a newer header passes longer structs. The fields that this version lacks must be zero. */
static void a_longer_options_struct_is_accepted_if_its_tail_is_zero(void) {
    struct {
        nalu_frame_options options;
        uint64_t unknown[4];
    } newer = {NALU_FRAME_OPTIONS_INIT, {0}};
    newer.options.struct_size = sizeof newer;
    nalu_compression_session *session = make_session(record_result, &all);
    make_immediate(session);
    CHECK_OK(encode_picture_with(session, 0, &newer.options));
    newer.unknown[3] = 1;
    CHECK_STATUS(encode_picture_with(session, 1, &newer.options), NALU_STATUS_UNSUPPORTED_OPTION);
    newer.options.struct_size = 4;
    CHECK_STATUS(encode_picture_with(session, 1, &newer.options), NALU_STATUS_PARAMETER);
    newer.options.struct_size = UINT32_MAX;
    CHECK_STATUS(encode_picture_with(session, 1, &newer.options), NALU_STATUS_PARAMETER);
    complete_and_check(session, &all, 1);
    end_session(session, &all);
}

static void a_session_without_failures_has_no_last_error(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    char text[8] = "full";
    size_t size = 0;
    CHECK_OK(nalu_compression_session_copy_last_error(session, NULL, 0, &size));
    CHECK_EQ(size, 1);
    CHECK_OK(nalu_compression_session_copy_last_error(session, text, sizeof text, &size));
    CHECK_STR_EQ(text, "");
    CHECK_STATUS(nalu_compression_session_copy_last_error(session, text, sizeof text, NULL), NALU_STATUS_PARAMETER);
    nalu_compression_session_release(session);
}

static void encoders_can_be_listed(void) {
    const uint32_t count = nalu_encoder_get_count();
    CHECK(count >= 2);
    CHECK_STR_EQ(nalu_encoder_get_id(0), "org.videolan.x264");
    CHECK(nalu_encoder_get_name(0) != NULL && strstr(nalu_encoder_get_name(0), "x264"));
    CHECK_EQ(nalu_encoder_get_codec(0), NALU_CODEC_H264);
    const uint32_t beyond[] = {count, count + 1, UINT32_MAX};
    for (int i = 0; i < 3; i++) {
        CHECK(nalu_encoder_get_id(beyond[i]) == NULL);
        CHECK(nalu_encoder_get_name(beyond[i]) == NULL);
        CHECK_EQ(nalu_encoder_get_codec(beyond[i]), 0);
    }
}

int main(void) {
    RUN(prepare_may_be_called_any_number_of_times);
    RUN(most_properties_cannot_change_after_the_first_frame);
    RUN(several_threads_may_prepare_at_once);
    RUN(a_property_set_while_the_encoder_opens_is_honoured);
    if (is_tested("x264")) RUN(a_first_frame_that_cannot_be_encoded_is_not_accepted);
    RUN(the_info_flags_mark_an_accepted_frame);
    RUN(arguments_may_be_overwritten_after_the_call);
    RUN(a_longer_options_struct_is_accepted_if_its_tail_is_zero);
    RUN(a_session_without_failures_has_no_last_error);
    RUN(encoders_can_be_listed);
    return check_result();
}
