/* The use of a frame's pixels by client and library; formats, sizes and the session's pool. */
#include "session_support.h"

static recorder plain = RECORDER_INIT, other = RECORDER_INIT;

enum { FRAMES = 30 };

/* Encodes `FRAMES` pictures without disturbance into `plain`. */
static void encode_undisturbed(void (*configure)(nalu_compression_session *)) {
    nalu_compression_session *session = make_session(record_result, &plain);
    configure(session);
    encode_pictures(session, FRAMES);
    CHECK_OK(complete_all(session));
    nalu_compression_session_release(session);
    check_all_encoded(&plain, FRAMES);
}

static void compare_and_clear(void) {
    check_same_bytes(&plain, &other);
    recorder_clear(&plain);
    recorder_clear(&other);
}

/* The memory of a wrapping buffer, with a count of its releases. */
typedef struct lent {
    uint8_t pixels[PICTURE_SIZE];
    int releases;
} lent;

static void count_release(void *refcon) { __atomic_add_fetch(&((lent *)refcon)->releases, 1, __ATOMIC_SEQ_CST); }

static nalu_pixel_buffer *wrap(lent *memory) {
    const void *planes[2] = {memory->pixels, memory->pixels + WIDTH * HEIGHT};
    const int64_t strides[2] = {WIDTH, WIDTH};
    nalu_pixel_buffer *buffer = NULL;
    REQUIRE_OK(nalu_pixel_buffer_create_with_planes(WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL,
                                                    count_release, memory, &buffer));
    return buffer;
}

static void scribble_and_record(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                                nalu_sample *sample) {
    lent *memory = (lent *)frame_refcon;
    memset(memory->pixels, 0xa5, sizeof memory->pixels);
    record_result(refcon, frame_refcon, status, flags, sample);
}

static void wrapped_pixels_may_be_overwritten_from_the_callback_on_with(void (*configure)(nalu_compression_session *)) {
    static lent memory[FRAMES];
    encode_undisturbed(configure);
    nalu_compression_session *session = make_session(scribble_and_record, &other);
    configure(session);
    for (unsigned i = 0; i < FRAMES; i++) {
        memory[i].releases = 0;
        draw_picture(memory[i].pixels, i);
        nalu_pixel_buffer *buffer = wrap(&memory[i]);
        CHECK_OK(nalu_compression_session_encode_frame(session, buffer, frame_time(i), nalu_time_invalid(), NULL,
                                                       &memory[i], NULL));
        nalu_pixel_buffer_release(buffer);
    }
    CHECK_OK(complete_all(session));
    for (unsigned i = 0; i < FRAMES; i++) CHECK_EQ(memory[i].releases, 1);
    nalu_compression_session_release(session);
    for (unsigned i = 0; i < FRAMES; i++) CHECK_EQ(memory[i].releases, 1);
    compare_and_clear();
}

static void wrapped_pixels_may_be_overwritten_from_the_callback_on(void) {
    wrapped_pixels_may_be_overwritten_from_the_callback_on_with(make_immediate);
}

static void wrapped_pixels_may_be_overwritten_from_the_callback_on_also_with_lookahead(void) {
    wrapped_pixels_may_be_overwritten_from_the_callback_on_with(make_reordering);
}

static void a_wrapping_buffer_is_released_once_also_when_its_frame_is_refused_or_dropped(void) {
    static gate blocked = GATE_INIT;
    static lent memory[6];
    nalu_compression_session *session = make_session(record_when_open, &blocked);
    make_immediate(session);
    int accepted = 0;
    for (unsigned i = 0; i < 6; i++) {
        nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
        options.flags = NALU_FRAME_DO_NOT_WAIT;
        draw_picture(memory[i].pixels, i);
        nalu_pixel_buffer *buffer = wrap(&memory[i]);
        nalu_status status = nalu_compression_session_encode_frame(session, buffer, frame_time(i), nalu_time_invalid(),
                                                                   &options, FRAME(i), NULL);
        if (status == NALU_STATUS_OK) accepted++;
        else CHECK_STATUS(status, NALU_STATUS_WOULD_BLOCK);
        if (i == 0) event_wait(&blocked.entered);
        nalu_pixel_buffer_release(buffer);
        if (status != NALU_STATUS_OK) CHECK_EQ(memory[i].releases, 1);
    }
    CHECK_EQ(accepted, 4);
    CHECK_STATUS(nalu_compression_session_encode_frame(session, NULL, frame_time(9), nalu_time_invalid(), NULL, NULL,
                                                       NULL), NALU_STATUS_PARAMETER);
    event_signal(&blocked.opened);
    CHECK_OK(nalu_compression_session_invalidate(session));
    for (unsigned i = 0; i < 6; i++) CHECK_EQ(__atomic_load_n(&memory[i].releases, __ATOMIC_SEQ_CST), 1);
    CHECK_EQ(blocked.results.count, 4);
    end_session(session, &blocked.results);
}

static void encode_planes_copies_with(void (*configure)(nalu_compression_session *)) {
    encode_undisturbed(configure);
    nalu_compression_session *session = make_session(record_result, &other);
    configure(session);
    uint8_t pixels[PICTURE_SIZE];
    for (unsigned i = 0; i < FRAMES; i++) {
        draw_picture(pixels, i);
        CHECK_OK(encode_pixels(session, pixels, frame_time(i), NULL, FRAME(i)));
        memset(pixels, (int)i, sizeof pixels);
    }
    CHECK_OK(complete_all(session));
    nalu_compression_session_release(session);
    compare_and_clear();
}

static void encode_planes_copies(void) {
    encode_planes_copies_with(make_immediate);
    encode_planes_copies_with(make_reordering);
}

/* Frames from the pool are encoded without a copy: the encoder reads the pool's own memory, as the
 * documentation states. */
static void frames_from_the_pool_are_encoded_without_a_copy(void) {
    static gate blocked = GATE_INIT;
    nalu_compression_session *session = make_session(record_when_open, &blocked);
    make_immediate(session);
    nalu_pixel_buffer_pool *pool = nalu_compression_session_get_pixel_buffer_pool(session);
    REQUIRE(pool != NULL);
    CHECK_PTR_EQ(nalu_compression_session_get_pixel_buffer_pool(session), pool);
    nalu_pixel_buffer *buffers[2];
    uint8_t *luma[2];
    for (int i = 0; i < 2; i++) {
        REQUIRE_OK(nalu_pixel_buffer_pool_create_pixel_buffer(pool, &buffers[i]));
        CHECK_EQ(nalu_pixel_buffer_get_width(buffers[i]), WIDTH);
        CHECK_EQ(nalu_pixel_buffer_get_height(buffers[i]), HEIGHT);
        CHECK_EQ(nalu_pixel_buffer_get_pixel_format(buffers[i]), NALU_PIXEL_FORMAT_420V);
        luma[i] = nalu_pixel_buffer_get_plane_base_address(buffers[i], 0);
        for (uint32_t plane = 0; plane < 2; plane++)
            memset(nalu_pixel_buffer_get_plane_base_address(buffers[i], plane), 128,
                   (size_t)nalu_pixel_buffer_get_plane_stride(buffers[i], plane) *
                       (size_t)nalu_pixel_buffer_get_plane_height(buffers[i], plane));
        CHECK_OK(nalu_compression_session_encode_frame(session, buffers[i], frame_time(i), nalu_time_invalid(), NULL,
                                                       FRAME(i), NULL));
        if (i == 0) event_wait(&blocked.entered);
    }
    /* Frame 1 waits for the callback of frame 0. So its sample must contain pixels drawn now. */
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            luma[1][y * nalu_pixel_buffer_get_plane_stride(buffers[1], 0) + x] = (uint8_t)(x * 37 ^ y * 91);
    event_signal(&blocked.opened);
    CHECK_OK(complete_all(session));
    size_t flat = 0, noisy = 0;
    nalu_sample_get_data(blocked.results.results[0].sample, &flat);
    nalu_sample_get_data(blocked.results.results[1].sample, &noisy);
    CHECK(noisy > 10 * 64 && noisy > flat);
    for (int i = 0; i < 2; i++) nalu_pixel_buffer_release(buffers[i]);
    recorder_clear(&blocked.results);
    CHECK_OK(nalu_compression_session_invalidate(session));
    CHECK(nalu_compression_session_get_pixel_buffer_pool(session) == NULL);
    nalu_compression_session_release(session);
}

static void a_retained_pool_outlives_its_session(void) {
    nalu_source_attributes source = NALU_SOURCE_ATTRIBUTES_INIT;
    source.pixel_format = NALU_PIXEL_FORMAT_BGRA;
    nalu_compression_session *session = NULL;
    REQUIRE_OK(nalu_compression_session_create(33, 17, NALU_CODEC_H264, NULL, &source, record_result, &other, NULL,
                                               &session));
    nalu_pixel_buffer_pool *pool =
        nalu_pixel_buffer_pool_retain(nalu_compression_session_get_pixel_buffer_pool(session));
    nalu_compression_session_release(session);
    nalu_pixel_buffer *buffer = NULL;
    REQUIRE_OK(nalu_pixel_buffer_pool_create_pixel_buffer(pool, &buffer));
    nalu_pixel_buffer_pool_release(pool);
    CHECK_EQ(nalu_pixel_buffer_get_width(buffer), 33);
    CHECK_EQ(nalu_pixel_buffer_get_height(buffer), 17);
    CHECK_EQ(nalu_pixel_buffer_get_pixel_format(buffer), NALU_PIXEL_FORMAT_BGRA);
    memset(nalu_pixel_buffer_get_plane_base_address(buffer, 0), 1, 33 * 4);
    nalu_pixel_buffer_release(buffer);
}

/* Encodes a grey frame of any format and size. Its chroma is undefined, because only the size matters. */
static nalu_status encode_grey(nalu_compression_session *session, int32_t width, int32_t height,
                               nalu_pixel_format format, int64_t number) {
    nalu_pixel_buffer *buffer = NULL;
    REQUIRE_OK(nalu_pixel_buffer_create(width, height, format, &buffer));
    for (uint32_t plane = 0; plane < nalu_pixel_buffer_get_plane_count(buffer); plane++)
        memset(nalu_pixel_buffer_get_plane_base_address(buffer, plane), 128,
               (size_t)nalu_pixel_buffer_get_plane_stride(buffer, plane) *
                   (size_t)nalu_pixel_buffer_get_plane_height(buffer, plane));
    nalu_status status = nalu_compression_session_encode_frame(session, buffer, frame_time(number),
                                                               nalu_time_invalid(), NULL, FRAME(number), NULL);
    nalu_pixel_buffer_release(buffer);
    return status;
}

static void the_pixel_format_may_change_from_frame_to_frame(void) {
    const nalu_pixel_format formats[] = {
        NALU_PIXEL_FORMAT_420V, NALU_PIXEL_FORMAT_BGRA, NALU_PIXEL_FORMAT_420F, NALU_PIXEL_FORMAT_Y420,
        NALU_PIXEL_FORMAT_F420, NALU_PIXEL_FORMAT_RGBA, NALU_PIXEL_FORMAT_ARGB, NALU_PIXEL_FORMAT_ABGR,
        NALU_PIXEL_FORMAT_24RGB, NALU_PIXEL_FORMAT_24BGR, NALU_PIXEL_FORMAT_2VUY, NALU_PIXEL_FORMAT_YUVS,
        NALU_PIXEL_FORMAT_L008};
    const size_t count = sizeof formats / sizeof formats[0];
    nalu_compression_session *session = make_session(record_result, &other);
    for (size_t i = 0; i < 3 * count; i++)
        CHECK_OK(encode_grey(session, WIDTH, HEIGHT, formats[i % count], (int64_t)i));
    complete_and_check(session, &other, 3 * count);
    for (size_t i = 1; i < other.count; i++)
        CHECK_PTR_EQ(nalu_sample_get_format_description(other.results[i].sample),
                     nalu_sample_get_format_description(other.results[0].sample));
    end_session(session, &other);
}

static void frames_of_another_size_are_scaled_or_refused(void) {
    const int32_t sizes[][2] = {{1, 1}, {WIDTH + 1, HEIGHT}, {2 * WIDTH, 2 * HEIGHT}, {17, 300}, {640, 2}};
    const int64_t count = sizeof sizes / sizeof sizes[0];
    nalu_compression_session *session = make_session(record_result, &other);
    make_immediate(session);
    for (int64_t i = 0; i < count; i++)
        CHECK_OK(encode_grey(session, sizes[i][0], sizes[i][1], NALU_PIXEL_FORMAT_420V, i));
    CHECK_OK(nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_SCALING, 0));
    for (int64_t i = 0; i < count; i++)
        CHECK_STATUS(encode_grey(session, sizes[i][0], sizes[i][1], NALU_PIXEL_FORMAT_BGRA, count),
                     NALU_STATUS_INVALID_SIZE);
    CHECK_OK(encode_grey(session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_BGRA, count));
    complete_and_check(session, &other, (size_t)count + 1);
    end_session(session, &other);
}

static void an_odd_size_is_encoded_in_the_next_even_one(void) {
    const int32_t sizes[][2] = {{17, 16}, {16, 17}, {33, 31}, {1919, 17}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        nalu_compression_session *session = NULL;
        REQUIRE_OK(nalu_compression_session_create(sizes[i][0], sizes[i][1], NALU_CODEC_H264, NULL, NULL,
                                                   record_result, &other, NULL, &session));
        make_immediate(session);
        CHECK_OK(nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_SCALING, 0));
        CHECK_OK(encode_grey(session, sizes[i][0], sizes[i][1], NALU_PIXEL_FORMAT_Y420, 0));
        CHECK_OK(encode_grey(session, sizes[i][0], sizes[i][1], NALU_PIXEL_FORMAT_BGRA, 1));
        complete_and_check(session, &other, 2);
        nalu_format_description *format = nalu_sample_get_format_description(other.results[0].sample);
        CHECK_EQ(nalu_format_description_get_width(format), (sizes[i][0] + 1) / 2 * 2);
        CHECK_EQ(nalu_format_description_get_height(format), (sizes[i][1] + 1) / 2 * 2);
        end_session(session, &other);
    }
}

int main(void) {
    RUN(wrapped_pixels_may_be_overwritten_from_the_callback_on);
    RUN(wrapped_pixels_may_be_overwritten_from_the_callback_on_also_with_lookahead);
    RUN(a_wrapping_buffer_is_released_once_also_when_its_frame_is_refused_or_dropped);
    RUN(encode_planes_copies);
    RUN(frames_from_the_pool_are_encoded_without_a_copy);
    RUN(a_retained_pool_outlives_its_session);
    RUN(the_pixel_format_may_change_from_frame_to_frame);
    RUN(frames_of_another_size_are_scaled_or_refused);
    RUN(an_odd_size_is_encoded_in_the_next_even_one);
    return check_result();
}
