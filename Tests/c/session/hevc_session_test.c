/*
 * Sessions for H.265: format description, key frames, times, delay, quality, depth and metadata. FFmpeg decodes every
 * stream without a message, all of them in one process.
 */
#include "clip.h"
#include "hevc_stream.h"
#include "judged_streams.h"
#include "refusal.h"

enum { WIDTH = 160, HEIGHT = 96 };

/* ---- Streams ------------------------------------------------------------------------------------------------------ */

/* The properties of the last clip, which are the stream's name in messages. */
static char last_properties[120];

static void open_clip(clip *c, const char *properties) {
    clip_open_codec(c, WIDTH, HEIGHT, NALU_CODEC_HEVC);
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, "x265.preset=ultrafast"));
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, properties));
    snprintf(last_properties, sizeof last_properties, "\"%s\"", properties);
}

/* Writes the samples in Annex B form to a file, and returns its path. */
static const char *file_of(const clip *c, const char *name) {
    stream s = {NULL, 0};
    for (int32_t i = 0; i < c->count; i++) add_sample(&s, c->samples[i]);
    const char *path = test_file(name, s.bytes, s.size);
    free(s.bytes);
    return path;
}

/* Checks the promises for every stream: FFmpeg decodes each sample and prints nothing else, the samples contain no
 * parameter sets, and decode times increase. Finishes the clip. */
static void check_stream(clip *c) {
    clip_finish(c);
    judge(c->samples, c->count, last_properties);
    for (int32_t i = 0; i < c->count; i++) {
        const nalu_time time = nalu_sample_get_decode_time(c->samples[i]);
        CHECK(nalu_time_compare(time, nalu_sample_get_presentation_time(c->samples[i])) <= 0);
        if (i > 0) CHECK(nalu_time_compare(nalu_sample_get_decode_time(c->samples[i - 1]), time) < 0);
        for (uint32_t k = 0; k < nalu_sample_get_nal_count(c->samples[i]); k++) {
            const int type = nalu_sample_get_nal(c->samples[i], k, NULL)[0] >> 1 & 63;
            CHECK(type < 32 || type > 34);
        }
        const int type = slice_type(c->samples[i]);
        CHECK_EQ(nalu_sample_is_key_frame(c->samples[i]), type == 19 || type == 20);
        CHECK(type != 21); /* no CRA picture */
    }
}

static void close_stream(clip *c) {
    check_stream(c);
    clip_close(c);
}

/* ---- Format and key frames ---------------------------------------------------------------------------------------- */

static void samples_are_hvc1_with_three_parameter_sets(void) {
    clip c;
    open_clip(&c, "");
    clip_encode(&c, 20);
    check_stream(&c);
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
    open_clip(&c, "MaxKeyFrameInterval=8");
    clip_encode(&c, 33);
    check_stream(&c);
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

/* ---- Delay -------------------------------------------------------------------------------------------------------- */

static void no_frame_is_delayed_longer_than_allowed(void) {
    static const char *const presets[] = {"ultrafast", "superfast", "medium"};
    for (int most = 0; most <= 30; most += most < 12 ? 1 : 6) {
        clip c;
        char text[80];
        snprintf(text, sizeof text, "MaxFrameDelayCount=%d,x265.preset=%s", most, presets[most % 3]);
        open_clip(&c, text);
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
    open_clip(&c, "RealTime=true");
    for (int frame = 0; frame < 20; frame++) {
        REQUIRE_OK(clip_encode_at(&c, nalu_time_make(frame, 30), nalu_time_make(1, 30), 0));
        REQUIRE_OK(nalu_compression_session_prepare(c.session));
    }
    check_stream(&c);
    CHECK_EQ(clip_info(&c).reorder_depth, 0);
    for (int32_t i = 0; i < c.count; i++)
        CHECK_EQ(nalu_sample_get_presentation_time(c.samples[i]).value, i);
    clip_close(&c);
}

static void frames_can_be_kept_in_order(void) {
    clip c;
    open_clip(&c, "AllowFrameReordering=false");
    clip_encode(&c, 40);
    check_stream(&c);
    CHECK_EQ(clip_info(&c).reorder_depth, 0);
    clip_close(&c);
}

/* Checks that the encoder, without threads of its own, delays 3 frames more than it looks ahead (docs/encoders.md). */
static void check_lookahead(int64_t frames, const char *properties) {
    clip c;
    int64_t pending = 0;
    open_clip(&c, properties);
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
        open_clip(&c, allows ? "NaluAllowBPyramid=true,x265.preset=superfast" : "NaluAllowBPyramid=false,x265.preset=superfast");
        c.noise = 0;
        clip_encode(&c, 40);
        check_stream(&c);
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

/* ---- Quality and QP ----------------------------------------------------------------------------------------------- */

static void a_higher_quality_takes_more_bytes(void) {
    static const char *const properties[] = {"Quality", "ConstantQualityFactor"};
    for (int i = 0; i < 2; i++) {
        size_t last = 0;
        for (int step = 0; step <= 4; step++) {
            clip c;
            char text[40];
            snprintf(text, sizeof text, "%s=%g", properties[i], step / 4.0);
            open_clip(&c, text);
            clip_encode(&c, 12);
            check_stream(&c);
            CHECK(clip_bytes(&c) > last);
            last = clip_bytes(&c);
            clip_close(&c);
        }
    }
}

static void pictures_have_one_slice(void) {
    clip c;
    open_clip(&c, "NaluAllowMultipleSlices=false,RealTime=true");
    clip_encode(&c, 5);
    check_stream(&c);
    for (int32_t i = 0; i < c.count; i++) {
        int slices = 0;
        for (uint32_t k = 0; k < nalu_sample_get_nal_count(c.samples[i]); k++)
            slices += (nalu_sample_get_nal(c.samples[i], k, NULL)[0] >> 1 & 63) < 32;
        CHECK_EQ(slices, 1);
    }
    clip_close(&c);
}

static void a_frame_can_have_its_own_qp(void) {
    clip c;
    int32_t supports = 0;
    open_clip(&c, "RealTime=true,SpatialAdaptiveQPLevel=0");
    CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP, &supports));
    CHECK(supports);
    static const int32_t qps[] = {20, 35, 28, 44, 10};
    for (int frame = 0; frame < 5; frame++) {
        nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
        options.base_frame_qp_plus_1 = qps[frame] + 1;
        REQUIRE_OK(clip_encode_with(&c, nalu_time_make(frame, 30), nalu_time_make(1, 30), &options));
    }
    check_stream(&c);
    for (int frame = 0; frame < 5; frame++) CHECK_NEAR(nalu_sample_get_average_qp(c.samples[frame]), qps[frame], 0.1);
    clip_close(&c);

    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.base_frame_qp_plus_1 = 30;
    open_clip(&c, "AverageBitRate=100000");
    REFUSED(clip_encode_with(&c, nalu_time_make(0, 30), nalu_time_make(1, 30), &options), NALU_STATUS_CONFLICT,
            "base_frame_qp_plus_1", "AverageBitRate");
    clip_close(&c);
}

static void qps_have_bounds(void) {
    clip c;
    open_clip(&c, "MinAllowedFrameQP=40,Quality=0.9,RealTime=true");
    clip_encode(&c, 6);
    check_stream(&c);
    for (int32_t i = 0; i < c.count; i++) CHECK(nalu_sample_get_average_qp(c.samples[i]) >= 39.99);
    clip_close(&c);
    open_clip(&c, "MaxAllowedFrameQP=20,Quality=0.1,RealTime=true");
    clip_encode(&c, 6);
    check_stream(&c);
    for (int32_t i = 0; i < c.count; i++) CHECK(nalu_sample_get_average_qp(c.samples[i]) <= 20.01);
    clip_close(&c);
}

static void areas_can_be_finer_from_any_frame_on(void) {
    clip c;
    static const float offsets[2] = {-8, -8};
    double qps[2] = {0, 0};
    for (int with = 0; with < 2; with++) {
        open_clip(&c, "RealTime=true,SpatialAdaptiveQPLevel=0,Quality=0.7");
        c.noise = 255; /* a skipped block has no QP of its own */
        for (int frame = 0; frame < 8; frame++) {
            nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
            if (with && frame >= 3) {
                options.qp_offsets = offsets;
                options.qp_offset_columns = 2;
                options.qp_offset_rows = 1;
            }
            REQUIRE_OK(clip_encode_with(&c, nalu_time_make(frame, 30), nalu_time_make(1, 30), &options));
        }
        check_stream(&c);
        for (int32_t i = 4; i < 8; i++) qps[with] += nalu_sample_get_average_qp(c.samples[i]) / 4;
        clip_close(&c);
    }
    CHECK_NEAR(qps[1], qps[0] - 8, 2);
}

/* The same offset everywhere changes nothing, also in the frames before the first picture is known. */
static void offsets_of_areas_leave_the_rate(void) {
    int64_t bytes[3];
    for (int kind = 0; kind < 3; kind++) {
        static const float offsets[] = {12, -20};
        clip c;
        open_clip(&c, "AverageBitRate=200000,ExpectedFrameRate=30");
        for (int frame = 0; frame < 30; frame++) {
            nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
            if (kind > 0) options.qp_offsets = &offsets[kind - 1], options.qp_offset_columns = options.qp_offset_rows = 1;
            REQUIRE_OK(clip_encode_with(&c, nalu_time_make(frame, 30), nalu_time_make(1, 30), &options));
        }
        check_stream(&c);
        bytes[kind] = (int64_t)clip_bytes(&c);
        CHECK_NEAR((double)bytes[kind], (double)bytes[0], 0.02 * (double)bytes[0]);
        clip_close(&c);
    }
}

/* ---- Changes while encoding --------------------------------------------------------------------------------------- */

enum { CHANGE = 20 };

/* Encodes noise, in which every block has a QP, with the properties `after` from frame CHANGE on. Writes the mean QPs
 * before the change and after it, without the first frames. */
static void qps_of_change(const char *others, const char *before, const char *after, double qps[2]) {
    clip c;
    open_clip(&c, others);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, before));
    c.noise = 255;
    clip_encode(&c, CHANGE);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, after));
    clip_encode(&c, CHANGE);
    check_stream(&c);
    qps[0] = qps[1] = 0;
    int32_t counts[2] = {0, 0};
    for (int32_t i = 0; i < c.count; i++) {
        const int64_t frame = nalu_sample_get_presentation_time(c.samples[i]).value;
        if (frame % CHANGE < 3) continue;
        qps[frame >= CHANGE] += nalu_sample_get_average_qp(c.samples[i]);
        counts[frame >= CHANGE]++;
    }
    for (int i = 0; i < 2; i++) qps[i] /= counts[i];
    clip_close(&c);
}

/* After a change of the quality, frames have the QP that a session with that quality gives them. */
static void a_quality_changes_while_encoding(void) {
    static const char *const delays[] = {"RealTime=true", "SuggestedLookAheadFrameCount=8"};
    /* Further properties, the quality before the change, and the one after it. */
    static const char *const changes[][3] = {
        {"", "Quality=0.9", "Quality=0.2"},
        {"", "Quality=0.1", "Quality=0.8"},
        {"", "", "Quality=0.2"},
        {"", "ConstantQualityFactor=0.8", "ConstantQualityFactor=0.3"},
        {"", "Quality=1", "Quality=0.3"},
        {"AverageBitRate=200000000", "Quality=0.9", "Quality=0.2"},
        {"MaxAllowedFrameQP=30", "Quality=0.1", "Quality=0.7"},
        {"MinAllowedFrameQP=24", "Quality=0.9", "Quality=0.3"},
        {"MinAllowedFrameQP=24", "Quality=0.9", "Quality=0.3"},
        {"MaxAllowedFrameQP=30", "Quality=0.1", "Quality=0.9"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        double found[2], expected[2];
        char others[120];
        snprintf(others, sizeof others, "%s%s%s", delays[i % 2], *changes[i][0] ? "," : "", changes[i][0]);
        qps_of_change(others, changes[i][1], changes[i][2], found);
        qps_of_change(others, changes[i][2], changes[i][2], expected);
        if (!CHECK_NEAR(found[1], expected[1], 1.5) || !CHECK(fabs(found[0] - found[1]) > 3))
            fprintf(stderr, "%s: %s, then %s\n", others, changes[i][1], changes[i][2]);
    }
}

/* Returns the bytes of 60 frames with the properties. */
static size_t bytes_with(const char *properties, const char *more) {
    clip c;
    char text[160];
    snprintf(text, sizeof text, "%s,%s", properties, more);
    open_clip(&c, text);
    c.noise = 60;
    clip_encode(&c, 60);
    check_stream(&c);
    const size_t bytes = clip_bytes(&c);
    clip_close(&c);
    return bytes;
}

/* A bound that overrides the rate gives the pictures that the bound alone gives, apart from single blocks, and one that
 * does not matter leaves the rate as it is. */
static void bounds_of_qps_limit_a_rate_once(void) {
    static const char *const delays[] = {"RealTime=true", "SuggestedLookAheadFrameCount=8"};
    for (int i = 0; i < 2; i++) {
        const size_t bounded = bytes_with(delays[i], "MinAllowedFrameQP=45,Quality=0.5");
        const size_t with_rate = bytes_with(delays[i], "MinAllowedFrameQP=45,AverageBitRate=1000000");
        if (!CHECK(with_rate > bounded * 0.88 && with_rate < bounded * 1.12))
            fprintf(stderr, "%s: %zu bytes with a rate, %zu without\n", delays[i], with_rate, bounded);
        const size_t free_rate = bytes_with(delays[i], "AverageBitRate=4000000");
        const size_t high = bytes_with(delays[i], "MaxAllowedFrameQP=20,AverageBitRate=4000000");
        if (!CHECK(high > free_rate * 0.85 && high < free_rate * 1.15))
            fprintf(stderr, "%s: %zu bytes with a bound, %zu without\n", delays[i], high, free_rate);
    }
}

/* ---- Depth, colour and metadata ----------------------------------------------------------------------------------- */

static void ten_bits_are_main_10(void) {
    static const char *const ways[] = {"OutputBitDepth=10", "ProfileLevel=HEVC_Main10_AutoLevel"};
    for (int way = 0; way < 2; way++) {
        clip c;
        open_clip(&c, ways[way]);
        clip_encode(&c, 10);
        check_stream(&c);
        CHECK_EQ(clip_info(&c).luma_bit_depth, 10);
        CHECK_EQ(clip_info(&c).profile_idc, 2);
        clip_close(&c);
    }
}

static void frames_of_ten_bits_keep_their_depth(void) {
    clip c;
    enum { LUMA = WIDTH * HEIGHT };
    static uint16_t words[LUMA * 3 / 2];
    open_clip(&c, "Quality=1,RealTime=true");
    for (int i = 0; i < LUMA * 3 / 2; i++) words[i] = (uint16_t)((i < LUMA ? 300 + i % WIDTH * 2 : 512) << 6);
    const void *planes[2] = {words, words + LUMA};
    const int64_t strides[2] = {2 * WIDTH, 2 * WIDTH};
    for (int frame = 0; frame < 3; frame++, c.fed++)
        REQUIRE_OK(nalu_compression_session_encode_planes(c.session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_X420, 2, planes,
            strides, NULL, nalu_time_make(frame, 30), nalu_time_make(1, 30), NULL, NULL, NULL));
    check_stream(&c);
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
    open_clip(&c, "ColorPrimaries=ITU_R_2020,TransferFunction=SMPTE_ST_2084_PQ,YCbCrMatrix=ITU_R_2020,"
                  "NaluChromaLocation=TopLeft,PixelAspectRatio=[4,3],ExpectedFrameRate=50");
    clip_encode(&c, 3);
    check_stream(&c);
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
        open_clip(&c, cases[i].properties);
        clip_encode(&c, 2);
        check_stream(&c);
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
        open_clip(&c, "OutputBitDepth=10,MaxKeyFrameInterval=6,"
            "MasteringDisplayColorVolume=[8500,39850,6550,2300,35400,14600,15635,16450,10000000,50]");
        if (kinds != 1)
            REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "ContentLightLevelInfo=[1000,400]"));
        if (!inserts) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_HDR_METADATA_INSERTION_MODE, "None"));
        clip_encode(&c, 14);
        check_stream(&c);
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
        clip_open_codec(&c, size[0], size[1], NALU_CODEC_HEVC);
        REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X265_PRESET, i % 2 ? "medium" : "ultrafast"));
        snprintf(last_properties, sizeof last_properties, "%dx%d", size[0], size[1]);
        clip_encode(&c, 4);
        check_stream(&c);
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
    open_clip(&c, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s=%s", cases[i][0], cases[i][1]);
        REFUSED(nalu_session_set_properties_from_text(c.session, text), NALU_STATUS_PROPERTY_NOT_SUPPORTED, cases[i][0],
                cases[i][2]);
    }
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

static void own_properties_have_types(void) {
    clip c;
    open_clip(&c, "");
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
        open_clip(&c, "");
        nalu_status status = nalu_session_set_properties_from_text(c.session, cases[i][0]);
        if (status == NALU_STATUS_OK) status = nalu_compression_session_prepare(c.session);
        CHECK_STATUS(status, NALU_STATUS_CONFLICT);
        if (!CHECK(strstr(nalu_last_error_message(), cases[i][1]) != NULL)) fprintf(stderr, "case %zu\n", i);
        clip_close(&c);
    }
}

/* ---- The library -------------------------------------------------------------------------------------------------- */

static const char *program;

/* Runs in a process in which the loader finds an empty file in place of the library. */
static void without_the_library(void) {
    nalu_compression_session *session = NULL;
    for (int i = 0; i < 2; i++)
        REFUSED(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_HEVC, NULL, NULL, NULL, NULL, NULL, &session),
                NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER, "libx265.so.", "install libx265-");
    CHECK(session == NULL);
    clip c;
    clip_open(&c, WIDTH, HEIGHT);
    clip_encode(&c, 1);
    clip_finish(&c);
    clip_close(&c);
}

static void a_missing_library_is_named_with_its_package(void) {
    char command[1024], directory[512];
    const char *path = test_path("libx265.so.199");
    fclose(fopen(path, "w"));
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    snprintf(command, sizeof command, "LD_LIBRARY_PATH='%s' NALU_TEST_CASE=1 '%s'", directory, program);
    CHECK_EQ(system(command), 0);
}

int main(int count, char **arguments) {
    (void)count;
    program = arguments[0];
    if (getenv("NALU_TEST_CASE")) {
        without_the_library();
        return check_result();
    }
    RUN(samples_are_hvc1_with_three_parameter_sets);
    RUN(intervals_of_key_frames_hold);
    RUN(no_frame_is_delayed_longer_than_allowed);
    RUN(real_time_has_no_delay_and_no_reordering);
    RUN(frames_can_be_kept_in_order);
    RUN(the_lookahead_has_the_asked_length);
    RUN(b_frames_are_no_references_without_a_pyramid);
    RUN(a_higher_quality_takes_more_bytes);
    RUN(pictures_have_one_slice);
    RUN(a_frame_can_have_its_own_qp);
    RUN(qps_have_bounds);
    RUN(areas_can_be_finer_from_any_frame_on);
    RUN(offsets_of_areas_leave_the_rate);
    RUN(a_quality_changes_while_encoding);
    RUN(bounds_of_qps_limit_a_rate_once);
    RUN(ten_bits_are_main_10);
    RUN(frames_of_ten_bits_keep_their_depth);
    RUN(colours_and_shape_are_in_the_stream);
    RUN(the_level_allows_the_rate);
    RUN(hdr_metadata_is_in_key_frames);
    RUN(sizes_that_x265_does_not_encode_are_refused);
    RUN(properties_without_effect_are_refused_with_the_reason);
    RUN(own_properties_have_types);
    RUN(contradictions_are_refused);
    RUN(a_missing_library_is_named_with_its_package);
    RUN(judge_streams);
    return check_result();
}
