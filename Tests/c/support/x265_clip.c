#include "x265_clip.h"

/* The size and the properties of the last clip, which are the stream's name in messages. */
static char last_properties[120];

void x265_open_size(clip *c, int32_t width, int32_t height, const char *properties) {
    clip_open_codec(c, width, height, NALU_CODEC_HEVC);
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, "x265.preset=ultrafast"));
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, properties));
    snprintf(last_properties, sizeof last_properties, "%dx%d \"%s\"", width, height, properties);
}

void x265_finish(clip *c) {
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
        const int type = hevc_slice_type(c->samples[i]);
        CHECK_EQ(nalu_sample_is_key_frame(c->samples[i]), type == 19 || type == 20);
        CHECK(type != 21); /* no CRA picture */
    }
}
