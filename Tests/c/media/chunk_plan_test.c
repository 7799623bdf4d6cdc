/* nalu_chunk_plan: the places of the cuts, the settings of the sessions, and refusals. */
#include "chunk_frames.h"
#include "media_reading.h"

#include <nalu/media/chunk_plan.h>

enum { FRAMES = 60 };

static clip movie;
static char *whole;

static nalu_status open_movie(void *refcon, nalu_reader **reader_out) {
    ++*(int *)refcon;
    return nalu_reader_create_with_path(whole, NULL, reader_out);
}

static int opened;

static nalu_chunk_source source_of_movie(void) {
    nalu_chunk_source source = NALU_CHUNK_SOURCE_INIT;
    source.name = "movie";
    source.open = open_movie;
    source.refcon = &opened;
    return source;
}

static uint8_t grey[64 * 48];

static nalu_status grey_frame(void *refcon, uint64_t index, nalu_chunk_frame *frame_out) {
    (void)refcon, (void)index;
    return grey_chunk_frame(frame_out, grey, 64, 48);
}

static nalu_chunk_source source_of_frames(void) { return grey_chunk_source(grey_frame, 100); }

static nalu_chunk chunk_of(const nalu_chunk_plan *plan, size_t index) {
    nalu_chunk chunk = {0};
    chunk.struct_size = (uint32_t)sizeof chunk;
    CHECK_OK(nalu_chunk_plan_get_chunk(plan, index, &chunk));
    CHECK_EQ(chunk.number, index);
    CHECK_EQ(chunk.count, nalu_chunk_plan_get_chunk_count(plan));
    return chunk;
}

/* The clip has a key frame every ten frames, at 30 frames per second. */
static void cuts_a_file_at_key_frames(void) {
    nalu_chunk_source source = source_of_movie();
    nalu_chunk_plan_options options = NALU_CHUNK_PLAN_OPTIONS_INIT;
    nalu_chunk_plan *plan = NULL;
    options.bit_rate = 200000;
    options.chunk_count = 4;
    REQUIRE_OK(nalu_chunk_plan_create(&source, &options, &plan));
    CHECK_EQ(nalu_chunk_plan_get_chunk_count(plan), 4);
    static const int begins[] = {0, 10, 30, 40};
    for (size_t i = 0; i < 4; i++) {
        nalu_chunk chunk = chunk_of(plan, i);
        if (i > 0) CHECK_EQ(nalu_time_compare(chunk.begin, nalu_time_make(begins[i], 30)), 0);
        if (i < 3) CHECK_EQ(nalu_time_compare(chunk.end, nalu_time_make(begins[i + 1], 30)), 0);
        CHECK_EQ(chunk.width, 64);
        CHECK_EQ(chunk.height, 48);
        CHECK_EQ(chunk.bit_rate, 200000);
        CHECK_EQ(chunk.limit_count, 0);
        /* The level is fixed, so that all chunks have the same parameter sets. */
        CHECK(strstr(chunk.properties, "ProfileLevel=H264_High_3_0") != NULL);
        CHECK(strstr(chunk.properties, "threads=1") != NULL);
        CHECK_EQ(chunk.highest_rate, 12500000);
    }
    CHECK_EQ(chunk_of(plan, 0).begin.timescale, 0);
    CHECK_EQ(chunk_of(plan, 3).end.timescale, 0);
    CHECK(opened > 0);
    nalu_chunk chunk = {0};
    chunk.struct_size = (uint32_t)sizeof chunk;
    CHECK_STATUS(nalu_chunk_plan_get_chunk(plan, 4, &chunk), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_chunk_plan_get_chunk(plan, 0, NULL), NALU_STATUS_PARAMETER);
    CHECK_PTR_EQ(nalu_chunk_plan_retain(plan), plan);
    nalu_chunk_plan_release(plan);
    nalu_chunk_plan_release(plan);
}

static void cuts_frames_at_whole_frames(void) {
    nalu_chunk_source source = source_of_frames();
    nalu_chunk_plan_options options = NALU_CHUNK_PLAN_OPTIONS_INIT;
    nalu_chunk_plan *plan = NULL;
    options.bit_rate = 200000;
    options.chunk_count = 3;
    options.cut = NALU_CHUNK_CUT_EQUAL;
    const double limits[2] = {25000, 1};
    nalu_property properties[2] = {{0}, {0}};
    properties[0].key = "DataRateLimits";
    properties[0].type = NALU_PROPERTY_TYPE_NUMBERS;
    properties[0].numbers = limits;
    properties[0].number_count = 2;
    properties[1].key = "x264.params";
    properties[1].type = NALU_PROPERTY_TYPE_STRING;
    properties[1].string = "ref=2";
    options.properties = properties;
    options.property_count = 2;
    REQUIRE_OK(nalu_chunk_plan_create(&source, &options, &plan));
    CHECK_EQ(nalu_chunk_plan_get_chunk_count(plan), 3);
    nalu_chunk chunk = chunk_of(plan, 1);
    CHECK_EQ(nalu_time_compare(chunk.begin, nalu_time_make(33, 25)), 0);
    CHECK_EQ(nalu_time_compare(chunk.end, nalu_time_make(67, 25)), 0);
    CHECK_NEAR(chunk.seconds, 34.0 / 25, 1e-9);
    CHECK_EQ(chunk.limit_count, 2);
    CHECK_NEAR(chunk.limits[0], 25000, 0);
    CHECK(strstr(chunk.properties, "ref=2:threads=1") != NULL);
    nalu_chunk_plan_release(plan);
    /* Seconds of a chunk, in place of their number. */
    options.chunk_count = 0;
    options.chunk_duration = nalu_time_make(1, 1);
    REQUIRE_OK(nalu_chunk_plan_create(&source, &options, &plan));
    CHECK_EQ(nalu_chunk_plan_get_chunk_count(plan), 4);
    nalu_chunk_plan_release(plan);
    /* A short video is not cut. */
    options.chunk_duration = (nalu_time){0};
    REQUIRE_OK(nalu_chunk_plan_create(&source, &options, &plan));
    CHECK_EQ(nalu_chunk_plan_get_chunk_count(plan), 1);
    nalu_chunk_plan_release(plan);
}

static nalu_status failing_open(void *refcon, nalu_reader **reader_out) {
    (void)refcon;
    return nalu_reader_create_with_path("/nowhere/movie.mp4", NULL, reader_out);
}

static nalu_status failing_frame(void *refcon, uint64_t index, nalu_chunk_frame *frame_out) {
    (void)refcon, (void)index, (void)frame_out;
    return NALU_STATUS_CANCELLED;
}

static nalu_status empty_frame(void *refcon, uint64_t index, nalu_chunk_frame *frame_out) {
    (void)refcon, (void)index, (void)frame_out;
    return NALU_STATUS_OK;
}

static void refuses_what_cannot_be_planned(void) {
    nalu_chunk_source source = source_of_frames();
    nalu_chunk_plan_options options = NALU_CHUNK_PLAN_OPTIONS_INIT;
    nalu_chunk_plan *plan = NULL;
    options.bit_rate = 200000;
    CHECK_STATUS(nalu_chunk_plan_create(NULL, &options, &plan), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, NULL), NALU_STATUS_PARAMETER);
    options.bit_rate = 0;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_OUT_OF_RANGE);
    CHECK_PTR_EQ(plan, NULL);
    options.bit_rate = INT64_MAX;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_OUT_OF_RANGE);
    options.bit_rate = 400000000;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_OUT_OF_RANGE);
    options.bit_rate = 200000;
    options.chunk_count = 100001;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_OUT_OF_RANGE);
    options.chunk_count = 2;
    options.chunk_duration = nalu_time_make(1, 1);
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_CONFLICT);
    options.chunk_count = 0;
    options.chunk_duration = nalu_time_make(-1, 1);
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_INVALID_TIME);
    options.chunk_duration = nalu_time_make(1, 1000000);
    options.cut = 3;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_OUT_OF_RANGE);
    options.cut = NALU_CHUNK_CUT_EQUAL;
    options.width = -1;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_INVALID_SIZE);
    options.width = 0;
    nalu_property property = {0};
    property.key = "x264.params";
    property.type = NALU_PROPERTY_TYPE_STRING;
    property.string = "threads=4";
    options.properties = &property;
    options.property_count = 1;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_OUT_OF_RANGE);
    options.property_count = 0;
    options.preset = "nonsense";
    CHECK(nalu_chunk_plan_create(&source, &options, &plan) != NALU_STATUS_OK);
    options.preset = NULL;
    source.frame_count = 0;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_OUT_OF_RANGE);
    source.frame_count = UINT64_MAX;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_OUT_OF_RANGE);
    source = source_of_frames();
    source.frame_rate_denominator = 0;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_OUT_OF_RANGE);
    source = source_of_frames();
    source.frame = failing_frame;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_CANCELLED);
    source.frame = empty_frame;
    CHECK(nalu_chunk_plan_create(&source, &options, &plan) != NALU_STATUS_OK);
    source.frame = NULL;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_PARAMETER);
    source.open = failing_open;
    CHECK_STATUS(nalu_chunk_plan_create(&source, &options, &plan), NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(nalu_last_error_message(), "No such file") != NULL);
    CHECK_EQ(nalu_chunk_plan_get_chunk_count(NULL), 0);
    CHECK_PTR_EQ(nalu_chunk_plan_retain(NULL), NULL);
    nalu_chunk_plan_release(NULL);
}

int main(void) {
    whole = media_file_of_clip(&movie, FRAMES);
    RUN(cuts_a_file_at_key_frames);
    RUN(cuts_frames_at_whole_frames);
    RUN(refuses_what_cannot_be_planned);
    clip_close(&movie);
    free(whole);
    return check_result();
}
