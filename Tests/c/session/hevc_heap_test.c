/*
 * x265 writes only into its own memory: every block that it allocates ends with a margin, which stays as it was. Narrow
 * pictures have rows of fewer blocks than x265's vector code stores at once.
 */
#include "clip.h"
#include "guarded_heap.h"

static void narrow_pictures_are_encoded_within_memory(void) {
    static const int32_t widths[] = {32, 34, 48, 50, 64, 66};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        clip c;
        clip_open_codec(&c, widths[i], 64, NALU_CODEC_HEVC);
        REQUIRE_OK(nalu_session_set_properties_from_text(c.session,
            "x265.preset=ultrafast,SuggestedLookAheadFrameCount=6,MaximizePowerEfficiency=true"));
        clip_encode_all(&c, 10);
        clip_close(&c);
        if (!CHECK_EQ(guarded_heap_overruns(), 0)) fprintf(stderr, "width %d\n", (int)widths[i]);
    }
    CHECK(!GUARDED_HEAP_WORKS || guarded_heap_count() > 0);
}

int main(void) {
    RUN(narrow_pictures_are_encoded_within_memory);
    return check_result();
}
