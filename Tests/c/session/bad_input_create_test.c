/* Arguments that nalu_compression_session_create rejects: sizes, codecs, encoder specifications, source
 * attributes. The sizes are those of the encoder under test. */
#include "clip.h"
#include "refusal.h"

static int destroyed;

static void destroy(void *refcon) {
    (void)refcon;
    destroyed++;
}

static nalu_status create(int32_t width, int32_t height, nalu_four_char_code codec,
                          const nalu_encoder_specification *specification, const nalu_source_attributes *source) {
    nalu_compression_session *session = STALE;
    int before = destroyed;
    nalu_status status = nalu_compression_session_create(width, height, codec, specification, source, clip_take, NULL,
                                                         destroy, &session);
    /* A failure creates no session and leaves the refcon to the caller; the last release destroys it. */
    CHECK((status == NALU_STATUS_OK) == (session != NULL));
    CHECK_EQ(destroyed, before);
    nalu_compression_session_release(session);
    CHECK_EQ(destroyed, before + (status == NALU_STATUS_OK));
    return status;
}

/* The sizes of an encoder. Level 6.2 of H.264 allows 139264 macroblocks, level 5.2 36864 and 543 at each side (ITU-T H.264
 * table A-1 and A.3.1); level 6.2 of H.265 allows 35651584 samples (ITU-T H.265 table A.8). */
static const struct {
    const char *encoder;
    int32_t least, fitting[5][2];
    struct {
        int32_t width, height;
        const char *words[3];
    } beyond[3];
} sizes[] = {
    {"x264", 16, {{16, 16}, {17, 19}, {16384, 16}, {16, 16384}, {16384, 2176}},
     {{16384, 2177, {"140288", "6.2", "139264"}}, {2177, 16384, {"140288", "6.2", "139264"}},
      {16384, 16384, {"1048576", "6.2", "139264"}}}},
    {"x265", 32, {{32, 32}, {33, 35}, {16384, 32}, {32, 16384}, {16384, 2176}},
     {{16384, 2177, {"35684352", "6.2", "35651584"}}, {2177, 16384, {"35684352", "6.2", "35651584"}},
      {16384, 16384, {"268435456", "6.2", "35651584"}}}},
    {"openh264", 16, {{16, 16}, {17, 19}, {8688, 1072}, {1072, 8688}, {4096, 2304}},
     {{4096, 2305, {"256x145", "5.2", "36864"}}, {8689, 16, {"544x1", "5.2", "543"}}, {16, 8689, {"1x544", "5.2", "543"}}}},
};

static nalu_status create_size(int32_t width, int32_t height) {
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    specification.encoder_id = tested()->id;
    return create(width, height, tested()->codec, &specification, NULL);
}

static void sizes_out_of_range_are_refused(void) {
    size_t row = 0;
    while (!is_tested(sizes[row].encoder)) row++;
    const int32_t bad[] = {0, -1, 1, sizes[row].least - 1, 16385, INT32_MAX, INT32_MIN};
    char range[32], value[32];
    snprintf(range, sizeof range, "%d to 16384", sizes[row].least);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(value, sizeof value, "width is %d", bad[i]);
        REFUSED(create_size(bad[i], 64), NALU_STATUS_INVALID_SIZE, value, range);
        snprintf(value, sizeof value, "height is %d", bad[i]);
        REFUSED(create_size(64, bad[i]), NALU_STATUS_INVALID_SIZE, value, range);
    }
    for (size_t i = 0; i < 5; i++) CHECK_OK(create_size(sizes[row].fitting[i][0], sizes[row].fitting[i][1]));
    for (size_t i = 0; i < 3; i++) {
        const int32_t width = sizes[row].beyond[i].width, height = sizes[row].beyond[i].height;
        const char *const *words = sizes[row].beyond[i].words;
        snprintf(value, sizeof value, "%dx%d", width, height);
        REFUSED(create_size(width, height), NALU_STATUS_INVALID_SIZE, value, words[0], words[1], words[2]);
    }
}

static void unknown_codecs_are_refused(void) {
    REFUSED(create(64, 64, 0, NULL, NULL), NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER, "codec is 0x0", "'avc1'");
    REFUSED(create(64, 64, NALU_FOURCC('m', 'u', 'x', 'a'), NULL, NULL), NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER,
            "codec is 'muxa'", "'avc1'", "'hvc1'");
    REFUSED(create(64, 64, ~0u, NULL, NULL), NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER, "codec is 0xffffffff");
}

static nalu_status create_encoder(const char *id) {
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    specification.encoder_id = id;
    return create(64, 64, tested()->codec, &specification, NULL);
}

static void unknown_encoders_are_refused(void) {
    static char endless[100001];
    memset(endless, 'x', sizeof endless - 1);
    const uint32_t count = nalu_encoder_get_count();
    CHECK(count >= 2);
    CHECK_STR_EQ(nalu_encoder_get_id(0), "org.videolan.x264"); /* the usual one of H.264 */
    CHECK(strncmp(nalu_encoder_get_name(0), "x264 core ", 10) == 0);
    CHECK_EQ(nalu_encoder_get_codec(0), NALU_CODEC_H264);
    const uint32_t beyond[] = {count, count + 1, INT32_MAX, UINT32_MAX};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        CHECK_PTR_EQ(nalu_encoder_get_id(beyond[i]), NULL);
        CHECK_PTR_EQ(nalu_encoder_get_name(beyond[i]), NULL);
        CHECK_EQ(nalu_encoder_get_codec(beyond[i]), 0);
    }
    CHECK_OK(create_encoder(NULL));
    CHECK_OK(create_encoder(tested()->id));
    char longer[64];
    snprintf(longer, sizeof longer, "%s ", tested()->id);
    /* The last one is an encoder of another codec. */
    const char *unknown[] = {"", tested()->name, longer, "\xff\xfe\x80", endless,
        tested()->codec == NALU_CODEC_HEVC ? "org.videolan.x264" : "org.videolan.x265"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        REFUSED(create_encoder(unknown[i]), NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER, "encoder_id", tested()->id);
    CHECK(strlen(nalu_last_error_message()) < 400);

    nalu_encoder_specification hardware = NALU_ENCODER_SPECIFICATION_INIT;
    hardware.require_hardware_accelerated_video_encoder = 1;
    REFUSED(create(64, 64, tested()->codec, &hardware, NULL), NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER,
            "require_hardware_accelerated_video_encoder");
}

/* A struct as a newer header may define it. */
typedef struct newer {
    _Alignas(8) unsigned char known[24];
    unsigned char tail[70000];
} newer;

static nalu_status create_with(const newer *it, int is_source) {
    return create(64, 64, tested()->codec, is_source ? NULL : (const nalu_encoder_specification *)it->known,
                  is_source ? (const nalu_source_attributes *)it->known : NULL);
}

static void try_struct(int is_source, uint32_t known, const char *name) {
    static newer it;
    char field[64], atleast[32];
    snprintf(field, sizeof field, "%s.struct_size", name);
    snprintf(atleast, sizeof atleast, "at least %u", known);
    memset(&it, 0, sizeof it);
    const uint32_t small[] = {0, 1, 4, known - 1};
    for (size_t i = 0; i < 4; i++) {
        memcpy(it.known, &small[i], 4);
        REFUSED(create_with(&it, is_source), NALU_STATUS_PARAMETER, field, atleast);
    }
    const uint32_t fine[] = {known, known + 1, known + 8, 65536};
    for (size_t i = 0; i < 4; i++) {
        memcpy(it.known, &fine[i], 4);
        CHECK_OK(create_with(&it, is_source));
    }
    /* A field of a newer header is rejected if it is set, even if only its last byte is not 0. */
    for (uint32_t at = known; at < known + 8; at++) {
        uint32_t size = known + 8;
        memcpy(it.known, &size, 4);
        unsigned char *byte = (unsigned char *)&it + at;
        *byte = 1;
        REFUSED(create_with(&it, is_source), NALU_STATUS_UNSUPPORTED_OPTION, name);
        size = known;
        memcpy(it.known, &size, 4);
        CHECK_OK(create_with(&it, is_source));
        *byte = 0;
    }
    const uint32_t huge[] = {65537, INT32_MAX, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        memcpy(it.known, &huge[i], 4);
        REFUSED(create_with(&it, is_source), NALU_STATUS_PARAMETER, field, "at most 65536");
    }
}

static void wrong_struct_sizes_are_refused(void) {
    try_struct(0, sizeof(nalu_encoder_specification), "specification");
    try_struct(1, sizeof(nalu_source_attributes), "source_attributes");
}

static void unknown_source_formats_are_refused(void) {
    nalu_source_attributes source = NALU_SOURCE_ATTRIBUTES_INIT;
    const nalu_pixel_format good[] = {0, NALU_PIXEL_FORMAT_420V, NALU_PIXEL_FORMAT_420F, NALU_PIXEL_FORMAT_Y420,
        NALU_PIXEL_FORMAT_F420, NALU_PIXEL_FORMAT_BGRA, NALU_PIXEL_FORMAT_RGBA, NALU_PIXEL_FORMAT_ARGB,
        NALU_PIXEL_FORMAT_ABGR, NALU_PIXEL_FORMAT_24RGB, NALU_PIXEL_FORMAT_24BGR, NALU_PIXEL_FORMAT_2VUY,
        NALU_PIXEL_FORMAT_YUVS, NALU_PIXEL_FORMAT_L008, NALU_PIXEL_FORMAT_X420, NALU_PIXEL_FORMAT_XF20,
        NALU_PIXEL_FORMAT_422V, NALU_PIXEL_FORMAT_422F, NALU_PIXEL_FORMAT_444V, NALU_PIXEL_FORMAT_444F,
        NALU_PIXEL_FORMAT_X422, NALU_PIXEL_FORMAT_XF22, NALU_PIXEL_FORMAT_X444, NALU_PIXEL_FORMAT_XF44,
        NALU_PIXEL_FORMAT_SV20, NALU_PIXEL_FORMAT_SF20, NALU_PIXEL_FORMAT_SV22, NALU_PIXEL_FORMAT_SF22,
        NALU_PIXEL_FORMAT_SV44, NALU_PIXEL_FORMAT_SF44};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        nalu_compression_session *session = NULL;
        nalu_pixel_buffer *buffer = NULL;
        source.pixel_format = good[i];
        nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
        specification.encoder_id = tested()->id;
        REQUIRE_OK(nalu_compression_session_create(33, 37, tested()->codec, &specification, &source, NULL, NULL, NULL, &session));
        nalu_pixel_buffer_pool *pool = nalu_compression_session_get_pixel_buffer_pool(session);
        REQUIRE_OK(nalu_pixel_buffer_pool_create_pixel_buffer(pool, &buffer));
        const nalu_pixel_format usual = is_tested("openh264") ? NALU_PIXEL_FORMAT_Y420 : NALU_PIXEL_FORMAT_420V;
        CHECK_EQ(nalu_pixel_buffer_get_pixel_format(buffer), good[i] ? good[i] : usual);
        CHECK_EQ(nalu_pixel_buffer_get_width(buffer), 33);
        CHECK_EQ(nalu_pixel_buffer_get_height(buffer), 37);
        nalu_pixel_buffer_release(buffer);
        nalu_compression_session_release(session);
    }
    source.pixel_format = NALU_FOURCC('v', '2', '1', '0');
    REFUSED(create(64, 64, tested()->codec, NULL, &source), NALU_STATUS_INVALID_PIXEL_FORMAT,
            "source_attributes.pixel_format is 'v210'", "NALU_PIXEL_FORMAT_");
    source.pixel_format = 1;
    REFUSED(create(64, 64, tested()->codec, NULL, &source), NALU_STATUS_INVALID_PIXEL_FORMAT, "0x00000001");
}

int main(void) {
    RUN(sizes_out_of_range_are_refused);
    RUN(unknown_codecs_are_refused);
    RUN(unknown_encoders_are_refused);
    RUN(wrong_struct_sizes_are_refused);
    RUN(unknown_source_formats_are_refused);
    return check_result();
}
