/*
 * With equal parameters and one thread a session produces the same bytes as libx264 alone: the NAL units of
 * every frame, and the parameter sets. Only the timing information of the SPS differs: it is Nalu's own if
 * frames follow presentation times.
 *
 * With AVX-512 and mbtree, libx264 (build 164) uses uninitialized memory unless the width is a multiple of 128
 * pixels, so that its output differs between runs. At other widths the session disables AVX-512, and its output
 * does not depend on the content of memory.
 */
#include <malloc.h>

#include "bare_x264.h"
#include "clip.h"

typedef struct setup {
    const char *preset, *params;
    int64_t bitrate;
    double frame_rate; /* 0: not set */
    int32_t width, height, frames, real_time, edits_timing;
} setup;

static void open_clip(clip *c, const setup *s) {
    clip_open(c, s->width, s->height);
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PRESET, s->preset));
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, s->params));
    REQUIRE_OK(nalu_session_set_double(c->session, NALU_PROPERTY_EXPECTED_FRAME_RATE, s->frame_rate));
    if (s->bitrate) REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_AVERAGE_BIT_RATE, s->bitrate));
    if (s->real_time) REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_REAL_TIME, 1));
    /* The governor could change parameters on a slow machine. */
    REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_REAL_TIME_GOVERNOR, 0));
    REQUIRE_OK(nalu_compression_session_prepare(c->session));
}

static void check_same_sample(const nalu_sample *sample, const bare_encoder *bare, int size) {
    size_t ours = 0;
    const uint8_t *data = nalu_sample_get_data(sample, &ours);
    if (!CHECK_EQ(ours, size)) return;
    CHECK_BYTES(data, bare->units[0].p_payload, ours);
    CHECK_EQ(nalu_sample_get_nal_count(sample), bare->unit_count);
    CHECK_EQ(nalu_sample_is_key_frame(sample), bare->output.b_keyframe);
}

static void check_same_parameter_sets(const nalu_sample *sample, const bare_encoder *bare, int edits_timing) {
    const nalu_format_description *format = nalu_sample_get_format_description(sample);
    x264_nal_t *units = NULL;
    int count = 0;
    uint32_t index = 0;
    REQUIRE(x264_encoder_headers(bare->encoder, &units, &count) > 0);
    for (int i = 0; i < count; i++) {
        if (units[i].i_type != NAL_SPS && units[i].i_type != NAL_PPS) continue;
        const uint8_t *theirs = units[i].p_payload + 4;
        size_t size = 0, their_size = (size_t)units[i].i_payload - 4;
        const uint8_t *ours = nalu_format_description_get_parameter_set(format, index++, &size);
        REQUIRE(ours);
        if (units[i].i_type == NAL_SPS && edits_timing) {
            nalu_sequence_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
            REQUIRE_OK(nalu_parse_sequence_parameter_set(ours, size, &a));
            REQUIRE_OK(nalu_parse_sequence_parameter_set(theirs, their_size, &b));
            CHECK(a.time_scale != b.time_scale || a.num_units_in_tick != b.num_units_in_tick);
            b.time_scale = a.time_scale;
            b.num_units_in_tick = a.num_units_in_tick;
            b.fixed_frame_rate = a.fixed_frame_rate;
            CHECK_BYTES(&a, &b, sizeof a);
        } else if (CHECK_EQ(size, their_size)) {
            CHECK_BYTES(ours, theirs, size);
        }
    }
    CHECK_EQ(index, nalu_format_description_get_parameter_set_count(format));
}

/* Encodes a clip with both and compares the output. The samples are kept, because either side may be ahead. */
static void check_identity(const setup *s) {
    clip ours, drawn;
    bare_encoder bare;
    char *effective;
    int32_t number = 0;
    size_t luma = (size_t)s->width * (size_t)s->height;
    open_clip(&ours, s);
    effective = bare_effective(ours.session);
    REQUIRE(effective && bare_open(&bare, s->width, s->height, s->preset, effective));
    clip_encode_all(&ours, s->frames);
    REQUIRE(ours.count == s->frames);

    drawn = ours;
    drawn.fed = 0;
    for (int32_t i = 0; number < s->frames; i++) {
        int size;
        if (i < s->frames) {
            clip_draw(&drawn);
            drawn.fed++;
            size = bare_encode(&bare, drawn.pixels, drawn.pixels + luma, s->width);
        } else {
            size = bare_drain(&bare);
        }
        REQUIRE(size > 0 || (size == 0 && i < s->frames));
        if (size > 0) check_same_sample(ours.samples[number++], &bare, size);
    }
    check_same_parameter_sets(ours.samples[0], &bare, s->edits_timing);
    free(effective);
    bare_close(&bare);
    clip_close(&ours);
}

/* With AverageBitRate a session corrects x264's rate, but not in the first second. Until then the parameters
 * stay equal. */
static void a_live_stream_equals_libx264(void) {
    check_identity(&(setup){.preset = "veryfast", .params = "threads=1", .bitrate = 400000, .frame_rate = 30,
                            .width = 384, .height = 180, .frames = 30, .real_time = 1});
}

static void a_file_with_reordering_equals_libx264(void) {
    check_identity(&(setup){.preset = "medium", .params = "threads=1", .bitrate = 400000, .frame_rate = 30,
                            .width = 384, .height = 180, .frames = 30, .edits_timing = 1});
}

static void a_file_of_constant_frame_rate_equals_libx264(void) {
    check_identity(&(setup){.preset = "medium", .params = "threads=1:force-cfr=1:fps=30", .bitrate = 400000,
                            .width = 384, .height = 180, .frames = 30});
}

static void constant_quality_without_a_frame_rate_equals_libx264(void) {
    check_identity(&(setup){.preset = "fast", .params = "threads=1", .width = 384, .height = 180, .frames = 60,
                            .edits_timing = 1});
}

static void a_rate_by_options_equals_libx264(void) {
    check_identity(&(setup){.preset = "veryfast", .params = "threads=1:bitrate=400:vbv-maxrate=400:vbv-bufsize=400",
                            .frame_rate = 30, .width = 384, .height = 180, .frames = 120, .real_time = 1});
}

static void key_frames_of_the_session_equal_libx264(void) {
    check_identity(&(setup){.preset = "ultrafast", .params = "threads=1", .frame_rate = 30, .width = 64, .height = 48,
                            .frames = 600, .real_time = 1});
}

static void key_frames_of_x264_equal_libx264(void) {
    check_identity(&(setup){.preset = "superfast", .params = "threads=1:keyint=25:min-keyint=5:bframes=2",
                            .frame_rate = 30, .width = 128, .height = 48, .frames = 120, .edits_timing = 1});
}

static void options_of_x264_equal_libx264(void) {
    check_identity(&(setup){.preset = "faster", .params =
                            "threads=1:aq-mode=3:psy-rd=0.5,0.2:deblock=-2,1:qpmin=12:aud=1",
                            .bitrate = 300000, .frame_rate = 30, .width = 160, .height = 120, .frames = 30, .real_time =
                                1});
}

/* Memory that the encoder has not written to has other content in each run. */
static void output_does_not_depend_on_former_content_of_memory(void) {
    static const int widths[] = {96, 176, 352, 384};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        clip first, other;
        for (int run = 0; run < 4; run++) {
            clip *c = run ? &other : &first;
            mallopt(M_PERTURB, run * 57);
            open_clip(c, &(setup){.preset = "medium", .params = "threads=1", .bitrate = 200000, .frame_rate = 30,
                                  .width = widths[i], .height = 96});
            clip_encode_all(c, 75);
            if (!run) continue;
            if (CHECK_EQ(other.count, first.count))
                for (int k = 0; k < first.count; k++) {
                    size_t size, expected_size;
                    const uint8_t *expected = nalu_sample_get_data(first.samples[k], &expected_size);
                    const uint8_t *data = nalu_sample_get_data(other.samples[k], &size);
                    if (!CHECK_EQ(size, expected_size) || !CHECK_BYTES(data, expected, size)) break;
                }
            clip_close(c);
        }
        clip_close(&first);
    }
    mallopt(M_PERTURB, 0);
}

int main(void) {
    RUN(output_does_not_depend_on_former_content_of_memory);
    RUN(a_live_stream_equals_libx264);
    RUN(a_file_with_reordering_equals_libx264);
    RUN(a_file_of_constant_frame_rate_equals_libx264);
    RUN(constant_quality_without_a_frame_rate_equals_libx264);
    RUN(a_rate_by_options_equals_libx264);
    RUN(key_frames_of_the_session_equal_libx264);
    RUN(key_frames_of_x264_equal_libx264);
    RUN(options_of_x264_equal_libx264);
    return check_result();
}
