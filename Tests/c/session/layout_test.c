/* The struct layouts on which bindings in other languages rely. A client compiled with an older header must
 * find every field at its place. So these numbers never change after a release; only a struct with struct_size
 * may grow at its end. */
#include "check.h"

#include <nalu/media.h>

#define FIELD(type, field, at, bytes) \
    _Static_assert(offsetof(type, field) == (at), #type "." #field " has moved"); \
    _Static_assert(sizeof(((type *)0)->field) == (bytes), #type "." #field " has changed size")
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has changed size")

_Static_assert(sizeof(void *) == 8, "the numbers below are those of 64-bit platforms");

SIZE(nalu_status, 4);
SIZE(nalu_four_char_code, 4);
SIZE(nalu_pixel_format, 4);
SIZE(nalu_encode_info_flags, 4);

SIZE(nalu_time, 24);
FIELD(nalu_time, value, 0, 8);
FIELD(nalu_time, timescale, 8, 4);
FIELD(nalu_time, flags, 12, 4);
FIELD(nalu_time, epoch, 16, 8);
SIZE(nalu_time_range, 48);
FIELD(nalu_time_range, start, 0, 24);
FIELD(nalu_time_range, duration, 24, 24);

SIZE(nalu_encoder_specification, 16);
FIELD(nalu_encoder_specification, struct_size, 0, 4);
FIELD(nalu_encoder_specification, require_hardware_accelerated_video_encoder, 4, 4);
FIELD(nalu_encoder_specification, encoder_id, 8, 8);

SIZE(nalu_source_attributes, 8);
FIELD(nalu_source_attributes, struct_size, 0, 4);
FIELD(nalu_source_attributes, pixel_format, 4, 4);

SIZE(nalu_frame_options, 56);
FIELD(nalu_frame_options, struct_size, 0, 4);
FIELD(nalu_frame_options, flags, 4, 4);
FIELD(nalu_frame_options, callback, 8, 8);
FIELD(nalu_frame_options, callback_refcon, 16, 8);
FIELD(nalu_frame_options, acknowledged_ltr_tokens, 24, 8);
FIELD(nalu_frame_options, acknowledged_ltr_token_count, 32, 4);
FIELD(nalu_frame_options, base_frame_qp_plus_1, 36, 4);
FIELD(nalu_frame_options, qp_offsets, 40, 8);
FIELD(nalu_frame_options, qp_offset_columns, 48, 4);
FIELD(nalu_frame_options, qp_offset_rows, 52, 4);

SIZE(nalu_stream_parser_options, 40);
FIELD(nalu_stream_parser_options, struct_size, 0, 4);
FIELD(nalu_stream_parser_options, reorder_depth_plus_1, 4, 4);
FIELD(nalu_stream_parser_options, maximum_access_unit_size, 8, 8);
FIELD(nalu_stream_parser_options, frame_duration, 16, 24);

SIZE(nalu_stream_parser_statistics, 72);
FIELD(nalu_stream_parser_statistics, struct_size, 0, 4);
FIELD(nalu_stream_parser_statistics, reserved, 4, 4);
FIELD(nalu_stream_parser_statistics, bytes, 8, 8);
FIELD(nalu_stream_parser_statistics, skipped_bytes, 16, 8);
FIELD(nalu_stream_parser_statistics, samples, 24, 8);
FIELD(nalu_stream_parser_statistics, pending_bytes, 32, 8);
FIELD(nalu_stream_parser_statistics, dropped_access_units, 40, 8);
FIELD(nalu_stream_parser_statistics, dropped_units, 48, 8);
FIELD(nalu_stream_parser_statistics, frame_number_gaps, 56, 8);
FIELD(nalu_stream_parser_statistics, replaced_times, 64, 8);

SIZE(nalu_property, 48);
FIELD(nalu_property, key, 0, 8);
FIELD(nalu_property, type, 8, 4);
FIELD(nalu_property, number_count, 12, 4);
FIELD(nalu_property, integer, 16, 8);
FIELD(nalu_property, number, 24, 8);
FIELD(nalu_property, string, 32, 8);
FIELD(nalu_property, numbers, 40, 8);

SIZE(nalu_property_info, 56);
FIELD(nalu_property_info, struct_size, 0, 4);
FIELD(nalu_property_info, type, 4, 4);
FIELD(nalu_property_info, writable, 8, 4);
FIELD(nalu_property_info, live, 12, 4);
FIELD(nalu_property_info, minimum, 16, 8);
FIELD(nalu_property_info, maximum, 24, 8);
FIELD(nalu_property_info, allowed_value_count, 32, 4);
FIELD(nalu_property_info, reserved, 36, 4);
FIELD(nalu_property_info, default_value, 40, 8);
FIELD(nalu_property_info, documentation, 48, 8);

SIZE(nalu_sequence_info, 124);
FIELD(nalu_sequence_info, struct_size, 0, 4);
FIELD(nalu_sequence_info, profile_idc, 4, 4);
FIELD(nalu_sequence_info, constraint_flags, 8, 4);
FIELD(nalu_sequence_info, level_idc, 12, 4);
FIELD(nalu_sequence_info, chroma_format_idc, 16, 4);
FIELD(nalu_sequence_info, luma_bit_depth, 20, 4);
FIELD(nalu_sequence_info, chroma_bit_depth, 24, 4);
FIELD(nalu_sequence_info, coded_width, 28, 4);
FIELD(nalu_sequence_info, coded_height, 32, 4);
FIELD(nalu_sequence_info, width, 36, 4);
FIELD(nalu_sequence_info, height, 40, 4);
FIELD(nalu_sequence_info, crop_left, 44, 4);
FIELD(nalu_sequence_info, crop_top, 48, 4);
FIELD(nalu_sequence_info, crop_right, 52, 4);
FIELD(nalu_sequence_info, crop_bottom, 56, 4);
FIELD(nalu_sequence_info, frame_mbs_only, 60, 4);
FIELD(nalu_sequence_info, max_num_ref_frames, 64, 4);
FIELD(nalu_sequence_info, pic_order_cnt_type, 68, 4);
FIELD(nalu_sequence_info, pixel_aspect_ratio_horizontal, 72, 4);
FIELD(nalu_sequence_info, pixel_aspect_ratio_vertical, 76, 4);
FIELD(nalu_sequence_info, video_full_range, 80, 4);
FIELD(nalu_sequence_info, color_primaries, 84, 4);
FIELD(nalu_sequence_info, transfer_characteristics, 88, 4);
FIELD(nalu_sequence_info, matrix_coefficients, 92, 4);
FIELD(nalu_sequence_info, fixed_frame_rate, 96, 4);
FIELD(nalu_sequence_info, reorder_depth, 100, 4);
FIELD(nalu_sequence_info, max_dec_frame_buffering, 104, 4);
FIELD(nalu_sequence_info, time_scale, 108, 4);
FIELD(nalu_sequence_info, num_units_in_tick, 112, 4);
FIELD(nalu_sequence_info, nal_hrd, 116, 4);
FIELD(nalu_sequence_info, chroma_location, 120, 4);

SIZE(nalu_session_statistics, 136);
FIELD(nalu_session_statistics, struct_size, 0, 4);
FIELD(nalu_session_statistics, reserved, 4, 4);
FIELD(nalu_session_statistics, accepted_frames, 8, 8);
FIELD(nalu_session_statistics, encoded_frames, 16, 8);
FIELD(nalu_session_statistics, dropped_frames, 24, 8);
FIELD(nalu_session_statistics, failed_frames, 32, 8);
FIELD(nalu_session_statistics, pending_frames, 40, 8);
FIELD(nalu_session_statistics, key_frames, 48, 8);
FIELD(nalu_session_statistics, bytes, 56, 8);
FIELD(nalu_session_statistics, mean_qp, 64, 8);
FIELD(nalu_session_statistics, last_qp, 72, 8);
FIELD(nalu_session_statistics, current_bit_rate, 80, 8);
FIELD(nalu_session_statistics, mean_bit_rate, 88, 8);
FIELD(nalu_session_statistics, encode_time_p50, 96, 8);
FIELD(nalu_session_statistics, encode_time_p99, 104, 8);
FIELD(nalu_session_statistics, longest_encode_time, 112, 8);
FIELD(nalu_session_statistics, mean_psnr, 120, 8);
FIELD(nalu_session_statistics, mean_ssim, 128, 8);

SIZE(nalu_quality_metrics, 72);
FIELD(nalu_quality_metrics, struct_size, 0, 4);
FIELD(nalu_quality_metrics, reserved, 4, 4);
FIELD(nalu_quality_metrics, luma_mean_squared_error, 8, 8);
FIELD(nalu_quality_metrics, chroma_blue_mean_squared_error, 16, 8);
FIELD(nalu_quality_metrics, chroma_red_mean_squared_error, 24, 8);
FIELD(nalu_quality_metrics, luma_psnr, 32, 8);
FIELD(nalu_quality_metrics, chroma_blue_psnr, 40, 8);
FIELD(nalu_quality_metrics, chroma_red_psnr, 48, 8);
FIELD(nalu_quality_metrics, average_psnr, 56, 8);
FIELD(nalu_quality_metrics, ssim, 64, 8);

/* ---- nalu/media ---------------------------------------------------------------------------------------------------- */

SIZE(nalu_writer_options, 24);
FIELD(nalu_writer_options, struct_size, 0, 4);
FIELD(nalu_writer_options, flags, 4, 4);
FIELD(nalu_writer_options, fragment_duration, 8, 8);
FIELD(nalu_writer_options, creation_time, 16, 8);

SIZE(nalu_writer_track_options, 16);
FIELD(nalu_writer_track_options, struct_size, 0, 4);
FIELD(nalu_writer_track_options, rotation, 4, 4);
FIELD(nalu_writer_track_options, timescale, 8, 4);
FIELD(nalu_writer_track_options, is_mirrored, 12, 4);

SIZE(nalu_writer_counts, 40);
FIELD(nalu_writer_counts, struct_size, 0, 4);
FIELD(nalu_writer_counts, repaired_decode_times, 8, 8);
FIELD(nalu_writer_counts, moved_presentation_times, 16, 8);
FIELD(nalu_writer_counts, moved_packets, 24, 8);
FIELD(nalu_writer_counts, left_out_packets, 32, 8);

SIZE(nalu_reader_options, 48);
FIELD(nalu_reader_options, struct_size, 0, 4);
FIELD(nalu_reader_options, flags, 4, 4);
FIELD(nalu_reader_options, frame_duration, 8, 24);
FIELD(nalu_reader_options, format, 32, 8);
FIELD(nalu_reader_options, maximum_pixel_count, 40, 8);

SIZE(nalu_reader_track, 184);
FIELD(nalu_reader_track, struct_size, 0, 4);
FIELD(nalu_reader_track, flags, 4, 4);
FIELD(nalu_reader_track, media_type, 8, 4);
FIELD(nalu_reader_track, codec, 12, 4);
FIELD(nalu_reader_track, codec_name, 16, 8);
FIELD(nalu_reader_track, language, 24, 4);
FIELD(nalu_reader_track, timescale, 28, 4);
FIELD(nalu_reader_track, start_time, 32, 24);
FIELD(nalu_reader_track, duration, 56, 24);
FIELD(nalu_reader_track, bit_rate, 80, 8);
FIELD(nalu_reader_track, sample_count, 88, 8);
FIELD(nalu_reader_track, width, 96, 4);
FIELD(nalu_reader_track, height, 100, 4);
FIELD(nalu_reader_track, rotation, 104, 4);
FIELD(nalu_reader_track, is_mirrored, 108, 4);
FIELD(nalu_reader_track, transform, 112, 48);
FIELD(nalu_reader_track, pixel_aspect_ratio_horizontal, 160, 4);
FIELD(nalu_reader_track, pixel_aspect_ratio_vertical, 164, 4);
FIELD(nalu_reader_track, nominal_frame_rate, 168, 8);
FIELD(nalu_reader_track, sample_rate, 176, 4);
FIELD(nalu_reader_track, channel_count, 180, 4);

/* The numbers of AVAssetReader.Status. */
_Static_assert(NALU_READER_STATUS_COMPLETED == 2 && NALU_READER_STATUS_CANCELLED == 4, "");

/* The compiler has checked the layout above. This test needs the library: it passes the only struct by value as
 * the header declares it. */
static void a_time_is_passed_by_value(void) {
    nalu_time time = nalu_time_make(INT64_C(0x0123456789abcdef), 90000);
    CHECK_EQ(time.value, INT64_C(0x0123456789abcdef));
    CHECK_EQ(time.timescale, 90000);
    CHECK_EQ(time.flags, NALU_TIME_VALID);
    CHECK_EQ(time.epoch, 0);
    time.epoch = 7;
    CHECK_EQ(nalu_time_compare(time, time), 0);
    CHECK_EQ(nalu_time_is_numeric(time), 1);
}

int main(void) {
    RUN(a_time_is_passed_by_value);
    return check_result();
}
