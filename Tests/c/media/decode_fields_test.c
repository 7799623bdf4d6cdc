/* Images state whether their rows are two fields, and which field is earlier. */
#include "decode_support.h"

enum { FIELDS = NALU_DECODE_INFO_INTERLACED | NALU_DECODE_INFO_BOTTOM_FIELD_FIRST };

static decode_recorder all = DECODE_RECORDER_INIT;

static void check_fields(const char *detail, uint32_t specification, nalu_decode_info_flags expected) {
    clip c;
    clip_open(&c, 176, 144);
    if (detail) {
        REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_FIELD_COUNT, 2));
        REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_FIELD_DETAIL, detail));
    }
    clip_encode_all(&c, 10);
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        nalu_decompression_session *session =
            make_decoder_with(clip_format(&c), specification, threads, record_decoded, &all);
        decode_all(session, &c, NALU_DECODE_FRAME_ASYNCHRONOUS);
        CHECK_OK(wait_all(session));
        CHECK_EQ(all.count, (size_t)c.count);
        for (size_t i = 0; i < all.count; i++) CHECK_EQ(all.results[i].flags & FIELDS, expected);
        end_decoder(session, &all);
    }
    clip_close(&c);
}

static void images_state_which_field_is_first(void) {
    check_fields("TemporalTopFirst", 0, NALU_DECODE_INFO_INTERLACED);
    check_fields("TemporalBottomFirst", 0, FIELDS);
    check_fields("TemporalTopFirst", NALU_DECODER_DROP_UNTIL_KEY_FRAME, NALU_DECODE_INFO_INTERLACED);
}

static void progressive_images_have_no_fields(void) { check_fields(NULL, 0, 0); }

static void images_in_decode_order_have_no_field_flags(void) {
    check_fields("TemporalBottomFirst", NALU_DECODER_IN_DECODE_ORDER, 0);
}

int main(void) {
    RUN(images_state_which_field_is_first);
    RUN(progressive_images_have_no_fields);
    RUN(images_in_decode_order_have_no_field_flags);
    return check_result();
}
