/* Each property by itself, with an effect that the stream shows; changes while encoding; values that are refused. */
#include "element.h"

#include <stddef.h>

#define FRAMES 30
#define PICTURE "video/x-raw,format=NV12,width=160,height=128,framerate=30/1"

typedef struct {
    char *effective; /* the property x264-effective */
    nalu_sequence_info sequence;
    guint frames, keys, nals, sei[256];
    GByteArray *bytes;
    gboolean has_meta, has_metrics, has_disposable;
} Stream;

static void count_sei(Stream *stream, const guint8 *nal, gsize size) {
    for (gsize at = 1; at + 2 < size && nal[at] != 0x80;) {
        guint type = nal[at], length = nal[at + 1]; /* the messages of these tests are short */
        stream->sei[type]++;
        if (length == 255 || type == 255) return;
        at += 2 + length;
    }
}

static void add_buffer(Stream *stream, GstBuffer *buffer) {
    GstMapInfo map;
    GstCustomMeta *meta = gst_buffer_get_custom_meta(buffer, "NaluSampleMeta");
    REQUIRE(gst_buffer_map(buffer, &map, GST_MAP_READ));
    for (gsize at = 0; at + 4 < map.size;) {
        const guint8 *length = map.data + at; /* not aligned */
        gsize size = (gsize)length[0] << 24 | (gsize)length[1] << 16 | (gsize)length[2] << 8 | length[3];
        stream->nals++;
        if ((map.data[at + 4] & 31) == 6) count_sei(stream, map.data + at + 4, size);
        at += 4 + size;
    }
    g_byte_array_append(stream->bytes, map.data, (guint)map.size);
    gst_buffer_unmap(buffer, &map);
    stream->frames++;
    stream->keys += (guint)element_is_key(buffer);
    stream->has_disposable |= GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DROPPABLE);
    if (meta) {
        stream->has_meta = gst_structure_has_field(gst_custom_meta_get_structure(meta), "token");
        stream->has_metrics = gst_structure_has_field(gst_custom_meta_get_structure(meta), "luma-psnr");
    }
    gst_buffer_unref(buffer);
}

static Stream encode(const char *properties) {
    Stream stream = {.bytes = g_byte_array_new()};
    char *launch = g_strdup_printf("naluh264enc %s", properties);
    Element element = element_new(launch, PICTURE, AVC);
    element_push_many(&element, FRAMES);
    g_object_get(element.harness->element, "x264-effective", &stream.effective, NULL);
    element_end(&element);
    for (GstBuffer *buffer; (buffer = gst_harness_try_pull(element.harness));) add_buffer(&stream, buffer);
    if (stream.frames > 0) stream.sequence = element_sequence(&element);
    if (!CHECK(stream.frames > 0)) fprintf(stderr, "  with %s\n", properties);
    element_free_quiet(&element);
    g_free(launch);
    return stream;
}

static void stream_free(Stream *stream) {
    g_free(stream->effective);
    g_byte_array_unref(stream->bytes);
}

static gboolean has_option(const Stream *stream, const char *option) {
    char **options = g_strsplit(stream->effective, ":", -1);
    gboolean has = g_strv_contains((const gchar *const *)options, option);
    g_strfreev(options);
    return has;
}

/* ---- What a row expects, and what does not hold without the property ---- */

typedef struct {
    const char *properties, *besides; /* the property, and what it needs */
    const char *option;               /* in x264-effective */
    gboolean (*holds)(const Stream *with, const Stream *without);
} Row;

static gboolean differs(const Stream *with, const Stream *without) {
    return with->bytes->len != without->bytes->len || memcmp(with->bytes->data, without->bytes->data, with->bytes->len) != 0;
}
static gboolean is_limited(const Stream *with, const Stream *without) { return with->bytes->len <= 6000 && without->bytes->len > 6000; }
static gboolean has_50_fields(const Stream *with, const Stream *without) {
    return with->sequence.time_scale == 50 * with->sequence.num_units_in_tick && without->sequence.time_scale != 50 * without->sequence.num_units_in_tick;
}
static gboolean has_6_keys(const Stream *with, const Stream *without) { return with->keys == 6 && without->keys == 1; }
static gboolean has_keys_only(const Stream *with, const Stream *without) { return with->keys == FRAMES && without->keys == 1; }
static gboolean has_fewer_keys(const Stream *with, const Stream *without) { return with->keys < without->keys; }
static gboolean has_metrics(const Stream *with, const Stream *without) { return with->has_metrics && !without->has_metrics; }
static gboolean has_disposable(const Stream *with, const Stream *without) {
    return with->has_disposable && !without->has_disposable;
}
static gboolean has_meta(const Stream *with, const Stream *without) { return with->has_meta && !without->has_meta; }
static gboolean has_primaries(const Stream *with, const Stream *without) {
    return with->sequence.color_primaries == 9 && without->sequence.color_primaries != 9;
}
static gboolean has_transfer(const Stream *with, const Stream *without) {
    return with->sequence.transfer_characteristics == 16 && without->sequence.transfer_characteristics != 16;
}
static gboolean has_matrix(const Stream *with, const Stream *without) {
    return with->sequence.matrix_coefficients == 7 && without->sequence.matrix_coefficients != 7;
}
static gboolean has_location(const Stream *with, const Stream *without) {
    return with->sequence.chroma_location == 4 && without->sequence.chroma_location != 4;
}
static gboolean has_aspect(const Stream *with, const Stream *without) {
    return with->sequence.pixel_aspect_ratio_horizontal == 4 && without->sequence.pixel_aspect_ratio_horizontal != 4;
}
static gboolean has_depth(const Stream *with, const Stream *without) {
    return with->sequence.luma_bit_depth == 10 && without->sequence.luma_bit_depth == 8;
}
static gboolean is_cropped(const Stream *with, const Stream *without) {
    return with->sequence.width == 120 && without->sequence.width == 160;
}
static gboolean has_display(const Stream *with, const Stream *without) { return with->sei[137] == 1 && without->sei[137] == 0; }
static gboolean has_light(const Stream *with, const Stream *without) { return with->sei[144] == 1 && without->sei[144] == 0; }
static gboolean has_no_light(const Stream *with, const Stream *without) { return with->sei[144] == 0 && without->sei[144] == 1; }
static gboolean has_fields(const Stream *with, const Stream *without) {
    return !with->sequence.frame_mbs_only && without->sequence.frame_mbs_only;
}
static gboolean has_more_nals(const Stream *with, const Stream *without) { return with->nals > 2 * without->nals; }
/* The stream is another one, of a session without the options of x264. */
static gboolean is_openh264(const Stream *with, const Stream *without) {
    return with->effective == NULL && without->effective != NULL && differs(with, without);
}
static gboolean is_main(const Stream *with, const Stream *without) {
    return with->sequence.profile_idc == 77 && without->sequence.profile_idc == 100;
}

#define FAST "x264-preset=veryfast "
static const Row rows[] = {
    {"average-bit-rate=200000", "", "bitrate=200", NULL},
    {"data-rate-limits=\"<6000,1.0>\"", "", NULL, is_limited},
    {"quality=1", "", "crf=1", NULL},
    {"constant-quality-factor=0.75", "", "crf=17", NULL},
    {"expected-frame-rate=25", "", NULL, has_50_fields},
    {"max-allowed-frame-qp=20", "", "qpmax=20", NULL},
    {"min-allowed-frame-qp=40", "", "qpmin=40", NULL},
    {"spatial-adaptive-qp-level=0", "", "aq-strength=0", NULL},
    {"source-frame-count=30", "average-bit-rate=100000", NULL, differs},
    {"expected-duration=1", "average-bit-rate=100000", NULL, differs},
    {"constant-bit-rate=64000", "", "nal-hrd=vbr", NULL},
    {"parameter-sets-in-stream=true", "constant-bit-rate=64000 max-key-frame-interval=5", NULL, differs},
    {"variable-bit-rate=100000", "", "bitrate=100", NULL},
    {"vbv-max-bit-rate=300000", "variable-bit-rate=100000", "vbv-maxrate=300", NULL},
    {"vbv-buffer-duration=1", "variable-bit-rate=100000", "vbv-bufsize=200", NULL},
    {"vbv-initial-delay-percentage=50", "variable-bit-rate=100000", "vbv-init=0.5", NULL},
    {"max-key-frame-interval=5", "", NULL, has_6_keys},
    {"max-key-frame-interval-duration=0.167", "", NULL, has_6_keys},
    {"allow-temporal-compression=false", "", NULL, has_keys_only},
    {"allow-frame-reordering=false", "", "bframes=0", NULL},
    {"allow-b-pyramid=false", "", "b-pyramid=none", NULL},
    {"allow-open-gop=true", "max-key-frame-interval=10", NULL, has_fewer_keys},
    {"more-frames-before-start=true", "", NULL, differs},
    {"more-frames-after-end=true", "", NULL, differs},
    {"limits-over-seams=false", "data-rate-limits=\"<6000,1.0>\" more-frames-before-start=true more-frames-after-end=true", NULL, differs},
    {"allow-multiple-slices=false", "real-time=true", "slices=1", NULL},
    {"reference-buffer-count=2", "", "ref=2", NULL},
    {"max-frame-delay-count=0", "", "rc-lookahead=0", NULL},
    {"real-time=true", "", "rc-lookahead=0", NULL},
    {"suggested-look-ahead-frame-count=10", "", "rc-lookahead=10", NULL},
    {"max-look-ahead-frame-count=5", "", "rc-lookahead=5", NULL},
    {"prioritize-encoding-speed-over-quality=true", "", "subme=2", NULL},
    {"maximize-power-efficiency=true", "", "threads=1", NULL},
    {"calculate-mean-squared-error=true", "", NULL, has_metrics},
    {"color-primaries=ITU_R_2020", "", NULL, has_primaries},
    {"transfer-function=SMPTE_ST_2084_PQ", "", NULL, has_transfer},
    {"ycbcr-matrix=SMPTE_240M_1995", "", NULL, has_matrix},
    {"chroma-location=BottomLeft", "", NULL, has_location},
    {"pixel-aspect-ratio=\"<4,3>\"", "", NULL, has_aspect},
    {"output-bit-depth=10", "", NULL, has_depth},
    {"clean-aperture=\"<120,96,0,0>\"", "", NULL, is_cropped},
    {"mastering-display-color-volume=\"<13250,34500,7500,3000,34000,16000,15635,16450,10000000,50>\"", "", NULL, has_display},
    {"content-light-level-info=\"<1000,400>\"", "", NULL, has_light},
    {"hdr-metadata-insertion-mode=None", "content-light-level-info=\"<1000,400>\"", NULL, has_no_light},
    {"field-count=2", "", NULL, has_fields},
    {"field-detail=TemporalBottomFirst", "field-count=2", NULL, differs},
    {"enable-ltr=true", "", NULL, has_meta},
    {"base-layer-frame-rate-fraction=0.5", "max-frame-delay-count=0", NULL, has_disposable},
    {"base-layer-bit-rate-fraction=0.8", "base-layer-frame-rate-fraction=0.5", NULL, differs},
    {"allow-intra-refresh=true", "max-frame-delay-count=0", "ref=1", NULL},
    {"profile-level=H264_Main_AutoLevel", "", NULL, is_main},
    {"h264-entropy-mode=CAVLC", "", "cabac=0", NULL},
    {"max-h264-slice-bytes=500", "quality=1", NULL, has_more_nals},
    {"x264-preset=faster", "", "subme=4", NULL},
    {"x264-tune=film", "", "deblock=-1,-1", NULL},
    {"x264-params=\"me=dia:merange=8\"", "", "me=dia", NULL},
    {"preset=HighSpeed", "", "subme=2", NULL},
    {"encoder=org.openh264.openh264", "", NULL, is_openh264},
    {"properties=\"x264.preset=faster,Quality=1\"", "", "subme=4", NULL},
    {"real-time-governor=false", "real-time=true", NULL, NULL}, /* test_governor */
};

static void test_each_property(void) {
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *with_text = g_strdup_printf("%s %s", rows[i].besides, rows[i].properties);
        Stream with = encode(with_text), without = encode(rows[i].besides);
        gboolean holds = TRUE;
        if (rows[i].option) holds = has_option(&with, rows[i].option) && !has_option(&without, rows[i].option);
        if (rows[i].holds && with.frames && without.frames) holds = rows[i].holds(&with, &without);
        if (!CHECK(holds)) fprintf(stderr, "  %s\n  %s\n", with_text, with.effective);
        stream_free(&with);
        stream_free(&without);
        g_free(with_text);
    }
}

/* The list has every property that can be set. */
static void test_no_property_is_left_out(void) {
    GstElement *element = gst_object_ref_sink(gst_element_factory_make("naluh264enc", NULL));
    guint count = 0, settable = 0;
    GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
    for (guint i = 0; i < count; i++) {
        gboolean found = FALSE;
        if (specs[i]->owner_type != G_OBJECT_TYPE(element) || !(specs[i]->flags & G_PARAM_WRITABLE)) continue;
        for (gsize row = 0; row < G_N_ELEMENTS(rows); row++) {
            gsize length = strlen(specs[i]->name);
            found |= strncmp(rows[row].properties, specs[i]->name, length) == 0 && rows[row].properties[length] == '=';
        }
        if (!CHECK(found)) fprintf(stderr, "  %s\n", specs[i]->name);
        settable++;
    }
    CHECK_EQ(settable, G_N_ELEMENTS(rows));
    g_free(specs);
    gst_object_unref(element);
}

static void test_governor(void) {
    for (int on = 0; on < 2; on++) {
        Element element = element_new(on ? "naluh264enc real-time=true x264-preset=medium"
                                         : "naluh264enc real-time=true x264-preset=medium real-time-governor=false", PICTURE, AVC);
        gint64 steps = -1;
        g_object_get(element.harness->element, "governor-step-count", &steps, NULL);
        CHECK_EQ(steps, on ? 5 : 0);
        element_free(&element);
    }
}

/* Types, ranges and defaults are those of the catalogue. */
static void test_specifications(void) {
    GstElement *element = gst_object_ref_sink(gst_element_factory_make("naluh264enc", NULL));
    GObjectClass *class = G_OBJECT_GET_CLASS(element);
    GParamSpec *rate = g_object_class_find_property(class, "average-bit-rate"), *qp = g_object_class_find_property(class, "max-allowed-frame-qp"),
               *preset = g_object_class_find_property(class, "x264-preset"), *depth = g_object_class_find_property(class, "reorder-depth"),
               *quality = g_object_class_find_property(class, "quality");
    REQUIRE(rate && qp && preset && depth && quality);
    CHECK(G_PARAM_SPEC_INT(rate)->minimum == 0 && G_PARAM_SPEC_INT(rate)->maximum == 2000000000);
    CHECK(strstr(g_param_spec_get_blurb(rate), "bits per second") != NULL);
    CHECK((rate->flags & GST_PARAM_MUTABLE_PLAYING) == GST_PARAM_MUTABLE_PLAYING);
    CHECK(!(preset->flags & GST_PARAM_MUTABLE_PLAYING));
    CHECK(strstr(g_param_spec_get_blurb(preset), "veryfast, faster") != NULL);
    CHECK_EQ(G_PARAM_SPEC_INT(qp)->default_value, -1);
    CHECK_EQ(G_PARAM_SPEC_INT(qp)->maximum, 51);
    CHECK(!(depth->flags & G_PARAM_WRITABLE));
    CHECK(G_PARAM_SPEC_DOUBLE(quality)->maximum == 1);
    gst_object_unref(element);
}

/* Values that are set before the session exists are kept, and read back. */
static void test_values_before_the_session(void) {
    Element element = element_new("naluh264enc", NULL, AVC);
    GstElement *encoder = element.harness->element;
    GValue limits = G_VALUE_INIT;
    int rate = 0;
    double quality = 0;
    char *preset = NULL;
    g_object_set(encoder, "average-bit-rate", 300000, "x264-preset", "veryfast", NULL);
    gst_util_set_object_arg(G_OBJECT(encoder), "data-rate-limits", "<50000, 1.5>");
    for (int open = 0; open < 2; open++) {
        g_object_get(encoder, "average-bit-rate", &rate, "x264-preset", &preset, "quality", &quality, NULL);
        CHECK_EQ(rate, 300000);
        CHECK_STR_EQ(preset, "veryfast");
        CHECK_NEAR(quality, -1, 0);
        g_free(preset);
        g_value_init(&limits, GST_TYPE_ARRAY);
        g_object_get_property(G_OBJECT(encoder), "data-rate-limits", &limits);
        CHECK_EQ(gst_value_array_get_size(&limits), 2);
        if (open) CHECK_NEAR(g_value_get_double(gst_value_array_get_value(&limits, 1)), 1.5, 0);
        g_value_unset(&limits);
        gst_harness_set_src_caps_str(element.harness, PICTURE);
    }
    element_free_quiet(&element);
}

static gsize bytes_of(Element *element, guint count) {
    gsize bytes = 0;
    element_push_many(element, count);
    for (guint i = 0; i < count; i++) {
        GstBuffer *buffer = element_pull(element);
        bytes += gst_buffer_get_size(buffer);
        gst_buffer_unref(buffer);
    }
    return bytes;
}

static void test_changes_while_encoding(void) {
    Element element = element_new("naluh264enc real-time=true average-bit-rate=400000 real-time-governor=false", PICTURE, AVC);
    GstElement *encoder = element.harness->element;
    gsize before, after;
    GstBuffer *buffer;
    int rate = 0;
    bytes_of(&element, 60);
    before = bytes_of(&element, 30);
    g_object_set(encoder, "average-bit-rate", 100000, NULL);
    bytes_of(&element, 30);
    after = bytes_of(&element, 30);
    printf("  a second has %zu bytes, then %zu\n", before, after);
    CHECK_NEAR((double)before, 50000, 10000);
    CHECK_NEAR((double)after, 12500, 2500);
    g_object_get(encoder, "average-bit-rate", &rate, NULL);
    CHECK_EQ(rate, 100000);
    /* The next frame has the effect. */
    g_object_set(encoder, "max-key-frame-interval", 1, NULL);
    element_push_many(&element, 1);
    buffer = element_pull(&element);
    CHECK(element_is_key(buffer));
    gst_buffer_unref(buffer);
    element_free_quiet(&element);
}

/* Nalu's error message becomes a warning, and the old value stays. */
static void test_refused_while_encoding(void) {
    Element element = element_new("naluh264enc real-time=true average-bit-rate=400000", PICTURE, AVC);
    GstElement *encoder = element.harness->element;
    char *preset = NULL;
    int rate = 0;
    element_push_many(&element, 1);
    g_object_set(encoder, "average-bit-rate", 500, NULL);
    CHECK_WARNING(&element, "AverageBitRate is 500; expected 0, or 1000 to 2000000000");
    g_object_set(encoder, "x264-preset", "slow", NULL);
    CHECK_WARNING(&element, "x264.preset");
    g_object_set(encoder, "encoder", "org.openh264.openh264", NULL);
    CHECK_WARNING(&element, "encoder is \"org.openh264.openh264\", and the session is open");
    g_object_set(encoder, "properties", "NoSuchProperty=1", NULL);
    CHECK_WARNING(&element, "NoSuchProperty");
    g_object_set(encoder, "preset", "NoSuchPreset", NULL);
    CHECK_WARNING(&element, "NoSuchPreset");
    g_object_get(encoder, "average-bit-rate", &rate, "x264-preset", &preset, NULL);
    CHECK_EQ(rate, 400000);
    CHECK_STR_EQ(preset, "veryfast");
    g_free(preset);
    element_push_many(&element, 1);
    element_pull_many(&element, 2);
    element_free_quiet(&element);
}

/* Before the first frame, Nalu's error message becomes an error. */
static void test_refused_on_opening(void) {
    static const struct { const char *launch, *message; } cases[] = {
        {"naluh264enc average-bit-rate=500", "AverageBitRate is 500; expected 0, or 1000 to 2000000000"},
        {"naluh264enc x264-preset=fastest", "fastest"},
        {"naluh264enc x264-params=\"no-such-option=1\"", "no-such-option"},
        {"naluh264enc preset=NoSuchPreset", "NoSuchPreset"},
        {"naluh264enc encoder=none", "org.openh264.openh264"},
        {"naluh264enc encoder=org.videolan.x265", "does not encode codec 'avc1'"},
        {"naluh264enc encoder=org.openh264.openh264 x264-preset=slow", "x264.preset"},
        {"naluh264enc encoder=org.openh264.openh264 enable-ltr=true", "EnableLTR"},
        {"naluh264enc properties=\"AverageBitRate=\"", "AverageBitRate"},
        {"naluh264enc data-rate-limits=\"<1000>\"", "DataRateLimits"},
        {"naluh264enc data-rate-limits=\"<(string)often, 1>\"", "DataRateLimits"},
        {"naluh264enc real-time=true allow-frame-reordering=true", "AllowFrameReordering"},
        {"naluh264enc quality=0.5 constant-quality-factor=0.5", "ConstantQualityFactor"},
        {"naluh264enc profile-level=H264_Baseline_1_3", "level"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        Element element = element_new(cases[i].launch, NULL, AVC);
        gst_harness_set_src_caps_str(element.harness, "video/x-raw,format=NV12,width=640,height=480,framerate=30/1");
        CHECK_ERROR(&element, cases[i].message);
        element_free(&element);
    }
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    RUN(test_each_property);
    RUN(test_no_property_is_left_out);
    RUN(test_governor);
    RUN(test_specifications);
    RUN(test_values_before_the_session);
    RUN(test_changes_while_encoding);
    RUN(test_refused_while_encoding);
    RUN(test_refused_on_opening);
    return check_result();
}
