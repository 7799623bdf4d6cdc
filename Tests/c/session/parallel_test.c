/* RecommendedParallelizationLimit and RecommendedParallelizedSubdivisionMinimum...: a clip that is cut
 * accordingly. */
#include "clip.h"

#include <sched.h>

/* Returns the number of processors on which the process may run. */
static long processor_count(void) {
    cpu_set_t set;
    REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
    return CPU_COUNT(&set);
}

static int64_t integer(const clip *c, const char *key) {
    int64_t value = -1;
    CHECK_OK(nalu_session_get_int64(c->session, key, &value));
    return value;
}

static void the_parallelization_limit_fills_the_processors(void) {
    static const char *const all[] = {
        "x264.params=\"threads=1\"", "MaximizePowerEfficiency=true", "x264.params=\"threads=2\"", "", "RealTime=true",
    };
    const long processors = processor_count();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip c;
        char effective[4096];
        size_t size = 0;
        int64_t limit = 0;
        clip_open(&c, 640, 480);
        REQUIRE_OK(nalu_session_set_properties_from_text(c.session, all[i]));
        CHECK_STATUS(nalu_session_get_int64(c.session, NALU_PROPERTY_RECOMMENDED_PARALLELIZATION_LIMIT, &limit),
                     NALU_STATUS_VALUE_NOT_AVAILABLE);
        REQUIRE_OK(nalu_compression_session_prepare(c.session));
        REQUIRE_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_X264_EFFECTIVE, effective, sizeof effective, &size));
        const char *found = strstr(effective, "threads=");
        REQUIRE(found);
        const long threads = strtol(found + strlen("threads="), NULL, 10);
        if (i < 2) CHECK_EQ(threads, 1);
        limit = integer(&c, NALU_PROPERTY_RECOMMENDED_PARALLELIZATION_LIMIT);
        CHECK_EQ(limit, processors < threads ? 1 : processors / threads);
        clip_close(&c);
    }
}

static void a_part_has_two_groups(void) {
    static const struct { const char *properties; int64_t frames; double seconds; } all[] = {
        {"", 500, 0},
        {"ExpectedFrameRate=25", 500, 20},
        {"ExpectedFrameRate=30,MaxKeyFrameInterval=60", 120, 4},
        {"ExpectedFrameRate=30,MaxKeyFrameInterval=60,MaxKeyFrameIntervalDuration=1.5", 90, 3},
        {"MaxKeyFrameIntervalDuration=1.5", 500, 3},
        {"ExpectedFrameRate=0.5,MaxKeyFrameIntervalDuration=1", 2, 4},
        {"MaxKeyFrameInterval=1,ExpectedFrameRate=10", 2, 0.2},
        {"AllowTemporalCompression=false,ExpectedFrameRate=10", 2, 0.2},
        {"x264.params=\"keyint=30\"", 60, 0},
        {"MaxKeyFrameInterval=2147483647", 4294967294, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip c;
        double seconds = 0;
        clip_open(&c, 64, 48);
        REQUIRE_OK(nalu_session_set_properties_from_text(c.session, all[i].properties));
        REQUIRE_OK(nalu_compression_session_prepare(c.session));
        CHECK_EQ(integer(&c, NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_FRAME_COUNT), all[i].frames);
        const nalu_status status = nalu_session_get_double(
            c.session, NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_DURATION, &seconds);
        CHECK_STATUS(status, all[i].seconds > 0 ? NALU_STATUS_OK : NALU_STATUS_VALUE_NOT_AVAILABLE);
        CHECK(seconds == all[i].seconds);
        clip_close(&c);
    }
}

/* Chunks of the minimum length have at most one key frame more than the whole clip. */
static void a_chunk_costs_one_key_frame(void) {
    int key_frames[2] = {0};
    for (int cut = 0; cut < 2; cut++) {
        int64_t rest = 60;
        for (int part = 0; part <= cut; part++) {
            clip c;
            clip_open(&c, 64, 48);
            c.noise = 0;
            REQUIRE_OK(nalu_session_set_properties_from_text(
                c.session, "MaxKeyFrameInterval=10,MoreFramesBeforeStart=true,x264.params=\"threads=1:scenecut=0\""));
            REQUIRE_OK(nalu_compression_session_prepare(c.session));
            const int64_t least = integer(&c, NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_FRAME_COUNT);
            CHECK_EQ(least, 20);
            const int64_t frames = cut && part == 0 ? least + 5 : rest;
            rest -= frames;
            clip_encode_all(&c, (int32_t)frames);
            for (int32_t i = 0; i < c.count; i++) key_frames[cut] += nalu_sample_is_key_frame(c.samples[i]) != 0;
            clip_close(&c);
        }
    }
    CHECK_EQ(key_frames[0], 6);
    CHECK_EQ(key_frames[1], 7);
}

int main(void) {
    RUN(the_parallelization_limit_fills_the_processors);
    RUN(a_part_has_two_groups);
    RUN(a_chunk_costs_one_key_frame);
    return check_result();
}
