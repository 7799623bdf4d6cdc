/* Sessions with the encoder OpenH264: what nalu/session.h promises, and what is refused. */
#include "clip.h"
#include "ffmpeg.h"
#include "judged_streams.h"
#include "missing_library.h"
#include "refusal.h"

#define OPENH264 "org.openh264.openh264"

static void set(const clip *c, const char *properties) {
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, properties));
}

static void open_openh264(clip *c, int32_t width, int32_t height, const char *properties) {
    clip_open_with(c, width, height, OPENH264);
    set(c, properties);
}

/* Has FFmpeg check that the samples from `first` on decode without a message, to as many pictures. With `base`, samples that
 * nothing depends on are left out. */
static void check_decodes_in(const char *test, const clip *c, int32_t first, int base) {
    nalu_sample *samples[CLIP_MOST];
    char name[120];
    int32_t count = 0;
    for (int32_t i = first; i < c->count; i++)
        if (!base || nalu_sample_get_attachments(c->samples[i]) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS)
            samples[count++] = c->samples[i];
    snprintf(name, sizeof name, "%s, %dx%d, %d samples", test, c->width, c->height, count);
    judge(samples, count, name);
}
#define check_decodes(c, first, base) check_decodes_in(__func__, (c), (first), (base))

/* Whether libnalu was built with x264, which is then the first encoder. */
static int has_x264(void) { return strcmp(nalu_encoder_get_id(0), OPENH264) != 0; }

/* Whether the process has the library open. */
static int has_library(void) {
    char line[1024];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    REQUIRE(maps);
    while (fgets(line, sizeof line, maps)) found |= strstr(line, "libopenh264") != NULL;
    fclose(maps);
    return found;
}

static void the_list_does_not_open_the_library(void) {
    int found = -1;
    for (uint32_t i = 0; i < nalu_encoder_get_count(); i++)
        if (strcmp(nalu_encoder_get_id(i), OPENH264) == 0) found = (int)i;
    REQUIRE(found >= 0);
    CHECK_STR_EQ(nalu_encoder_get_name((uint32_t)found), "OpenH264");
    CHECK_EQ(nalu_encoder_get_codec((uint32_t)found), NALU_CODEC_H264);
    clip c;
    open_openh264(&c, 64, 48, "AverageBitRate=100000");
    CHECK(!has_library());
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    CHECK(has_library());
    clip_close(&c);
}

static void each_frame_becomes_a_sample_before_encode_returns(void) {
    clip c;
    open_openh264(&c, 176, 144, "MaxFrameDelayCount=0,Quality=0.75,ExpectedFrameRate=30");
    for (int32_t i = 0; i < 40; i++) {
        clip_encode(&c, 1);
        CHECK_EQ(c.count, i + 1);
    }
    clip_finish(&c);
    for (int32_t i = 0; i < c.count; i++) {
        const nalu_time time = nalu_time_make(i, 30);
        CHECK_EQ(nalu_time_compare(nalu_sample_get_presentation_time(c.samples[i]), time), 0);
        CHECK_EQ(nalu_time_compare(nalu_sample_get_decode_time(c.samples[i]), time), 0);
        CHECK_EQ(nalu_time_compare(nalu_sample_get_duration(c.samples[i]), nalu_time_make(1, 30)), 0);
        CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i == 0);
    }
    const nalu_sequence_info info = clip_info(&c);
    CHECK_EQ(info.reorder_depth, 0);
    CHECK_EQ(info.time_scale, 60 * (int64_t)info.num_units_in_tick);
    check_decodes(&c, 0, 0);
    clip_close(&c);
}

static void key_frames_in_a_row_are_separate_pictures(void) {
    clip c;
    open_openh264(&c, 96, 64, "AverageBitRate=200000,AllowTemporalCompression=false");
    for (int i = 0; i < 30; i++) {
        /* Another bound opens another encoder, which begins with the same idr_pic_id. */
        if (i % 3 == 2) REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MIN_ALLOWED_FRAME_QP, 10 + i % 4));
        clip_encode(&c, 1);
    }
    clip_finish(&c);
    for (int32_t i = 0; i < c.count; i++) CHECK(nalu_sample_is_key_frame(c.samples[i]));
    check_decodes(&c, 0, 0);
    clip_close(&c);
}

static void key_frames_follow_the_interval_the_duration_and_requests(void) {
    clip c;
    open_openh264(&c, 96, 64, "MaxKeyFrameInterval=10,AverageBitRate=300000");
    clip_encode(&c, 5);
    REQUIRE_OK(clip_encode_at(&c, nalu_time_make(c.fed, 30), nalu_time_make(1, 30), NALU_FRAME_FORCE_KEY_FRAME));
    clip_encode(&c, 24);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 0));
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL_DURATION, 0.5));
    clip_encode_all(&c, 30);
    for (int32_t i = 0; i < c.count; i++)
        CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i == 0 || i == 5 || i == 15 || i == 25 || i == 40 || i == 55);
    check_decodes(&c, 5, 0);
    clip_close(&c);
}

static void profiles_levels_and_entropy_coders_are_those_that_are_set(void) {
    static const struct {
        const char *properties;
        int32_t profile, flags, level, cabac;
    } cases[] = {
        {"", 100, 0x00, 11, 1},
        {"H264EntropyMode=CAVLC", 100, 0x00, 11, 0},
        {"ProfileLevel=H264_Baseline_AutoLevel", 66, 0x00, 11, 0},
        {"ProfileLevel=H264_ConstrainedBaseline_AutoLevel", 66, 0x40, 11, 0},
        {"ProfileLevel=H264_Main_4_0", 77, 0x00, 40, 1},
        {"ProfileLevel=H264_Main_AutoLevel,H264EntropyMode=CAVLC", 77, 0x00, 11, 0},
        {"ProfileLevel=H264_High_5_2", 100, 0x00, 52, 1},
        {"ProfileLevel=H264_ConstrainedHigh_AutoLevel", 100, 0x0c, 11, 1},
        {"ExpectedFrameRate=60", 100, 0x00, 12, 1},
        {"AverageBitRate=5000000", 100, 0x00, 21, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clip c;
        open_openh264(&c, 176, 144, cases[i].properties);
        clip_encode_all(&c, 12);
        const nalu_sequence_info info = clip_info(&c);
        if (!(CHECK_EQ(info.profile_idc, cases[i].profile) & CHECK_EQ(info.level_idc, cases[i].level) &
              CHECK_EQ(info.constraint_flags & cases[i].flags, cases[i].flags) &
              CHECK_EQ(clip_uses_cabac(&c), cases[i].cabac)))
            fprintf(stderr, "with %s\n", cases[i].properties);
        check_decodes(&c, 0, 0);
        clip_close(&c);
    }
}

static void the_signal_and_the_shape_are_written(void) {
    clip c;
    open_openh264(&c, 100, 70, "ColorPrimaries=ITU_R_2020,TransferFunction=ITU_R_2100_HLG,YCbCrMatrix=ITU_R_2020,"
        "NaluChromaLocation=TopLeft,PixelAspectRatio=[4,3],CleanAperture=[80,60,2,-1],ExpectedFrameRate=29.97");
    c.format = NALU_PIXEL_FORMAT_420F;
    clip_encode_all(&c, 3);
    const nalu_sequence_info info = clip_info(&c);
    CHECK_EQ(info.color_primaries, 9);
    CHECK_EQ(info.transfer_characteristics, 18);
    CHECK_EQ(info.matrix_coefficients, 9);
    CHECK_EQ(info.video_full_range, 1);
    CHECK_EQ(info.pixel_aspect_ratio_horizontal, 4);
    CHECK_EQ(info.pixel_aspect_ratio_vertical, 3);
    CHECK_EQ(info.crop_left, 12);
    CHECK_EQ(info.crop_top, 4);
    CHECK_EQ(info.width, 80);
    CHECK_EQ(info.height, 60);
    CHECK_NEAR((double)info.time_scale / info.num_units_in_tick / 2, 30000.0 / 1001, 1e-6);
    char location[32];
    size_t size = 0;
    CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_CHROMA_LOCATION, location, sizeof location, &size));
    CHECK_STR_EQ(location, "TopLeft");
    clip_close(&c);
}

static void the_base_layer_is_a_stream_of_its_own(void) {
    clip c;
    open_openh264(&c, 176, 144, "BaseLayerFrameRateFraction=0.5,Quality=0.5,MaxKeyFrameInterval=21");
    clip_encode_all(&c, 60);
    int32_t since = 0;
    for (int32_t i = 0; i < c.count; i++) {
        since = nalu_sample_is_key_frame(c.samples[i]) ? 0 : since + 1;
        const uint8_t *bytes = nalu_sample_get_data(c.samples[i], NULL);
        const int is_base = since % 2 == 0;
        CHECK_EQ((bytes[4] & 0x60) != 0, is_base);
        CHECK_EQ((nalu_sample_get_attachments(c.samples[i]) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) != 0, is_base);
    }
    check_decodes(&c, 0, 0);
    check_decodes(&c, 0, 1);
    clip_close(&c);
}

static void check_qps(const clip *c, int32_t from, int least, int most) {
    enum { ROOM = 512 };
    int lowest[ROOM], highest[ROOM];
    stream_file file;
    stream_open(&file);
    for (int32_t i = 0; i < c->count; i++) stream_add(&file, c->samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    const int32_t count = stream_qp_ranges(&file, lowest, highest, ROOM);
    if (CHECK_EQ(count, c->count))
        for (int32_t i = from; i < count; i++) CHECK(lowest[i] >= least && highest[i] <= most);
    stream_close(&file);
}

static void a_quality_is_a_constant_qp(void) {
    static const struct { double quality; int qp; } cases[] = {{0, 51}, {0.25, 34}, {0.5, 26}, {0.75, 19}, {0.9, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clip c;
        open_openh264(&c, 176, 144, "");
        c.noise = 4;
        REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, cases[i].quality));
        clip_encode_all(&c, 8);
        check_qps(&c, 0, cases[i].qp, cases[i].qp);
        for (int32_t k = 0; k < c.count; k++) CHECK_NEAR(nalu_sample_get_average_qp(c.samples[k]), cases[i].qp, 0);
        clip_close(&c);
    }
}

static void a_quality_changes_without_a_key_frame(void) {
    clip c;
    open_openh264(&c, 176, 144, "Quality=0.75");
    c.noise = 4;
    clip_encode(&c, 10);
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, 0.25));
    clip_encode_all(&c, 10);
    for (int32_t i = 0; i < c.count; i++) {
        CHECK_NEAR(nalu_sample_get_average_qp(c.samples[i]), i < 10 ? 19 : 34, 0);
        CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i == 0);
    }
    check_qps(&c, 10, 34, 34);
    clip_close(&c);
}

static void the_bounds_of_the_qp_hold(void) {
    clip c;
    open_openh264(&c, 176, 144, "AverageBitRate=30000,MaxAllowedFrameQP=33");
    clip_encode(&c, 40);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "MaxAllowedFrameQP=45,MinAllowedFrameQP=40"));
    clip_encode_all(&c, 20);
    check_qps(&c, 40, 40, 45);
    CHECK(nalu_sample_is_key_frame(c.samples[40]));
    c.count = 40;
    check_qps(&c, 0, 0, 33);
    c.count = 60;
    clip_close(&c);
    /* Without bounds, the QP reaches 51. */
    open_openh264(&c, 176, 144, "AverageBitRate=2000");
    clip_encode_all(&c, 60);
    check_qps(&c, 55, 51, 51);
    clip_close(&c);
}

static void draw_noise(clip *c, int is_binary) {
    static uint32_t random = 1;
    const size_t size = (size_t)c->width * (size_t)c->height * 3 / 2;
    for (size_t i = 0; i < size; i++) {
        random = random * 1664525u + 1013904223u;
        c->pixels[i] = (uint8_t)(is_binary ? (random >> 31) * 255 : random >> 24);
    }
}

static void encode_noise(clip *c, int frames, int is_binary) {
    for (int i = 0; i < frames; i++) {
        draw_noise(c, is_binary);
        const void *planes[2] = {c->pixels, c->pixels + c->width * c->height};
        const int64_t strides[2] = {c->width, c->width};
        REQUIRE_OK(nalu_compression_session_encode_planes(c->session, c->width, c->height, c->format, 2, planes, strides,
            NULL, nalu_time_make(c->fed, 30), nalu_time_invalid(), NULL, NULL, NULL));
        c->fed++;
    }
}

/* At a low QP, OpenH264 fails with noise in CAVLC, and writes beyond its memory in CABAC. */
static void noise_at_the_finest_quality_becomes_samples(void) {
    static const char *const properties[] = {
        "Quality=1,H264EntropyMode=CABAC", "Quality=1,H264EntropyMode=CAVLC",
        "Quality=1,NaluAllowMultipleSlices=false", "Quality=1,NaluAllowMultipleSlices=false,H264EntropyMode=CAVLC",
        "AverageBitRate=100000000,MinAllowedFrameQP=0", "AverageBitRate=100000000,MinAllowedFrameQP=0,H264EntropyMode=CAVLC"};
    static const int32_t sizes[][2] = {{16, 16}, {64, 48}, {352, 288}};
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            clip c;
            open_openh264(&c, sizes[k][0], sizes[k][1], properties[i]);
            c.noise = 0;
            clip_encode(&c, 20); /* rate control goes down to its lowest QP */
            encode_noise(&c, 3, 0);
            encode_noise(&c, 3, 1);
            clip_encode(&c, 3);
            encode_noise(&c, 2, 1);
            clip_finish(&c);
            if (strstr(properties[i], "Slices=false"))
                for (int32_t s = 0; s < c.count; s++) CHECK_EQ(sample_slices(c.samples[s]), 1);
            check_decodes(&c, 0, 0);
            clip_close(&c);
        }
}

static void nothing_is_written_to_stderr(void) {
    const char *path = test_path("stderr");
    fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    REQUIRE(kept >= 0 && freopen(path, "w", stderr) != NULL);
    clip c;
    open_openh264(&c, 176, 144, "AverageBitRate=20000");
    clip_encode(&c, 10);
    encode_noise(&c, 10, 1);
    clip_finish(&c);
    clip_close(&c);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    FILE *file = fopen(path, "r");
    REQUIRE(file);
    CHECK_EQ(fgetc(file), EOF);
    fclose(file);
}

static nalu_status create(int32_t width, int32_t height) {
    nalu_compression_session *session = NULL;
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    specification.encoder_id = OPENH264;
    const nalu_status status =
        nalu_compression_session_create(width, height, NALU_CODEC_H264, &specification, NULL, clip_take, NULL, NULL, &session);
    nalu_compression_session_release(session);
    return status;
}

static void sizes_are_those_of_level_5_2(void) {
    static const int32_t sizes[][2] = {{16, 16}, {17, 19}, {8688, 16}, {16, 8688}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        clip c;
        open_openh264(&c, sizes[i][0], sizes[i][1], "");
        clip_encode_all(&c, 3);
        if (sizes[i][0] % 2 == 0) check_decodes(&c, 0, 0);
        clip_close(&c);
    }
    CHECK_OK(create(4096, 2304));
    REFUSED(create(8192, 8192), NALU_STATUS_INVALID_SIZE, "8192x8192", "36864", "OpenH264");
    REFUSED(create(16384, 16), NALU_STATUS_INVALID_SIZE, "16384x16", "543", "OpenH264");
}

static void what_openh264_lacks_is_refused_with_the_reason(void) {
    static const struct {
        const char *property, *reason;
    } lacking[] = {
        {"ConstantBitRate=500000", "constant bit rate"}, {"VariableBitRate=500000", "VBV buffer"},
        {"VBVMaxBitRate=500000", "VBV buffer"}, {"VBVBufferDuration=1", "VBV buffer"},
        {"VBVInitialDelayPercentage=50", "VBV buffer"}, {"ConstantQualityFactor=0.5", "use Quality"},
        {"SpatialAdaptiveQPLevel=0", "adapt"}, {"SuggestedLookAheadFrameCount=4", "lookahead"},
        {"NaluMaxLookAheadFrameCount=4", "lookahead"}, {"NaluAllowBPyramid=false", "B-frames"},
        {"ReferenceBufferCount=2", "one reference frame"}, {"MaxH264SliceBytes=1200", "limit of a slice"},
        {"CalculateMeanSquaredError=true", "decoded picture"}, {"OutputBitDepth=10", "8 bits only"},
        {"MasteringDisplayColorVolume=[1,2,3,4,5,6,7,8,9,1]", "SEI"}, {"ContentLightLevelInfo=[1,2]", "SEI"},
        {"HDRMetadataInsertionMode=None", "SEI"}, {"FieldCount=2", "progressive"},
        {"FieldDetail=TemporalTopFirst", "progressive"}, {"EnableLTR=true", "acknowledged"},
        {"NaluAllowIntraRefresh=true", "intra refresh"}, {"BaseLayerBitRateFraction=0.6", "temporal layers"},
        {"x264.preset=slow", "x264"}, {"x264.params=\"ref=2\"", "x264"},
    };
    clip c;
    open_openh264(&c, 64, 48, "");
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(lacking[i].property, "="), lacking[i].property);
        REFUSED(nalu_session_set_properties_from_text(c.session, lacking[i].property), NALU_STATUS_PROPERTY_NOT_SUPPORTED,
            name, strncmp(name, "x264", 4) == 0 && !has_x264() ? name : OPENH264, lacking[i].reason);
    }
    static const struct {
        const char *property, *reason;
    } conflicts[] = {
        {"AllowFrameReordering=true", "the encoder OpenH264"}, {"AllowOpenGOP=true", "the encoder OpenH264"},
        {"BaseLayerFrameRateFraction=0.25", "expected 0.5 or 1"}, {"MaxAllowedFrameQP=20", "25 to 51"},
        {"MaxAllowedFrameQP=30,NaluAllowMultipleSlices=false", "37 to 51"}, {"AverageBitRate=300000000", "288000000"},
        {"H264EntropyMode=CABAC,ProfileLevel=H264_Baseline_AutoLevel", "CAVLC"},
    };
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
        REFUSED(nalu_session_set_properties_from_text(c.session, conflicts[i].property), NALU_STATUS_CONFLICT,
            conflicts[i].reason);
    set(&c, "AllowFrameReordering=false,AllowOpenGOP=false,RealTime=true,MaxFrameDelayCount=0");
    set(&c, "CalculateMeanSquaredError=false,FieldCount=1,EnableLTR=false,NaluAllowIntraRefresh=false");
    int32_t value = 1;
    CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_ENABLE_LTR, &value));
    CHECK_EQ(value, 0);
    clip_encode_all(&c, 3);
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.base_frame_qp_plus_1 = 31;
    REFUSED(clip_encode_with(&c, nalu_time_make(c.fed, 30), nalu_time_invalid(), &options), NALU_STATUS_CONFLICT,
        "SupportsBaseFrameQP");
    clip_close(&c);
}

static void several_passes_are_refused(void) {
    clip c;
    nalu_multi_pass_storage *storage = NULL;
    open_openh264(&c, 64, 48, "AverageBitRate=100000");
    REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
    REFUSED(nalu_compression_session_set_multi_pass_storage(c.session, storage), NALU_STATUS_CONFLICT, OPENH264, "no passes");
    nalu_multi_pass_storage_release(storage);
    clip_close(&c);
}

static void the_governor_has_one_step(void) {
    clip c;
    int64_t steps = 0;
    open_openh264(&c, 64, 48, "RealTime=true,ExpectedFrameRate=30");
    clip_encode_all(&c, 2);
    CHECK_OK(nalu_session_get_int64(c.session, NALU_PROPERTY_GOVERNOR_STEP_COUNT, &steps));
    CHECK_EQ(steps, 1);
    clip_close(&c);
}

/* Two sessions make one stream. Each has one key frame, next to the other's. */
static void chunks_join_to_one_stream(void) {
    clip first, second;
    open_openh264(&first, 96, 64, "Quality=0.5,MoreFramesAfterEnd=true");
    clip_encode_all(&first, 1);
    open_openh264(&second, 96, 64, "Quality=0.5,MoreFramesBeforeStart=true");
    second.fed = 1;
    for (int i = 1; i < 12; i++)
        REQUIRE_OK(clip_encode_at(&second, nalu_time_make(second.fed, 30), nalu_time_make(1, 30), 0));
    REQUIRE_OK(nalu_compression_session_complete_frames(second.session, nalu_time_invalid()));
    CHECK_EQ(nalu_format_description_equal(nalu_sample_get_format_description(first.samples[0]),
        nalu_sample_get_format_description(second.samples[0])), 1);
    REQUIRE(second.count == 11);
    for (int i = 0; i < 11; i++) first.samples[first.count++] = nalu_sample_retain(second.samples[i]);
    check_decodes(&first, 0, 0);
    clip_close(&second);
    clip_close(&first);
}

static void two_equal_sessions_make_equal_bytes(void) {
    clip a, b;
    open_openh264(&a, 176, 144, "AverageBitRate=300000");
    open_openh264(&b, 176, 144, "AverageBitRate=300000");
    clip_encode(&a, 30);
    clip_encode(&b, 30);
    clip_finish(&a);
    clip_finish(&b);
    check_same_samples(&a, &b);
    clip_close(&a);
    clip_close(&b);
}

static void speed_and_complexity_change_the_stream(void) {
    static const char *const properties[] = {"Quality=0.5", "Quality=0.5,PrioritizeEncodingSpeedOverQuality=true"};
    static const char *const presets[] = {"Balanced", "HighSpeed"};
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        clip plain, preset;
        open_openh264(&plain, 352, 288, properties[i]);
        open_openh264(&preset, 352, 288, "Quality=0.5");
        REQUIRE_OK(nalu_session_set_preset(preset.session, presets[i]));
        clip_encode(&plain, 10);
        clip_encode(&preset, 10);
        clip_finish(&plain);
        clip_finish(&preset);
        bytes[i] = (size_t)clip_bytes(&plain);
        CHECK_EQ(clip_bytes(&preset), bytes[i]);
        clip_close(&plain);
        clip_close(&preset);
    }
    CHECK(bytes[0] != bytes[1]);
}

/* Runs in a process in which the loader finds an empty file in place of the library. */
static void without_the_library(void) {
    clip c;
    CHECK(nalu_encoder_get_count() >= 1);
    open_openh264(&c, 64, 48, "");
    for (int i = 0; i < 2; i++)
        REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_COULD_NOT_CREATE_INSTANCE, "libopenh264.so.",
            "cannot be loaded", "install libopenh264-");
    clip_close(&c);
    if (!has_x264()) return;
    clip_open(&c, 64, 48);
    clip_encode_all(&c, 1);
    clip_close(&c);
}

static void a_missing_library_is_named_with_its_package(void) {
    check_without_libraries((const char *const[]){"libopenh264.so.7", "libopenh264.so.8"}, 2, 0, "");
}

int main(void) {
    if (is_without_libraries()) {
        without_the_library();
        return check_result();
    }
    RUN(the_list_does_not_open_the_library);
    RUN(each_frame_becomes_a_sample_before_encode_returns);
    RUN(key_frames_in_a_row_are_separate_pictures);
    RUN(key_frames_follow_the_interval_the_duration_and_requests);
    RUN(profiles_levels_and_entropy_coders_are_those_that_are_set);
    RUN(the_signal_and_the_shape_are_written);
    RUN(the_base_layer_is_a_stream_of_its_own);
    RUN(a_quality_is_a_constant_qp);
    RUN(a_quality_changes_without_a_key_frame);
    RUN(the_bounds_of_the_qp_hold);
    RUN(noise_at_the_finest_quality_becomes_samples);
    RUN(nothing_is_written_to_stderr);
    RUN(sizes_are_those_of_level_5_2);
    RUN(what_openh264_lacks_is_refused_with_the_reason);
    RUN(several_passes_are_refused);
    RUN(the_governor_has_one_step);
    RUN(chunks_join_to_one_stream);
    RUN(two_equal_sessions_make_equal_bytes);
    RUN(speed_and_complexity_change_the_stream);
    RUN(a_missing_library_is_named_with_its_package);
    RUN(judge_streams);
    return check_result();
}
