/*
 * Sessions for H.265: format description, key frames, times, delay, depth, metadata and refusals. hevc_quality_test.c
 * has QPs, quality and rate.
 */
#include "hevc_stream.h"
#include "missing_library.h"
#include "refusal.h"
#include "x265_clip.h"

/* Writes the samples in Annex B form to a file, and returns its path. */
static const char *file_of(const clip *c, const char *name) {
    stream s = {NULL, 0};
    for (int32_t i = 0; i < c->count; i++) add_sample(&s, c->samples[i]);
    const char *path = test_file(name, s.bytes, s.size);
    free(s.bytes);
    return path;
}

static void close_stream(clip *c) {
    x265_finish(c);
    clip_close(c);
}

/* ---- Format and key frames ---------------------------------------------------------------------------------------- */

static void samples_are_hvc1_with_three_parameter_sets(void) {
    clip c;
    x265_open(&c, "");
    x265_encode_all(&c, 20);
    nalu_format_description *format = nalu_sample_get_format_description(c.samples[0]);
    CHECK_EQ(nalu_format_description_get_codec(format), NALU_CODEC_HEVC);
    REQUIRE(CHECK_EQ(nalu_format_description_get_parameter_set_count(format), 3));
    for (uint32_t i = 0; i < 3; i++)
        CHECK_EQ(nalu_format_description_get_parameter_set(format, i, NULL)[0] >> 1 & 63, 32 + i);
    size_t size = 0;
    CHECK(nalu_format_description_get_hvcc(format, &size) != NULL && size > 23);
    const nalu_sequence_info info = clip_info(&c);
    CHECK_EQ(info.width, WIDTH);
    CHECK_EQ(info.height, HEIGHT);
    CHECK_EQ(info.profile_idc, 1);
    CHECK_EQ(info.luma_bit_depth, 8);
    CHECK_EQ(info.reorder_depth > 0, 1);
    CHECK(nalu_sample_is_key_frame(c.samples[0]));
    clip_close(&c);
}

static void intervals_of_key_frames_hold(void) {
    clip c;
    x265_open(&c, "MaxKeyFrameInterval=8");
    x265_encode_all(&c, 33);
    int64_t last = 0;
    for (int32_t i = 0; i < c.count; i++) {
        if (!nalu_sample_is_key_frame(c.samples[i])) continue;
        const int64_t frame = nalu_sample_get_presentation_time(c.samples[i]).value;
        CHECK(frame - last <= 8);
        last = frame;
    }
    CHECK_EQ(last, 32);
    clip_close(&c);
}

static void pictures_have_one_slice(void) {
    clip c;
    x265_open(&c, "NaluAllowMultipleSlices=false,RealTime=true");
    x265_encode_all(&c, 5);
    for (int32_t i = 0; i < c.count; i++) {
        int slices = 0;
        for (uint32_t k = 0; k < nalu_sample_get_nal_count(c.samples[i]); k++)
            slices += (nalu_sample_get_nal(c.samples[i], k, NULL)[0] >> 1 & 63) < 32;
        CHECK_EQ(slices, 1);
    }
    clip_close(&c);
}

/* ---- Delay -------------------------------------------------------------------------------------------------------- */

static void no_frame_is_delayed_longer_than_allowed(void) {
    static const char *const presets[] = {"ultrafast", "superfast", "medium"};
    for (int most = 0; most <= 30; most += most < 12 ? 1 : 6) {
        clip c;
        char text[80];
        snprintf(text, sizeof text, "MaxFrameDelayCount=%d,x265.preset=%s", most, presets[most % 3]);
        x265_open(&c, text);
        for (int frame = 0; frame < 45; frame++) {
            REQUIRE_OK(clip_encode_at(&c, nalu_time_make(frame, 30), nalu_time_make(1, 30),
                                      frame == 21 ? NALU_FRAME_FORCE_KEY_FRAME : 0));
            int64_t pending = 0;
            CHECK_OK(nalu_session_get_int64(c.session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &pending));
            if (!CHECK(pending <= most)) fprintf(stderr, "MaxFrameDelayCount %d: %d pending\n", most, (int)pending);
        }
        close_stream(&c);
    }
}

static void real_time_has_no_delay_and_no_reordering(void) {
    clip c;
    x265_open(&c, "RealTime=true");
    for (int frame = 0; frame < 20; frame++) {
        REQUIRE_OK(clip_encode_at(&c, nalu_time_make(frame, 30), nalu_time_make(1, 30), 0));
        REQUIRE_OK(nalu_compression_session_prepare(c.session));
    }
    x265_finish(&c);
    CHECK_EQ(clip_info(&c).reorder_depth, 0);
    for (int32_t i = 0; i < c.count; i++)
        CHECK_EQ(nalu_sample_get_presentation_time(c.samples[i]).value, i);
    clip_close(&c);
}

static void frames_can_be_kept_in_order(void) {
    clip c;
    x265_open(&c, "AllowFrameReordering=false");
    x265_encode_all(&c, 40);
    CHECK_EQ(clip_info(&c).reorder_depth, 0);
    clip_close(&c);
}

/* Checks that the encoder, without threads of its own, delays 3 frames more than it looks ahead (docs/encoders.md). */
static void check_lookahead(int64_t frames, const char *properties) {
    clip c;
    int64_t pending = 0;
    x265_open(&c, properties);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "MaximizePowerEfficiency=true,AllowFrameReordering=false"));
    clip_encode(&c, 40);
    for (int attempt = 0; attempt < 30000; attempt++) {
        CHECK_OK(nalu_session_get_int64(c.session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &pending));
        if (pending <= frames + 3) break;
        check_pause();
    }
    for (int i = 0; i < 100; i++) check_pause();
    CHECK_OK(nalu_session_get_int64(c.session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &pending));
    CHECK_EQ(pending, frames + 3);
    close_stream(&c);
}

static void the_lookahead_has_the_asked_length(void) {
    check_lookahead(6, "SuggestedLookAheadFrameCount=6");
    check_lookahead(16, "SuggestedLookAheadFrameCount=16");
    check_lookahead(5, "x265.preset=medium,NaluMaxLookAheadFrameCount=5");
}

static void b_frames_are_no_references_without_a_pyramid(void) {
    int32_t disposable[2] = {0, 0}, b_frames[2] = {0, 0};
    for (int allows = 0; allows < 2; allows++) {
        clip c;
        x265_open(&c, allows ? "NaluAllowBPyramid=true,x265.preset=superfast" : "NaluAllowBPyramid=false,x265.preset=superfast");
        c.noise = 0;
        x265_encode_all(&c, 40);
        for (int32_t i = 0; i < c.count; i++) {
            const nalu_time time = nalu_sample_get_presentation_time(c.samples[i]);
            disposable[allows] += !(nalu_sample_get_attachments(c.samples[i]) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS);
            /* A B-frame is presented before a frame that precedes it in decode order. */
            for (int32_t k = 0; k < i; k++) {
                if (nalu_time_compare(time, nalu_sample_get_presentation_time(c.samples[k])) >= 0) continue;
                b_frames[allows]++;
                break;
            }
        }
        clip_close(&c);
    }
    CHECK(b_frames[0] > 0 && b_frames[1] > 0);
    CHECK_EQ(disposable[0], b_frames[0]);
    CHECK(disposable[1] < b_frames[1]);
}

/* ---- Depth, colour and metadata ----------------------------------------------------------------------------------- */

static void ten_bits_are_main_10(void) {
    static const char *const ways[] = {"OutputBitDepth=10", "ProfileLevel=HEVC_Main10_AutoLevel"};
    for (int way = 0; way < 2; way++) {
        clip c;
        x265_open(&c, ways[way]);
        x265_encode_all(&c, 10);
        CHECK_EQ(clip_info(&c).luma_bit_depth, 10);
        CHECK_EQ(clip_info(&c).profile_idc, 2);
        clip_close(&c);
    }
}

static void frames_of_ten_bits_keep_their_depth(void) {
    clip c;
    enum { LUMA = WIDTH * HEIGHT };
    static uint16_t words[LUMA * 3 / 2];
    x265_open(&c, "Quality=1,RealTime=true");
    for (int i = 0; i < LUMA * 3 / 2; i++) words[i] = (uint16_t)((i < LUMA ? 300 + i % WIDTH * 2 : 512) << 6);
    const void *planes[2] = {words, words + LUMA};
    const int64_t strides[2] = {2 * WIDTH, 2 * WIDTH};
    for (int frame = 0; frame < 3; frame++, c.fed++)
        REQUIRE_OK(nalu_compression_session_encode_planes(c.session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_X420, 2, planes,
            strides, NULL, nalu_time_make(frame, 30), nalu_time_make(1, 30), NULL, NULL, NULL));
    x265_finish(&c);
    CHECK_EQ(clip_info(&c).luma_bit_depth, 10);
    stream pixels = run("ffmpeg -nostdin -v error -f hevc -i '%s' -frames:v 1 -f rawvideo -pix_fmt yuv420p10le -",
        file_of(&c, "ten.h265"));
    REQUIRE(CHECK_EQ(pixels.size, LUMA * 3));
    for (int x = 0; x < WIDTH; x++) {
        const int found = pixels.bytes[2 * x] | pixels.bytes[2 * x + 1] << 8;
        CHECK(abs(found - (300 + 2 * x)) <= 6);
    }
    free(pixels.bytes);
    clip_close(&c);
}

static void colours_and_shape_are_in_the_stream(void) {
    clip c;
    x265_open(&c, "ColorPrimaries=ITU_R_2020,TransferFunction=SMPTE_ST_2084_PQ,YCbCrMatrix=ITU_R_2020,"
                  "NaluChromaLocation=TopLeft,PixelAspectRatio=[4,3],ExpectedFrameRate=50");
    x265_encode_all(&c, 3);
    const nalu_sequence_info info = clip_info(&c);
    CHECK_EQ(info.color_primaries, 9);
    CHECK_EQ(info.transfer_characteristics, 16);
    CHECK_EQ(info.matrix_coefficients, 9);
    CHECK_EQ(info.chroma_location, 2);
    CHECK_EQ(info.pixel_aspect_ratio_horizontal, 4);
    CHECK_EQ(info.pixel_aspect_ratio_vertical, 3);
    CHECK_EQ(info.time_scale, (int64_t)100 * info.num_units_in_tick);
    clip_close(&c);
}

/* The level of the stream in ffprobe is that of nalu_sequence_info, and allows the rate in the Main tier. */
static void the_level_allows_the_rate(void) {
    static const struct {
        const char *properties;
        int32_t level;
    } cases[] = {{"Quality=0.3", 30}, {"AverageBitRate=128000", 30}, {"AverageBitRate=128001", 60},
        {"AverageBitRate=10000000", 93}, {"AverageBitRate=300000000", 186}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clip c;
        x265_open(&c, cases[i].properties);
        x265_encode_all(&c, 2);
        CHECK_EQ(clip_info(&c).level_idc, cases[i].level);
        if (cases[i].level == 93) {
            stream text = run("ffprobe -v error -f hevc -show_entries stream=level '%s'", file_of(&c, "level.h265"));
            CHECK(strstr((const char *)text.bytes, "level=93") != NULL);
            free(text.bytes);
        }
        clip_close(&c);
    }
}

static void hdr_metadata_is_in_key_frames(void) {
    for (int kinds = 0; kinds < 3; kinds++) {
        const bool inserts = kinds > 0, has_light = kinds == 2;
        clip c;
        x265_open(&c, "OutputBitDepth=10,MaxKeyFrameInterval=6,"
            "MasteringDisplayColorVolume=[8500,39850,6550,2300,35400,14600,15635,16450,10000000,50]");
        if (kinds != 1)
            REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "ContentLightLevelInfo=[1000,400]"));
        if (!inserts) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_HDR_METADATA_INSERTION_MODE, "None"));
        x265_encode_all(&c, 14);
        stream text = run("ffprobe -v error -f hevc -show_frames -read_intervals '%%+#1' '%s'", file_of(&c, "hdr.h265"));
        const char *found = (const char *)text.bytes;
        CHECK_EQ(strstr(found, "max_luminance=10000000/10000") != NULL, inserts);
        CHECK_EQ(strstr(found, "red_x=35400/50000") != NULL, inserts);
        CHECK_EQ(strstr(found, "max_content=1000") != NULL, has_light);
        CHECK_EQ(strstr(found, "max_average=") != NULL, has_light);
        free(text.bytes);
        clip_close(&c);
    }
}

/* ---- Refusals ----------------------------------------------------------------------------------------------------- */

static void sizes_that_x265_does_not_encode_are_refused(void) {
    static const int32_t sizes[][2] = {{31, 64}, {64, 16}, {16384, 16384}};
    for (int i = 0; i < 3; i++) {
        nalu_compression_session *session = NULL;
        CHECK_STATUS(nalu_compression_session_create(sizes[i][0], sizes[i][1], NALU_CODEC_HEVC, NULL, NULL, clip_take, NULL,
            NULL, &session), NALU_STATUS_INVALID_SIZE);
        CHECK(session == NULL);
        CHECK(strstr(nalu_last_error_message(), "expected") != NULL);
    }
    static const int32_t good[][2] = {{32, 32}, {33, 35}, {50, 34}, {1000, 32}};
    /* Coding tree units have 32x32 pixels with the preset ultrafast, and 64x64 with medium. */
    for (int i = 0; i < 8; i++) {
        clip c;
        const int32_t *const size = good[i / 2];
        x265_open_size(&c, size[0], size[1], i % 2 ? "x265.preset=medium" : "");
        x265_encode_all(&c, 4);
        CHECK_EQ(clip_info(&c).width, (size[0] + 1) / 2 * 2);
        CHECK_EQ(clip_info(&c).height, (size[1] + 1) / 2 * 2);
        clip_close(&c);
    }
}

static void properties_without_effect_are_refused_with_the_reason(void) {
    static const char *const cases[][3] = {
        {NALU_PROPERTY_ENABLE_LTR, "true", "force a key frame"},
        {NALU_PROPERTY_ALLOW_INTRA_REFRESH, "true", "force a key frame"},
        {NALU_PROPERTY_BASE_LAYER_FRAME_RATE_FRACTION, "0.5", "one temporal layer"},
        {NALU_PROPERTY_BASE_LAYER_BIT_RATE_FRACTION, "0.5", "one temporal layer"},
        {NALU_PROPERTY_FIELD_COUNT, "2", "progressive"},
        {NALU_PROPERTY_FIELD_DETAIL, "TemporalTopFirst", "progressive"},
        {NALU_PROPERTY_ALLOW_OPEN_GOP, "true", "closed"},
        {NALU_PROPERTY_CONSTANT_BIT_RATE, "1000000", "filler"},
        {NALU_PROPERTY_VARIABLE_BIT_RATE, "1000000", "AverageBitRate"},
        {NALU_PROPERTY_VBV_MAX_BIT_RATE, "1000000", "AverageBitRate"},
        {NALU_PROPERTY_VBV_BUFFER_DURATION, "1", "AverageBitRate"},
        {NALU_PROPERTY_VBV_INITIAL_DELAY_PERCENTAGE, "50", "AverageBitRate"},
        {NALU_PROPERTY_SOURCE_FRAME_COUNT, "100", "entire video"},
        {NALU_PROPERTY_EXPECTED_DURATION, "4", "entire video"},
        {NALU_PROPERTY_MORE_FRAMES_BEFORE_START, "true", "one session"},
        {NALU_PROPERTY_MORE_FRAMES_AFTER_END, "true", "one session"},
        {NALU_PROPERTY_LIMITS_OVER_SEAMS, "false", "one session"},
        {NALU_PROPERTY_REFERENCE_BUFFER_COUNT, "2", "preset"},
        {NALU_PROPERTY_CLEAN_APERTURE, "[64,64,0,0]", "crop"},
        {NALU_PROPERTY_REAL_TIME_GOVERNOR, "false", "x265.preset"},
        {NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR, "true", "prints"},
        {NALU_PROPERTY_H264_ENTROPY_MODE, "CABAC", "H.264"},
        {NALU_PROPERTY_MAX_H264_SLICE_BYTES, "1000", "H.264"},
        {NALU_PROPERTY_X264_PRESET, "fast", "org.videolan.x265"},
        {NALU_PROPERTY_X264_PARAMS, "\"crf=20\"", "org.videolan.x265"},
    };
    clip c;
    x265_open(&c, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s=%s", cases[i][0], cases[i][1]);
        REFUSED(nalu_session_set_properties_from_text(c.session, text), NALU_STATUS_PROPERTY_NOT_SUPPORTED, cases[i][0],
                cases[i][2]);
        CHECK_EQ(nalu_session_has_property(c.session, cases[i][0]), 0);
    }
    CHECK_EQ(nalu_session_has_property(c.session, NALU_PROPERTY_X265_PRESET), 1);
    CHECK_OK(nalu_session_unset_property(c.session, NALU_PROPERTY_CLEAN_APERTURE));
    CHECK_OK(nalu_session_set_numbers(c.session, NALU_PROPERTY_CLEAN_APERTURE, NULL, 0));
    static const char *const profiles[] = {"HEVC_Main42210_AutoLevel", "HEVC_Monochrome_AutoLevel", "H264_High_AutoLevel"};
    for (int i = 0; i < 3; i++)
        REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, profiles[i]), NALU_STATUS_OUT_OF_RANGE,
                "ProfileLevel", profiles[i], "HEVC_Main");
    nalu_multi_pass_storage *storage = NULL;
    REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
    REFUSED(nalu_compression_session_set_multi_pass_storage(c.session, storage), NALU_STATUS_CONFLICT, "org.videolan.x265",
            "passes");
    nalu_multi_pass_storage_release(storage);
    clip_close(&c);

    clip_open(&c, WIDTH, HEIGHT);
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, "HEVC_Main_AutoLevel"), NALU_STATUS_OUT_OF_RANGE,
            "ProfileLevel", "H264_");
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X265_PRESET, "fast"), NALU_STATUS_PROPERTY_NOT_SUPPORTED,
            "org.videolan.x264");
    clip_close(&c);
}

/* The value that describes what x265 does is accepted, returned and has its effect: groups of pictures are closed. */
static void values_that_mean_off_are_accepted(void) {
    static const char *const keys[] = {NALU_PROPERTY_ALLOW_OPEN_GOP, NALU_PROPERTY_MORE_FRAMES_BEFORE_START,
        NALU_PROPERTY_MORE_FRAMES_AFTER_END, NALU_PROPERTY_ENABLE_LTR, NALU_PROPERTY_ALLOW_INTRA_REFRESH,
        NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR};
    clip c;
    x265_open(&c, "MaxKeyFrameInterval=7,NaluAllowBPyramid=true");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int32_t value = 1;
        CHECK_OK(nalu_session_set_bool(c.session, keys[i], false));
        CHECK_OK(nalu_session_get_bool(c.session, keys[i], &value));
        CHECK_EQ(value, 0);
        REFUSED(nalu_session_set_bool(c.session, keys[i], true), NALU_STATUS_PROPERTY_NOT_SUPPORTED, keys[i],
                "expected false", "org.videolan.x265");
        CHECK_OK(nalu_session_unset_property(c.session, keys[i]));
    }
    int64_t fields = 0;
    CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_FIELD_COUNT, 1));
    CHECK_OK(nalu_session_get_int64(c.session, NALU_PROPERTY_FIELD_COUNT, &fields));
    CHECK_EQ(fields, 1);
    REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_FIELD_COUNT, 2), NALU_STATUS_PROPERTY_NOT_SUPPORTED,
            "FieldCount is 2", "expected 1");
    CHECK_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, false));
    x265_encode_all(&c, 20);
    CHECK_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, false));
    CHECK(clip_info(&c).reorder_depth > 0);
    int64_t key_time = 0;
    int key_frames = 0;
    for (int32_t i = 0; i < c.count; i++) {
        const int64_t time = nalu_sample_get_presentation_time(c.samples[i]).value;
        const bool is_key = nalu_sample_is_key_frame(c.samples[i]);
        if (is_key) key_frames++, key_time = time;
        CHECK(time >= key_time);
        for (uint32_t k = 0; k < nalu_sample_get_nal_count(c.samples[i]); k++) {
            const int type = nalu_sample_get_nal(c.samples[i], k, NULL)[0] >> 1 & 63;
            /* Leading pictures have the types 6 to 9, IDR pictures 19 and 20, CRA pictures 21. */
            if (type < 32) CHECK(is_key ? type == 19 || type == 20 : type < 6);
        }
    }
    CHECK_EQ(key_frames, 3);
    clip_close(&c);
}

static void own_properties_have_types(void) {
    clip c;
    x265_open(&c, "");
    REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_X265_PRESET, 7), NALU_STATUS_WRONG_TYPE, "x265.preset", "a string");
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X265_PRESET, "hasty"), NALU_STATUS_OUT_OF_RANGE, "x265.preset",
            "\"hasty\"", "superfast");
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X265_EFFECTIVE, ""), NALU_STATUS_PROPERTY_READ_ONLY,
            "x265.effective", "read-only");
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, "H264_Main_AutoLevel"), NALU_STATUS_OUT_OF_RANGE,
            "ProfileLevel", "H264_Main_AutoLevel", "HEVC_");
    clip_encode(&c, 1);
    close_stream(&c);
}

static void contradictions_are_refused(void) {
    static const char *const cases[][2] = {
        {"ProfileLevel=HEVC_Main_AutoLevel,OutputBitDepth=10", "HEVC_Main10_AutoLevel"},
        {"AllowFrameReordering=true,MaxFrameDelayCount=7", "at least 8"},
        {"PrioritizeEncodingSpeedOverQuality=true,x265.preset=slow", "x265.preset"},
        {"RealTime=true,AllowFrameReordering=true", "RealTime"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clip c;
        x265_open(&c, "");
        nalu_status status = nalu_session_set_properties_from_text(c.session, cases[i][0]);
        if (status == NALU_STATUS_OK) status = nalu_compression_session_prepare(c.session);
        CHECK_STATUS(status, NALU_STATUS_CONFLICT);
        if (!CHECK(strstr(nalu_last_error_message(), cases[i][1]) != NULL)) fprintf(stderr, "case %zu\n", i);
        clip_close(&c);
    }
}

/* ---- The library -------------------------------------------------------------------------------------------------- */

/* Runs in a process in which the loader finds an empty file in place of the library. */
static void without_the_library(void) {
    nalu_compression_session *session = NULL;
    for (int i = 0; i < 2; i++)
        REFUSED(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_HEVC, NULL, NULL, NULL, NULL, NULL, &session),
                NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER, "libx265.so.", "install libx265-");
    CHECK(session == NULL);
    clip c;
    clip_open(&c, WIDTH, HEIGHT);
    clip_encode_all(&c, 1);
    clip_close(&c);
}

static void a_missing_library_is_named_with_its_package(void) {
    check_without_libraries((const char *const[]){"libx265.so.199"}, 1, 0, "");
}

int main(void) {
    if (is_without_libraries()) {
        without_the_library();
        return check_result();
    }
    RUN(samples_are_hvc1_with_three_parameter_sets);
    RUN(intervals_of_key_frames_hold);
    RUN(pictures_have_one_slice);
    RUN(no_frame_is_delayed_longer_than_allowed);
    RUN(real_time_has_no_delay_and_no_reordering);
    RUN(frames_can_be_kept_in_order);
    RUN(the_lookahead_has_the_asked_length);
    RUN(b_frames_are_no_references_without_a_pyramid);
    RUN(ten_bits_are_main_10);
    RUN(frames_of_ten_bits_keep_their_depth);
    RUN(colours_and_shape_are_in_the_stream);
    RUN(the_level_allows_the_rate);
    RUN(hdr_metadata_is_in_key_frames);
    RUN(sizes_that_x265_does_not_encode_are_refused);
    RUN(properties_without_effect_are_refused_with_the_reason);
    RUN(values_that_mean_off_are_accepted);
    RUN(own_properties_have_types);
    RUN(contradictions_are_refused);
    RUN(a_missing_library_is_named_with_its_package);
    RUN(judge_streams);
    return check_result();
}
