/* The output callback: exactly once per sample, in output order, never concurrently, with all arguments of the
 * sample. */
#include "decode_support.h"

static decode_recorder all = DECODE_RECORDER_INIT;
static clip plain, reordered;

static void each_sample_has_exactly_one_callback(void) {
    for (int kind = 0; kind < 8; kind++) {
        const clip *c = kind & 1 ? &reordered : &plain;
        nalu_decompression_session *session =
            make_decoder_with(clip_format(c), 0, kind & 4 ? 4 : 1, record_decoded, &all);
        decode_all(session, c, kind & 2 ? ASYNCHRONOUS : 0);
        wait_and_check(session, &all, 40);
        for (size_t i = 0; i < all.count; i++)
            CHECK_EQ(all.results[i].flags, kind & 2 ? NALU_DECODE_INFO_ASYNCHRONOUS : 0);
        nalu_decompression_session_release(session);
        CHECK_EQ(all.count, 40);
        decoded_clear(&all);
    }
}

static void without_reordering_the_callback_has_returned_when_decode_returns(void) {
    for (int threads = 1; threads <= 4; threads += 3) {
        nalu_decompression_session *session =
            make_decoder_with(clip_format(&plain), 0, threads, record_decoded, &all);
        for (size_t i = 0; i < 40; i++) {
            nalu_decode_info_flags info = 99;
            CHECK_OK(nalu_decompression_session_decode_frame(session, plain.samples[i], 0, FRAME(i), &info));
            CHECK_EQ(info, 0);
            CHECK_EQ(all.count, i + 1);
        }
        check_all_decoded(&all, 40);
        end_decoder(session, &all);
    }
}

/* At most max_num_reorder_frames pictures are delayed. */
static void with_reordering_displayable_pictures_are_delivered_when_decode_returns(void) {
    nalu_decompression_session *session = make_decoder_with(clip_format(&reordered), 0, 4, record_decoded, &all);
    size_t depth = (size_t)clip_info(&reordered).reorder_depth;
    CHECK(depth > 0);
    for (size_t i = 0; i < 40; i++) {
        nalu_decode_info_flags info = 99;
        CHECK_OK(nalu_decompression_session_decode_frame(session, reordered.samples[i], 0, FRAME(i), &info));
        CHECK_EQ(all.count, i < depth ? 0 : i + 1 - depth);
        bool is_back = false;
        for (size_t j = 0; j < all.count; j++) is_back |= FRAME_NUMBER(all.results[j].frame_refcon) == i;
        CHECK_EQ(info, is_back ? 0 : NALU_DECODE_INFO_ASYNCHRONOUS);
    }
    wait_and_check(session, &all, 40);
    end_decoder(session, &all);
}

static void times_are_returned_bit_for_bit(void) {
    nalu_decompression_session *session = make_decoder(&reordered, record_decoded, &all);
    nalu_decode_info_flags info = 0;
    CHECK_OK(nalu_decompression_session_decode_frame(session, reordered.samples[0], ASYNCHRONOUS, FRAME(0), &info));
    CHECK_EQ(info, NALU_DECODE_INFO_ASYNCHRONOUS);
    for (size_t i = 1; i < 40; i++) CHECK_OK(decode_sample(session, &reordered, i, ASYNCHRONOUS));
    CHECK_OK(wait_all(session));
    for (size_t i = 0; i < all.count; i++) {
        nalu_sample *sample = reordered.samples[FRAME_NUMBER(all.results[i].frame_refcon)];
        CHECK(same_time(all.results[i].time, nalu_sample_get_presentation_time(sample)));
        CHECK(same_time(all.results[i].duration, nalu_sample_get_duration(sample)));
        CHECK_EQ(nalu_pixel_buffer_get_width(all.results[i].image), WIDTH);
        CHECK_EQ(nalu_pixel_buffer_get_height(all.results[i].image), HEIGHT);
        CHECK_EQ(nalu_pixel_buffer_get_pixel_format(all.results[i].image), NALU_PIXEL_FORMAT_Y420);
    }
    end_decoder(session, &all);
}

static void a_refused_sample_gets_no_callback(void) {
    nalu_decompression_session *session = make_decoder(&plain, record_decoded, &all);
    CHECK_STATUS(nalu_decompression_session_decode_frame(session, NULL, 0, NULL, NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(decode_sample(session, &plain, 0, 1u << 31), NALU_STATUS_PARAMETER);
    CHECK_STATUS(decode_sample(session, &plain, 0, 1u << 4), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_decompression_session_decode_frame(session, (nalu_sample *)plain.session, 0, NULL, NULL),
                 NALU_STATUS_INVALID_HANDLE);
    CHECK_OK(decode_sample(session, &plain, 0, 0));
    CHECK_OK(wait_all(session));
    CHECK_EQ(all.count, 1);
    CHECK_OK(nalu_decompression_session_invalidate(session));
    CHECK_STATUS(decode_sample(session, &plain, 1, 0), NALU_STATUS_INVALID_SESSION);
    nalu_decompression_session_release(session);
    CHECK_EQ(all.count, 1);
    decoded_clear(&all);
}

static void all_callbacks_are_on_the_sessions_thread(void) {
    nalu_decompression_session *session = make_decoder(&reordered, record_decoded, &all);
    for (size_t i = 0; i < 20; i++) CHECK_OK(decode_sample(session, &reordered, i, i % 2 ? ASYNCHRONOUS : 0));
    CHECK_OK(wait_all(session));
    for (size_t i = 20; i < 40; i++) CHECK_OK(decode_sample(session, &reordered, i, i % 3 ? ASYNCHRONOUS : 0));
    CHECK_OK(nalu_decompression_session_invalidate(session));
    CHECK_EQ(all.count, 40);
    for (size_t i = 0; i < all.count; i++) {
        CHECK(pthread_equal(all.results[i].thread, all.results[0].thread));
        CHECK(!pthread_equal(all.results[i].thread, pthread_self()));
    }
    end_decoder(session, &all);
}

static void do_not_output_suppresses_the_image(void) {
    static decode_recorder shown = DECODE_RECORDER_INIT;
    nalu_decompression_session *session = make_decoder(&reordered, record_decoded, &shown);
    decode_all(session, &reordered, 0);
    CHECK_OK(wait_all(session));
    nalu_decompression_session_release(session);
    session = make_decoder(&reordered, record_decoded, &all);
    for (size_t i = 0; i < 40; i++)
        CHECK_OK(decode_sample(session, &reordered, i, i % 3 ? 0 : NALU_DECODE_FRAME_DO_NOT_OUTPUT));
    CHECK_OK(wait_all(session));
    CHECK_EQ(check_each_once(&all, 40), 26);
    check_output_order(&all);
    for (size_t i = 0; i < all.count; i++) {
        CHECK_PTR_EQ(all.results[i].frame_refcon, shown.results[i].frame_refcon);
        CHECK_STATUS(all.results[i].status, NALU_STATUS_OK);
        bool wanted = FRAME_NUMBER(all.results[i].frame_refcon) % 3 != 0;
        CHECK_EQ(all.results[i].flags, wanted ? 0 : NALU_DECODE_INFO_FRAME_DROPPED);
        if (CHECK_EQ(all.results[i].image != NULL, wanted) && wanted)
            CHECK(same_image(all.results[i].image, shown.results[i].image));
    }
    end_decoder(session, &all);
    decoded_clear(&shown);
}

static void an_image_outlives_its_session(void) {
    nalu_decompression_session *session = make_decoder_with(clip_format(&reordered), 0, 4, record_decoded, &all);
    decode_all(session, &reordered, ASYNCHRONOUS);
    CHECK_OK(wait_all(session));
    nalu_decompression_session_release(session);
    size_t size = 0;
    for (size_t i = 0; i < all.count; i++) {
        free(image_bytes(all.results[i].image, &size));
        CHECK_EQ(size, PICTURE_SIZE);
    }
    decoded_clear(&all);
}

static void samples_before_the_first_key_frame_are_reported_at_once(void) {
    for (int kind = 0; kind < 2; kind++) {
        const clip *c = kind ? &reordered : &plain;
        nalu_decompression_session *session = make_decoder(c, record_decoded, &all);
        for (size_t i = 1; i < 10; i++) {
            CHECK_OK(decode_sample(session, c, i, 0));
            REQUIRE(all.count == i);
            CHECK_STATUS(all.results[i - 1].status, NALU_STATUS_REFERENCE_MISSING);
            CHECK_EQ(all.results[i - 1].flags, NALU_DECODE_INFO_FRAME_DROPPED);
            CHECK_PTR_EQ(all.results[i - 1].frame_refcon, FRAME(i));
        }
        size_t size = 0;
        CHECK_OK(nalu_decompression_session_copy_last_error(session, NULL, 0, &size));
        CHECK(size > 1);
        for (size_t i = 10; i < 40; i++) CHECK_OK(decode_sample(session, c, i, 0));
        CHECK_OK(wait_all(session));
        CHECK_EQ(all.count, 39);
        for (size_t i = 9; i < all.count; i++) CHECK(all.results[i].image != NULL);
        check_output_order(&all);
        end_decoder(session, &all);
    }
}

static void finish_delayed_frames_delivers_delayed_pictures(void) {
    nalu_decompression_session *session = make_decoder(&reordered, record_decoded, &all);
    for (size_t i = 0; i < 10; i++) CHECK_OK(decode_sample(session, &reordered, i, 0));
    CHECK(all.count < 10);
    CHECK_OK(nalu_decompression_session_finish_delayed_frames(session));
    WAIT_UNTIL(decoded_count(&all) >= 10);
    check_all_decoded(&all, 10);
    for (size_t i = 10; i < 40; i++) CHECK_OK(decode_sample(session, &reordered, i, 0));
    wait_and_check(session, &all, 40);
    CHECK_OK(wait_all(session));
    end_decoder(session, &all);
}

/* finish_delayed_frames in the middle of a group: the later pictures are the same as without the call. */
static void finishing_in_the_middle_changes_no_picture(void) {
    static decode_recorder whole = DECODE_RECORDER_INIT;
    nalu_decompression_session *session = make_decoder(&reordered, record_decoded, &whole);
    decode_all(session, &reordered, 0);
    CHECK_OK(wait_all(session));
    nalu_decompression_session_release(session);
    for (int kind = 0; kind < 4; kind++) {
        /* The next samples are presented before earlier ones. A decoder outputs these first. */
        size_t step = kind & 1 ? 3 : 7;
        session = make_decoder_with(clip_format(&reordered), kind == 3 ? NALU_DECODER_DROP_UNTIL_KEY_FRAME : 0,
                                    kind & 2 ? 3 : 1, record_decoded, &all);
        for (size_t i = 0; i < 40; i++) {
            CHECK_OK(decode_sample(session, &reordered, i, kind & 2 ? ASYNCHRONOUS : 0));
            if (i % step == step - 1) {
                CHECK_OK(wait_all(session));
                CHECK_EQ(all.count, i + 1);
            }
        }
        CHECK_OK(wait_all(session));
        CHECK_EQ(check_each_once(&all, 40), 40);
        for (size_t i = 0; i < all.count; i++) {
            size_t j = 0;
            while (whole.results[j].frame_refcon != all.results[i].frame_refcon) j++;
            CHECK_EQ(all.results[i].flags & NALU_DECODE_INFO_DAMAGED, 0);
            if (all.results[i].image) CHECK(same_image(all.results[i].image, whole.results[j].image));
        }
        end_decoder(session, &all);
    }
    decoded_clear(&whole);
}

/* Without reordering no picture is delayed, so waiting changes nothing. */
static void waiting_after_each_sample_costs_nothing_without_reordering(void) {
    nalu_decompression_session *session = make_decoder(&plain, record_decoded, &all);
    for (size_t i = 0; i < 40; i++) {
        CHECK_OK(decode_sample(session, &plain, i, ASYNCHRONOUS));
        CHECK_OK(wait_all(session));
        CHECK_EQ(all.count, i + 1);
    }
    check_all_decoded(&all, 40);
    end_decoder(session, &all);
}

int main(void) {
    make_clip(&plain, 40, false);
    make_clip(&reordered, 40, true);
    RUN(each_sample_has_exactly_one_callback);
    RUN(without_reordering_the_callback_has_returned_when_decode_returns);
    RUN(with_reordering_displayable_pictures_are_delivered_when_decode_returns);
    RUN(times_are_returned_bit_for_bit);
    RUN(a_refused_sample_gets_no_callback);
    RUN(all_callbacks_are_on_the_sessions_thread);
    RUN(do_not_output_suppresses_the_image);
    RUN(an_image_outlives_its_session);
    RUN(samples_before_the_first_key_frame_are_reported_at_once);
    RUN(finish_delayed_frames_delivers_delayed_pictures);
    RUN(finishing_in_the_middle_changes_no_picture);
    RUN(waiting_after_each_sample_costs_nothing_without_reordering);
    clip_close(&plain);
    clip_close(&reordered);
    return check_result();
}
