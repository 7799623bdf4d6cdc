/* The stream of an RGB source states the chroma location that the conversion used. The stream of a YCbCr source
 * states none. */
#include "session_support.h"

static recorder all = RECORDER_INIT;

static bool effective_says(nalu_pixel_format format, uint32_t plane_count, const char *option) {
    static uint8_t pixels[WIDTH * HEIGHT * 4];
    const void *planes[2] = {pixels, pixels + WIDTH * HEIGHT};
    const int64_t strides[2] = {plane_count == 1 ? WIDTH * 4 : WIDTH, WIDTH};
    char text[4096] = "";
    size_t size = 0;
    nalu_compression_session *session = make_session(record_result, &all);
    CHECK_OK(nalu_compression_session_encode_planes(session, WIDTH, HEIGHT, format, plane_count, planes, strides, NULL,
                                                    frame_time(0), nalu_time_invalid(), NULL, NULL, NULL));
    CHECK_OK(nalu_session_copy_string(session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size));
    CHECK_OK(complete_all(session));
    end_session(session, &all);
    return strstr(text, option) != NULL;
}

static void chroma_of_rgb_is_centred(void) {
    CHECK(effective_says(NALU_PIXEL_FORMAT_BGRA, 1, ":chromaloc=1:"));
    CHECK(!effective_says(NALU_PIXEL_FORMAT_420V, 2, "chromaloc"));
}

int main(void) {
    RUN(chroma_of_rgb_is_centred);
    return check_result();
}
