/* Caps: formats in, stream format, profile, level, colour, and changes in mid-stream. */
#include "element.h"

static void test_stream_formats(void) {
    static const struct { const char *accepted, *expected; } cases[] = {
        {AVC, "avc"}, {BYTE_STREAM, "byte-stream"}, {"video/x-h264,alignment=au,profile=high", "avc"}, {NULL, "byte-stream"}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        Element element = element_new(QUICK " profile-level=H264_High_AutoLevel", SMALL, cases[i].accepted);
        gboolean is_avc = g_str_equal(cases[i].expected, "avc");
        GstBuffer *buffer;
        GstStructure *fields;
        guint8 bytes[5];
        element_push_many(&element, 1);
        buffer = element_pull(&element);
        CHECK_FIELD(&element, "stream-format", cases[i].expected);
        CHECK_FIELD(&element, "alignment", "au");
        fields = element_output(&element);
        CHECK_EQ(gst_structure_has_field(fields, "codec_data"), is_avc);
        gst_structure_free(fields);
        gst_buffer_extract(buffer, 0, bytes, sizeof bytes);
        /* A byte stream begins with its SPS. */
        if (!is_avc) CHECK_BYTES(bytes, "\0\0\0\1\x67", 5);
        gst_buffer_unref(buffer);
        element_free(&element);
    }
}

static void test_profiles(void) {
    static const struct { const char *launch, *accepted, *expected; int profile_idc; } cases[] = {
        {"naluh264enc", "high", "high", 100}, {"naluh264enc", "progressive-high", "progressive-high", 100},
        {"naluh264enc", "constrained-high", "constrained-high", 100}, {"naluh264enc", "main", "main", 77},
        {"naluh264enc", "baseline", "baseline", 66}, {"naluh264enc", "constrained-baseline", "constrained-baseline", 66},
        {"naluh264enc", "{ main, high }", "high", 100}, {"naluh264enc", "{ constrained-baseline, main }", "main", 77},
        {"naluh264enc", "high-10", "high-10", 110},
        /* A stream that needs less than it may is announced as the profile that downstream accepts. */
        {"naluh264enc x264-preset=ultrafast", "high", "high", 66}, {"naluh264enc x264-preset=ultrafast", "main", "main", 66},
        {"naluh264enc profile-level=H264_Main_AutoLevel", "{ main, high }", "main", 77},
        {"naluh264enc profile-level=H264_Main_3_1", "main", "main", 77}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *accepted = g_strdup_printf(AVC ",profile=%s", cases[i].accepted);
        Element element = element_new(cases[i].launch, SMALL, accepted);
        element_encode(&element, 3);
        CHECK_FIELD(&element, "profile", cases[i].expected);
        CHECK_EQ(element_sequence(&element).profile_idc, cases[i].profile_idc);
        element_free_quiet(&element);
        g_free(accepted);
    }
}

/* Frames with more than 8 bits keep 10 if downstream accepts that. */
static void test_bit_depths(void) {
    static const char *const formats[] = {"P010_10LE", "P012_LE", "P016_LE"};
    for (gsize i = 0; i < G_N_ELEMENTS(formats); i++) {
        for (int accepts = 0; accepts < 2; accepts++) {
            char *caps = g_strdup_printf("video/x-raw,format=%s,width=64,height=64,framerate=30/1", formats[i]);
            Element element = element_new("naluh264enc", caps, accepts ? AVC : AVC ",profile={ main, high }");
            element_encode(&element, 2);
            CHECK_EQ(element_sequence(&element).luma_bit_depth, accepts ? 10 : 8);
            CHECK_FIELD(&element, "profile", accepts ? "high-10" : "high");
            element_free_quiet(&element);
            g_free(caps);
        }
    }
}

static void test_a_profile_that_is_not_accepted(void) {
    Element element = element_new("naluh264enc profile-level=H264_High_AutoLevel max-frame-delay-count=0", SMALL,
                                  AVC ",profile=constrained-baseline");
    GstFlowReturn flow = GST_FLOW_OK;
    for (int i = 0; i < 1000 && flow == GST_FLOW_OK; i++) flow = element_push(&element);
    CHECK_EQ(flow, GST_FLOW_NOT_NEGOTIATED);
    CHECK_ERROR(&element, "profile-level");
    element_free(&element);
}

/* The preset slower has more reference frames at this size than level 3.1 allows. */
static void test_levels(void) {
    const char *caps = "video/x-raw,format=NV12,width=1280,height=720,framerate=30/1";
    Element free = element_new("naluh264enc x264-preset=slower allow-frame-reordering=false", caps, AVC);
    Element limited = element_new("naluh264enc x264-preset=slower allow-frame-reordering=false", caps, AVC ",level={ (string)3, (string)3.1 }");
    element_encode(&free, 1);
    CHECK(element_sequence(&free).level_idc > 31);
    element_encode(&limited, 1);
    CHECK_EQ(element_sequence(&limited).level_idc, 31);
    CHECK_FIELD(&limited, "level", "3.1");
    element_check_quiet(&limited);
    element_free(&free);
    element_free(&limited);
}

static void test_what_the_input_caps_state(void) {
    Element element = element_new("naluh264enc",
        "video/x-raw,format=NV12,width=720,height=576,framerate=25/1,pixel-aspect-ratio=16/15,colorimetry=(string)2:6:16:7,"
        "chroma-site=(string)mpeg2", AVC);
    nalu_sequence_info info;
    element_encode(&element, 1);
    info = element_sequence(&element);
    CHECK_EQ(info.width, 720);
    CHECK_EQ(info.height, 576);
    CHECK_EQ(info.time_scale / info.num_units_in_tick, 50);
    CHECK_EQ(info.pixel_aspect_ratio_horizontal, 16);
    CHECK_EQ(info.pixel_aspect_ratio_vertical, 15);
    CHECK_EQ(info.video_full_range, 0);
    CHECK_EQ(info.matrix_coefficients, 9);
    CHECK_EQ(info.transfer_characteristics, 6);
    CHECK_EQ(info.color_primaries, 9);
    CHECK_EQ(info.chroma_location, -1); /* not written, which means left */
    CHECK_FIELD(&element, "pixel-aspect-ratio", "16/15");
    CHECK_FIELD(&element, "framerate", "25/1");
    CHECK_FIELD(&element, "chroma-site", "mpeg2");
    element_free_quiet(&element);
}

/* The application's own properties come first. */
static void test_properties_before_caps(void) {
    Element element = element_new("naluh264enc color-primaries=EBU_3213 expected-frame-rate=50 pixel-aspect-ratio=\"<4,3>\"",
        "video/x-raw,format=NV12,width=64,height=64,framerate=25/1,colorimetry=bt709,pixel-aspect-ratio=16/15", AVC);
    nalu_sequence_info info;
    element_encode(&element, 1);
    info = element_sequence(&element);
    CHECK_EQ(info.color_primaries, 5);
    CHECK_EQ(info.matrix_coefficients, 1);
    CHECK_EQ(info.time_scale / info.num_units_in_tick, 100);
    CHECK_EQ(info.pixel_aspect_ratio_horizontal, 4);
    element_free(&element);
}

static void test_interlaced_caps(void) {
    Element element = element_new("naluh264enc", "video/x-raw,format=NV12,width=64,height=64,framerate=25/1,interlace-mode=interleaved,"
        "field-order=bottom-field-first", AVC);
    element_encode(&element, 2);
    CHECK_EQ(element_sequence(&element).frame_mbs_only, 0);
    CHECK_FIELD(&element, "interlace-mode", "interleaved");
    CHECK_FIELD(&element, "field-order", "bottom-field-first");
    element_free_quiet(&element);
}

/* Every format of the sink template, in both ranges where GStreamer has both. */
static void test_input_formats(void) {
    GstElementFactory *factory = gst_element_factory_find("naluh264enc");
    GstStaticPadTemplate *template = NULL;
    GstCaps *caps;
    const GValue *formats;
    for (const GList *at = gst_element_factory_get_static_pad_templates(factory); at; at = at->next)
        if (((GstStaticPadTemplate *)at->data)->direction == GST_PAD_SINK) template = at->data;
    caps = gst_static_pad_template_get_caps(template);
    formats = gst_structure_get_value(gst_caps_get_structure(caps, 0), "format");
    for (guint i = 0; i < gst_value_list_get_size(formats); i++) {
        char *input = g_strdup_printf("video/x-raw,format=%s,width=64,height=64,framerate=30/1",
                                      g_value_get_string(gst_value_list_get_value(formats, i)));
        Element element = element_new(QUICK, input, AVC);
        element_push_many(&element, 2);
        element_pull_many(&element, 2);
        element_free_quiet(&element);
        g_free(input);
    }
    CHECK(gst_value_list_get_size(formats) > 15);
    gst_caps_unref(caps);
    gst_object_unref(factory);

    Element full = element_new(QUICK, "video/x-raw,format=I420,width=64,height=64,framerate=30/1,colorimetry=(string)1:4:5:4", AVC);
    element_push_many(&full, 1);
    element_pull_many(&full, 1);
    CHECK_EQ(element_sequence(&full).video_full_range, 1);
    element_free(&full);

    Element refused = element_new(QUICK, NULL, AVC);
    gst_harness_set_src_caps_str(refused.harness,
        "video/x-raw,format=YUY2,width=64,height=64,framerate=30/1,colorimetry=(string)1:4:5:4");
    CHECK_ERROR(&refused, "video range only");
    element_free(&refused);
}

/* Frames of the old size come out before those of the new one, and all of them do. */
static void test_changes_in_mid_stream(void) {
    static const char *const caps[] = {
        SMALL, "video/x-raw,format=NV12,width=96,height=80,framerate=30/1", "video/x-raw,format=I420,width=96,height=80,framerate=30/1",
        "video/x-raw,format=BGRx,width=96,height=80,framerate=30/1", "video/x-raw,format=NV12,width=96,height=80,framerate=25/1"};
    Element element = element_new("naluh264enc", caps[0], AVC);
    for (gsize i = 0; i < G_N_ELEMENTS(caps); i++) {
        gboolean same_session = i == 2; /* only the layout of the frames differs */
        if (i > 0) element_set_caps(&element, caps[i]);
        if (same_session) CHECK_EQ(gst_harness_buffers_in_queue(element.harness), 0);
        element_push_many(&element, 60);
        if (i > 0 && !same_session) {
            CHECK(gst_harness_buffers_received(element.harness) >= (i - (i > 2)) * 60);
        }
        while (gst_harness_buffers_in_queue(element.harness) > 0) element_pull_many(&element, 1);
    }
    element_end(&element);
    WAIT_UNTIL(gst_harness_buffers_received(element.harness) == 5 * 60);
    CHECK_FIELD(&element, "width", "96");
    CHECK_FIELD(&element, "framerate", "25/1");
    element_free_quiet(&element);
}

/* A size that the encoder refuses is an error, and the element works with the next caps. */
static void test_refused_caps(void) {
    Element element = element_new(QUICK " field-count=2", NULL, AVC);
    gst_harness_set_src_caps_str(element.harness, "video/x-raw,format=NV12,width=64,height=66,framerate=30/1");
    CHECK_ERROR(&element, "66");
    CHECK_EQ(gst_harness_push(element.harness, gst_buffer_new_allocate(NULL, 64 * 66 * 3 / 2, NULL)), GST_FLOW_NOT_NEGOTIATED);
    element_free(&element);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    RUN(test_stream_formats);
    RUN(test_profiles);
    RUN(test_bit_depths);
    RUN(test_a_profile_that_is_not_accepted);
    RUN(test_levels);
    RUN(test_what_the_input_caps_state);
    RUN(test_properties_before_caps);
    RUN(test_interlaced_caps);
    RUN(test_input_formats);
    RUN(test_changes_in_mid_stream);
    RUN(test_refused_caps);
    return check_result();
}
