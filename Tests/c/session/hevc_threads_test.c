/*
 * The threads of x265 do not depend on libnuma, which states no processors in a container that forbids get_mempolicy, and
 * those of the host in a container that has fewer. This program replaces functions of libnuma.
 */
#include "clip.h"

/* libnuma's number of processors; 0 if libnuma is not available. */
static unsigned numa_processors;

int numa_available(void) { return numa_processors > 0 ? 0 : -1; }

unsigned numa_bitmask_weight(const void *mask) {
    (void)mask;
    return numa_processors;
}

static void threads_do_not_depend_on_libnuma(void) {
    static const unsigned views[] = {0, 1, 64};
    /* x265 encodes several rows at once from three coding tree units of 32x32 or 64x64 pixels on. */
    static const int32_t sizes[][2] = {{192, 128}, {64, 400}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char effective[3][2048];
        for (int view = 0; view < 3; view++) {
            clip c;
            size_t size = 0;
            numa_processors = views[view];
            clip_open_codec(&c, sizes[i][0], sizes[i][1], NALU_CODEC_HEVC);
            REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "x265.preset=ultrafast"));
            REQUIRE_OK(nalu_compression_session_prepare(c.session));
            REQUIRE_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_X265_EFFECTIVE, effective[view],
                                                sizeof effective[view], &size));
            clip_encode_all(&c, 3);
            clip_close(&c);
            CHECK(strstr(effective[view], i == 0 ? "wpp=1" : "wpp=0") != NULL);
            if (!CHECK(strcmp(effective[view], effective[0]) == 0))
                fprintf(stderr, "%u processors: %s\nnone: %s\n", views[view], effective[view], effective[0]);
        }
    }
}

int main(void) {
    RUN(threads_do_not_depend_on_libnuma);
    return check_result();
}
