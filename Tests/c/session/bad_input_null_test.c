/* NULL for every pointer of every function. The result is NALU_STATUS_PARAMETER and a message with the
 * argument's name, or the documented result if the header allows NULL. */
#include "clip.h"
#include "no_object.h"
#include "refusal.h"

#define IS_NULL(call, name) REFUSED(call, NALU_STATUS_PARAMETER, name " is NULL")

static clip c;
static nalu_pixel_buffer *buffer;
static size_t size;

static void bitstream_functions_refuse_null(void) {
    static const uint8_t unit[] = {0, 0, 1, 0x65, 0x88}, prefixed[] = {1, 0x65};
    const uint8_t *nal = STALE;
    size_t offset = 0;
    uint8_t out[16];
    IS_NULL(nalu_annex_b_next(NULL, 5, &offset, &nal, &size), "bytes");
    CHECK_PTR_EQ(nal, NULL);
    IS_NULL(nalu_annex_b_next(unit, 5, NULL, &nal, &size), "offset");
    IS_NULL(nalu_annex_b_next(unit, 5, &offset, NULL, &size), "nal_out");
    IS_NULL(nalu_annex_b_next(unit, 5, &offset, &nal, NULL), "nal_size_out");
    CHECK_STATUS(nalu_annex_b_next(NULL, 0, &offset, &nal, &size), NALU_STATUS_VALUE_NOT_AVAILABLE);
    IS_NULL(nalu_length_prefixed_next(NULL, 2, 1, &offset, &nal, &size), "bytes");
    IS_NULL(nalu_length_prefixed_next(prefixed, 2, 1, NULL, &nal, &size), "offset");
    IS_NULL(nalu_length_prefixed_next(prefixed, 2, 1, &offset, NULL, &size), "nal_out");
    IS_NULL(nalu_length_prefixed_next(prefixed, 2, 1, &offset, &nal, NULL), "nal_size_out");
    CHECK_STATUS(nalu_length_prefixed_next(NULL, 0, 1, &offset, &nal, &size), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_EQ(offset, 0);

    IS_NULL(nalu_annex_b_to_length_prefixed(NULL, 5, 4, out, sizeof out, &size), "bytes");
    IS_NULL(nalu_annex_b_to_length_prefixed(unit, 5, 4, NULL, 16, &size), "buffer");
    IS_NULL(nalu_annex_b_to_length_prefixed(unit, 5, 4, out, sizeof out, NULL), "size_out");
    IS_NULL(nalu_length_prefixed_to_annex_b(NULL, 2, 1, out, sizeof out, &size), "bytes");
    IS_NULL(nalu_length_prefixed_to_annex_b(prefixed, 2, 1, NULL, 16, &size), "buffer");
    IS_NULL(nalu_length_prefixed_to_annex_b(prefixed, 2, 1, out, sizeof out, NULL), "size_out");
    CHECK_OK(nalu_annex_b_to_length_prefixed(NULL, 0, 4, out, sizeof out, &size));
    CHECK_EQ(size, 0);

    nalu_sequence_info info = {.struct_size = sizeof info};
    IS_NULL(nalu_parse_sequence_parameter_set(NULL, 5, &info), "bytes");
    IS_NULL(nalu_parse_sequence_parameter_set(NULL, 0, &info), "bytes");
    IS_NULL(nalu_parse_hevc_sequence_parameter_set(NULL, 5, &info), "bytes");
    IS_NULL(nalu_parse_hevc_sequence_parameter_set(NULL, 0, &info), "bytes");
    /* In H.265 a VPS precedes the SPS. */
    const int is_hevc = tested()->codec == NALU_CODEC_HEVC;
    const nalu_format_description *format = nalu_sample_get_format_description(c.samples[0]);
    const uint8_t *sps = nalu_format_description_get_parameter_set(format, (uint32_t)is_hevc, &size);
    if (is_hevc) IS_NULL(nalu_parse_hevc_sequence_parameter_set(sps, size, NULL), "info");
    else IS_NULL(nalu_parse_sequence_parameter_set(sps, size, NULL), "info");
}

static void format_functions_refuse_null(void) {
    const nalu_format_description *format = nalu_sample_get_format_description(c.samples[0]);
    nalu_format_description *made = STALE;
    const uint8_t *sets[3];
    size_t sizes[3];
    const int is_hevc = tested()->codec == NALU_CODEC_HEVC;
    const uint32_t count = nalu_format_description_get_parameter_set_count(format);
    REQUIRE(CHECK_EQ(count, is_hevc ? 3 : 2));
    for (uint32_t i = 0; i < count; i++) sets[i] = nalu_format_description_get_parameter_set(format, i, &sizes[i]);
    nalu_status (*const create)(uint32_t, const uint8_t *const *, const size_t *, uint32_t, nalu_format_description **) =
        is_hevc ? nalu_format_description_create_from_hevc_parameter_sets : nalu_format_description_create_from_parameter_sets;
    IS_NULL(create(count, NULL, sizes, 4, &made), "parameter_sets");
    CHECK_PTR_EQ(made, NULL);
    IS_NULL(create(count, sets, NULL, 4, &made), "sizes");
    IS_NULL(create(count, sets, sizes, 4, NULL), "format_out");
    sets[1] = NULL;
    IS_NULL(create(count, sets, sizes, 4, &made), "parameter_sets[1]");
    /* The record of the codec, and that of the other one, which the format does not have. */
    const uint8_t *(*const record_of)(const nalu_format_description *, size_t *) =
        is_hevc ? nalu_format_description_get_hvcc : nalu_format_description_get_avcc;
    const uint8_t *(*const other_of)(const nalu_format_description *, size_t *) =
        is_hevc ? nalu_format_description_get_avcc : nalu_format_description_get_hvcc;
    nalu_status (*const read)(const uint8_t *, size_t, nalu_format_description **) =
        is_hevc ? nalu_format_description_create_from_hvcc : nalu_format_description_create_from_avcc;
    const uint8_t *record = record_of(format, &size);
    made = STALE;
    IS_NULL(read(NULL, size, &made), "bytes");
    CHECK_PTR_EQ(made, NULL);
    IS_NULL(read(record, size, NULL), "format_out");
    CHECK_PTR_EQ(other_of(format, &size), NULL);
    CHECK_EQ(size, 0);

    nalu_sequence_info info = {.struct_size = sizeof info};
    IS_NULL(nalu_format_description_get_sequence_info(NULL, &info), "format");
    IS_NULL(nalu_format_description_get_sequence_info(format, NULL), "info");
    CHECK_PTR_EQ(record_of(NULL, NULL), NULL);
    check_no_format(NULL, nalu_sample_get_format_description(c.samples[0]));
    CHECK(nalu_format_description_get_parameter_set(format, 0, NULL) != NULL);
    CHECK(record_of(format, NULL) != NULL);
}

static void sample_functions_refuse_null(void) {
    uint8_t out[16];
    IS_NULL(nalu_sample_copy_annex_b(NULL, 0, out, sizeof out, &size), "sample");
    IS_NULL(nalu_sample_copy_annex_b(c.samples[0], 0, NULL, 16, &size), "buffer");
    IS_NULL(nalu_sample_copy_annex_b(c.samples[0], 0, out, sizeof out, NULL), "size_out");
    CHECK_PTR_EQ(nalu_sample_next_nal(c.samples[0], NULL, NULL), NULL);
    check_no_sample(NULL);
    CHECK(nalu_sample_get_data(c.samples[0], NULL) != NULL);
    CHECK(nalu_sample_get_nal(c.samples[0], 0, NULL) != NULL);
}

static void pixel_buffer_functions_refuse_null(void) {
    static uint8_t pixels[16 * 16 * 2];
    const void *planes[2] = {pixels, NULL};
    const int64_t strides[2] = {16, 16};
    nalu_pixel_buffer *made = STALE;
    nalu_pixel_buffer_pool *pool = NULL;
    IS_NULL(nalu_pixel_buffer_create(16, 16, NALU_PIXEL_FORMAT_420V, NULL), "buffer_out");
    IS_NULL(nalu_pixel_buffer_create_with_planes(16, 16, NALU_PIXEL_FORMAT_420V, 2, NULL, strides, NULL, NULL, NULL,
                                                 &made), "planes");
    CHECK_PTR_EQ(made, NULL);
    IS_NULL(nalu_pixel_buffer_create_with_planes(16, 16, NALU_PIXEL_FORMAT_420V, 2, planes, NULL, NULL, NULL, NULL,
                                                 &made), "strides");
    IS_NULL(nalu_pixel_buffer_create_with_planes(16, 16, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL, NULL, NULL,
                                                 &made), "planes[1]");
    IS_NULL(nalu_pixel_buffer_create_with_planes(16, 8, NALU_PIXEL_FORMAT_L008, 1, planes, strides, NULL, NULL, NULL,
                                                 NULL), "buffer_out");
    IS_NULL(nalu_pixel_buffer_pool_create(16, 16, NALU_PIXEL_FORMAT_420V, 0, NULL), "pool_out");
    REQUIRE_OK(nalu_pixel_buffer_pool_create(16, 16, NALU_PIXEL_FORMAT_420V, 0, &pool));
    IS_NULL(nalu_pixel_buffer_pool_create_pixel_buffer(pool, NULL), "buffer_out");
    made = STALE;
    IS_NULL(nalu_pixel_buffer_pool_create_pixel_buffer(NULL, &made), "pool");
    CHECK_PTR_EQ(made, NULL);
    nalu_pixel_buffer_pool_release(pool);
    nalu_pixel_buffer_pool_release(NULL);
    CHECK_PTR_EQ(nalu_pixel_buffer_pool_retain(NULL), NULL);
    IS_NULL(nalu_pixel_transfer_image(NULL, buffer, 0), "source");
    IS_NULL(nalu_pixel_transfer_image(buffer, NULL, 0), "destination");
    check_no_pixel_buffer(NULL);
}

static void session_functions_refuse_null(void) {
    const nalu_time now = nalu_time_make(100, 30);
    const void *planes[2] = {c.pixels, NULL};
    const int64_t strides[2] = {64, 64};
    nalu_encode_info_flags flags = 99;
    nalu_session_statistics statistics = {.struct_size = sizeof statistics};
    char text[64];
    IS_NULL(nalu_compression_session_create(64, 48, tested()->codec, NULL, NULL, clip_take, &c, NULL, NULL),
            "session_out");
    IS_NULL(nalu_compression_session_prepare(NULL), "session");
    IS_NULL(nalu_compression_session_encode_frame(NULL, buffer, now, now, NULL, NULL, &flags), "session");
    CHECK_EQ(flags, 0);
    flags = 99;
    IS_NULL(nalu_compression_session_encode_frame(c.session, NULL, now, now, NULL, NULL, &flags), "buffer");
    CHECK_EQ(flags, 0);
    flags = 99;
    IS_NULL(nalu_compression_session_encode_planes(NULL, 64, 48, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL, now,
                                                   now, NULL, NULL, &flags), "session");
    CHECK_EQ(flags, 0);
    IS_NULL(nalu_compression_session_encode_planes(c.session, 64, 48, NALU_PIXEL_FORMAT_420V, 2, NULL, strides, NULL,
                                                   now, now, NULL, NULL, NULL), "planes");
    IS_NULL(nalu_compression_session_encode_planes(c.session, 64, 48, NALU_PIXEL_FORMAT_420V, 2, planes, NULL, NULL,
                                                   now, now, NULL, NULL, NULL), "strides");
    IS_NULL(nalu_compression_session_encode_planes(c.session, 64, 48, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL,
                                                   now, now, NULL, NULL, NULL), "planes[1]");
    IS_NULL(nalu_compression_session_complete_frames(NULL, now), "session");
    IS_NULL(nalu_compression_session_copy_last_error(NULL, text, sizeof text, &size), "session");
    IS_NULL(nalu_compression_session_copy_last_error(c.session, NULL, 64, &size), "buffer");
    IS_NULL(nalu_compression_session_copy_last_error(c.session, text, sizeof text, NULL), "size_out");
    IS_NULL(nalu_compression_session_get_statistics(NULL, &statistics), "session");
    IS_NULL(nalu_compression_session_get_statistics(c.session, NULL), "statistics");
    CHECK_OK(nalu_compression_session_invalidate(NULL));
    CHECK_PTR_EQ(nalu_compression_session_retain(NULL), NULL);
    nalu_compression_session_release(NULL);
    CHECK_PTR_EQ(nalu_compression_session_get_pixel_buffer_pool(NULL), NULL);
}

static void property_functions_refuse_null(void) {
    const double numbers[2] = {1, 1};
    const nalu_property row = {.key = NALU_PROPERTY_QUALITY, .type = NALU_PROPERTY_TYPE_UNSET};
    int64_t integer = 5;
    double number = 5;
    int32_t truth = 5;
    char text[64];
    double out[4];
    nalu_property_info info = {.struct_size = sizeof info};
    nalu_compression_session *s = c.session;
    IS_NULL(nalu_session_set_int64(NULL, "Quality", 1), "session");
    IS_NULL(nalu_session_set_int64(s, NULL, 1), "key");
    IS_NULL(nalu_session_set_double(NULL, "Quality", 1), "session");
    IS_NULL(nalu_session_set_double(s, NULL, 1), "key");
    IS_NULL(nalu_session_set_bool(NULL, "RealTime", 1), "session");
    IS_NULL(nalu_session_set_bool(s, NULL, 1), "key");
    IS_NULL(nalu_session_set_string(NULL, tested()->late, tested()->values[0]), "session");
    IS_NULL(nalu_session_set_string(s, NULL, "psnr"), "key");
    char name[64];
    snprintf(name, sizeof name, "the value of %s is NULL", tested()->late);
    REFUSED(nalu_session_set_string(s, tested()->late, NULL), NALU_STATUS_PARAMETER, name);
    IS_NULL(nalu_session_set_numbers(NULL, "PixelAspectRatio", numbers, 2), "session");
    IS_NULL(nalu_session_set_numbers(s, NULL, numbers, 2), "key");
    IS_NULL(nalu_session_set_numbers(s, "PixelAspectRatio", NULL, 2), "the value of PixelAspectRatio");
    IS_NULL(nalu_session_unset_property(NULL, "Quality"), "session");
    IS_NULL(nalu_session_unset_property(s, NULL), "key");
    IS_NULL(nalu_session_set_properties(NULL, &row, 1), "session");
    IS_NULL(nalu_session_set_properties(s, NULL, 1), "properties");
    CHECK_OK(nalu_session_set_properties(s, NULL, 0));
    IS_NULL(nalu_session_set_properties_from_text(NULL, "Quality=1"), "session");
    IS_NULL(nalu_session_set_properties_from_text(s, NULL), "text");
    IS_NULL(nalu_session_copy_properties_as_text(NULL, text, sizeof text, &size), "session");
    IS_NULL(nalu_session_copy_properties_as_text(s, NULL, 64, &size), "buffer");
    IS_NULL(nalu_session_copy_properties_as_text(s, text, sizeof text, NULL), "size_out");
    IS_NULL(nalu_session_get_int64(NULL, "MaxKeyFrameInterval", &integer), "session");
    IS_NULL(nalu_session_get_int64(s, NULL, &integer), "key");
    IS_NULL(nalu_session_get_int64(s, "MaxKeyFrameInterval", NULL), "value_out");
    IS_NULL(nalu_session_get_double(NULL, "ExpectedFrameRate", &number), "session");
    IS_NULL(nalu_session_get_double(s, NULL, &number), "key");
    IS_NULL(nalu_session_get_double(s, "ExpectedFrameRate", NULL), "value_out");
    IS_NULL(nalu_session_get_bool(NULL, "NaluAllowScaling", &truth), "session");
    IS_NULL(nalu_session_get_bool(s, NULL, &truth), "key");
    IS_NULL(nalu_session_get_bool(s, "NaluAllowScaling", NULL), "value_out");
    IS_NULL(nalu_session_copy_string(NULL, "EncoderID", text, sizeof text, &size), "session");
    IS_NULL(nalu_session_copy_string(s, NULL, text, sizeof text, &size), "key");
    IS_NULL(nalu_session_copy_string(s, "EncoderID", NULL, 64, &size), "buffer");
    IS_NULL(nalu_session_copy_string(s, "EncoderID", text, sizeof text, NULL), "size_out");
    IS_NULL(nalu_session_copy_numbers(NULL, "DataRateLimits", out, 4, &size), "session");
    IS_NULL(nalu_session_copy_numbers(s, NULL, out, 4, &size), "key");
    IS_NULL(nalu_session_copy_numbers(s, "DataRateLimits", NULL, 4, &size), "values");
    IS_NULL(nalu_session_copy_numbers(s, "DataRateLimits", out, 4, NULL), "count_out");
    CHECK_EQ(integer, 5);
    CHECK_NEAR(number, 5, 0);
    CHECK_EQ(truth, 5);
    IS_NULL(nalu_property_get_info(NULL, &info), "key");
    IS_NULL(nalu_property_get_info("Quality", NULL), "info");
    CHECK_PTR_EQ(nalu_property_get_allowed_value(NULL, 0), NULL);
}

int main(void) {
    clip_open(&c, 64, 48);
    clip_encode_all(&c, 1);
    REQUIRE_OK(nalu_pixel_buffer_create(64, 48, NALU_PIXEL_FORMAT_420V, &buffer));
    RUN(bitstream_functions_refuse_null);
    RUN(format_functions_refuse_null);
    RUN(sample_functions_refuse_null);
    RUN(pixel_buffer_functions_refuse_null);
    RUN(session_functions_refuse_null);
    RUN(property_functions_refuse_null);
    CHECK_EQ(c.count + c.failures, 1);
    nalu_pixel_buffer_release(buffer);
    clip_close(&c);
    return check_result();
}
