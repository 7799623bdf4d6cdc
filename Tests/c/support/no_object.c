#include "no_object.h"

void check_no_pixel_buffer(nalu_pixel_buffer *none) {
    CHECK_EQ(nalu_pixel_buffer_get_width(none), 0);
    CHECK_EQ(nalu_pixel_buffer_get_height(none), 0);
    CHECK_EQ(nalu_pixel_buffer_get_pixel_format(none), 0);
    CHECK_EQ(nalu_pixel_buffer_get_plane_count(none), 0);
    CHECK_EQ(nalu_pixel_buffer_get_plane_width(none, 0), 0);
    CHECK_EQ(nalu_pixel_buffer_get_plane_height(none, 0), 0);
    CHECK_EQ(nalu_pixel_buffer_get_plane_stride(none, 0), 0);
    CHECK_PTR_EQ(nalu_pixel_buffer_get_plane_base_address(none, 0), NULL);
    CHECK_PTR_EQ(nalu_pixel_buffer_retain(none), none);
    nalu_pixel_buffer_release(none);
}

void check_no_format(nalu_format_description *none, nalu_format_description *format) {
    size_t sizes[3] = {5, 5, 5};
    CHECK_EQ(nalu_format_description_equal(none, format), 0);
    CHECK_EQ(nalu_format_description_equal(format, none), 0);
    CHECK_EQ(nalu_format_description_get_codec(none), 0);
    CHECK_EQ(nalu_format_description_get_width(none), 0);
    CHECK_EQ(nalu_format_description_get_height(none), 0);
    CHECK_EQ(nalu_format_description_get_length_size(none), 0);
    CHECK_EQ(nalu_format_description_get_parameter_set_count(none), 0);
    CHECK_PTR_EQ(nalu_format_description_get_parameter_set(none, 0, &sizes[0]), NULL);
    CHECK_PTR_EQ(nalu_format_description_get_avcc(none, &sizes[1]), NULL);
    CHECK_PTR_EQ(nalu_format_description_get_hvcc(none, &sizes[2]), NULL);
    for (int i = 0; i < 3; i++) CHECK_EQ(sizes[i], 0);
    CHECK_PTR_EQ(nalu_format_description_retain(none), none);
    nalu_format_description_release(none);
}

void check_no_sample(nalu_sample *none) {
    size_t size = 5;
    CHECK_PTR_EQ(nalu_sample_get_format_description(none), NULL);
    CHECK_PTR_EQ(nalu_sample_get_data(none, &size), NULL);
    CHECK_EQ(size, 0);
    CHECK_EQ(nalu_sample_get_nal_count(none), 0);
    CHECK_PTR_EQ(nalu_sample_get_nal(none, 0, &size), NULL);
    CHECK_PTR_EQ(nalu_sample_get_nal(none, 0, NULL), NULL);
    CHECK_PTR_EQ(nalu_sample_next_nal(none, &size, NULL), NULL);
    CHECK_EQ(nalu_sample_get_presentation_time(none).flags, 0);
    CHECK_EQ(nalu_sample_get_duration(none).flags, 0);
    CHECK_EQ(nalu_sample_get_decode_time(none).flags, 0);
    CHECK_EQ(nalu_sample_get_attachments(none), 0);
    CHECK_EQ(nalu_sample_is_key_frame(none), 0);
    CHECK(isnan(nalu_sample_get_average_qp(none)));
    CHECK_PTR_EQ(nalu_sample_get_frame_refcon(none), NULL);
    CHECK_PTR_EQ(nalu_sample_retain(none), none);
    nalu_sample_release(none);
}
