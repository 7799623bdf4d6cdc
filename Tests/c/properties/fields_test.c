/* FieldCount and FieldDetail: interlaced streams, the order of their fields, and conversion field by field. */
#include "clip.h"
#include "refusal.h"

/* Returns pic_struct of the sample's picture timing message (ITU-T H.264 D.1.3). It is the message's first
 * field, because there is no HRD. */
static int pic_struct(const nalu_sample *sample) {
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        size_t size = 0;
        const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
        if ((nal[0] & 31) == NALU_NAL_SEI && size > 3 && nal[1] == 1) return nal[3] >> 4;
    }
    return -1;
}

static void check_stream(const char *properties, int interlaced, int order) {
    clip c;
    int64_t count = -1;
    char detail[40] = "";
    size_t size = 0;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, properties));
    CHECK_OK(nalu_session_get_int64(c.session, NALU_PROPERTY_FIELD_COUNT, &count));
    CHECK_EQ(count, interlaced ? 2 : 1);
    const nalu_status status =
        nalu_session_copy_string(c.session, NALU_PROPERTY_FIELD_DETAIL, detail, sizeof detail, &size);
    CHECK_STATUS(status, interlaced ? NALU_STATUS_OK : NALU_STATUS_VALUE_NOT_AVAILABLE);
    clip_encode_all(&c, 8);
    const nalu_sequence_info info = clip_info(&c);
    check_integers(info.frame_mbs_only, !interlaced, __FILE__, __LINE__, properties);
    CHECK_EQ(info.width, 64);
    CHECK_EQ(info.height, 48);
    CHECK_EQ(info.coded_height, interlaced ? 64 : 48);
    if (interlaced) CHECK(info.level_idc >= 21 && info.level_idc <= 41);
    for (int i = 0; i < c.count; i++)
        check_integers(pic_struct(c.samples[i]), order, __FILE__, __LINE__, properties);
    REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_FIELD_COUNT, interlaced ? 1 : 2),
            interlaced && strstr(properties, "Detail") ? NALU_STATUS_CONFLICT : NALU_STATUS_TOO_LATE, "FieldCount");
    CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_FIELD_COUNT, interlaced ? 2 : 1));
    clip_close(&c);
}

/* Values of table D-1: 3 means top field, bottom field; 4 means bottom field, top field. */
static void field_order_is_written_to_the_stream(void) {
    check_stream("FieldCount=1", 0, -1);
    check_stream("", 0, -1);
    check_stream("FieldCount=2", 1, 3);
    check_stream("FieldCount=2,FieldDetail=TemporalTopFirst", 1, 3);
    check_stream("FieldCount=2,FieldDetail=TemporalBottomFirst", 1, 4);
    check_stream("FieldDetail=SpatialFirstLineEarly", 1, 3);
    check_stream("FieldDetail=SpatialFirstLineLate", 1, 4);
    check_stream("FieldCount=2,RealTime=true", 1, 3);
    check_stream("FieldCount=2,ProfileLevel=H264_Main_3_0,x264.preset=ultrafast", 1, 3);
    check_stream("FieldCount=2,x264.preset=placebo,H264EntropyMode=CAVLC", 1, 3);
    check_stream("FieldCount=2,AllowOpenGOP=true,MaxKeyFrameInterval=4,AverageBitRate=200000", 1, 3);
}

/* Red in one field and blue in the other do not mix, because each field has its own chroma. The stream equals
 * that of a client's interlaced 4:2:0 frames. */
static void rgb_is_converted_field_by_field(void) {
    enum { W = 64, H = 48 };
    static uint8_t rgb[W * H * 4], luma[W * H], chroma[W * H / 2];
    const void *rgb_planes[1] = {rgb}, *planes[2] = {luma, chroma};
    const int64_t rgb_strides[1] = {W * 4}, strides[2] = {W, W};
    /* The colours in BT.601, video range. */
    static const uint8_t colours[2][3] = {{81, 90, 240}, {41, 240, 110}};
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            uint8_t *p = rgb + (y * W + x) * 4;
            p[0] = y & 1 ? 255 : 0, p[1] = 0, p[2] = y & 1 ? 0 : 255, p[3] = 255;
            luma[y * W + x] = colours[y & 1][0];
            chroma[y / 2 * W + x] = colours[(y / 2) & 1][1 + (x & 1)];
        }
    clip a, b;
    clip_open(&a, W, H);
    clip_open(&b, W, H);
    clip *both[2] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        REQUIRE_OK(nalu_session_set_properties_from_text(both[i]->session,
            "FieldCount=2,RealTime=true,x264.params=\"threads=1\""));
        for (int n = 0; n < 3; n++) {
            REQUIRE_OK(nalu_compression_session_encode_planes(both[i]->session, W, H,
                i ? NALU_PIXEL_FORMAT_420V : NALU_PIXEL_FORMAT_BGRA, i ? 2 : 1, i ? planes : rgb_planes,
                i ? strides : rgb_strides, NULL, nalu_time_make(n, 25), nalu_time_invalid(), NULL, NULL, NULL));
            both[i]->fed++;
        }
        clip_finish(both[i]);
    }
    CHECK_EQ(a.count, 3);
    check_same_samples(&a, &b);
    clip_close(&a);
    clip_close(&b);
}

static void settings_that_fields_exclude_are_refused(void) {
    clip c;
    static uint8_t pixels[64 * 64 * 4];
    const void *planes[1] = {pixels};
    const int64_t strides[1] = {256};
    const int32_t heights[] = {46, 47, 49, 50};
    for (int i = 0; i < 4; i++) {
        char rows[8];
        snprintf(rows, sizeof rows, "%d", (int)heights[i]);
        clip_open(&c, 64, heights[i]);
        REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_FIELD_COUNT, 2), NALU_STATUS_OUT_OF_RANGE, rows,
                "multiple of 4");
        clip_close(&c);
    }
    clip_open(&c, 1920, 1104);
    REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_FIELD_COUNT, 2), NALU_STATUS_OUT_OF_RANGE, "1920x1104",
            "8192");
    clip_close(&c);
    clip_open(&c, 64, 48);
    const int64_t counts[] = {0, 3, -1};
    for (int i = 0; i < 3; i++)
        REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_FIELD_COUNT, counts[i]), NALU_STATUS_OUT_OF_RANGE,
                "FieldCount", "1 to 2");
    const double aperture[4] = {64, 44, 0, 0};
    CHECK_OK(nalu_session_set_numbers(c.session, NALU_PROPERTY_CLEAN_APERTURE, aperture, 4));
    REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_FIELD_COUNT, 2), NALU_STATUS_OUT_OF_RANGE, "CleanAperture",
            "multiple of 4");
    CHECK_OK(nalu_session_unset_property(c.session, NALU_PROPERTY_CLEAN_APERTURE));
    CHECK_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "level=5.1"));
    CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_FIELD_COUNT, 2));
    REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "FieldCount is 2", "5.1");
    CHECK_OK(nalu_session_unset_property(c.session, NALU_PROPERTY_X264_PARAMS));
    REFUSED(nalu_compression_session_encode_planes(c.session, 64, 64, NALU_PIXEL_FORMAT_BGRA, 1, planes, strides, NULL,
                nalu_time_zero(), nalu_time_invalid(), NULL, NULL, NULL), NALU_STATUS_INVALID_SIZE, "64x64", "64x48",
            "interlaced");
    clip_encode_all(&c, 2);
    clip_close(&c);
}

int main(void) {
    RUN(field_order_is_written_to_the_stream);
    RUN(rgb_is_converted_field_by_field);
    RUN(settings_that_fields_exclude_are_refused);
    return check_result();
}
