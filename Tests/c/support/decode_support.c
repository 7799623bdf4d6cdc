#include "decode_support.h"

size_t stream_samples(const char *path, nalu_sample **samples, size_t room) {
    size_t size = 0, count = 0;
    uint8_t *bytes = media_read_file(path, &size);
    nalu_stream_parser *parser = NULL;
    REQUIRE_OK(nalu_stream_parser_create(strstr(path, "265") ? NALU_CODEC_HEVC : NALU_CODEC_H264, NULL, &parser));
    REQUIRE_OK(nalu_stream_parser_push(parser, bytes, size, nalu_time_invalid()));
    REQUIRE_OK(nalu_stream_parser_finish(parser));
    for (nalu_sample *sample; nalu_stream_parser_next(parser, &sample) == NALU_STATUS_OK && sample;) {
        REQUIRE(count < room);
        samples[count++] = sample;
    }
    nalu_stream_parser_release(parser);
    free(bytes);
    return count;
}

void record_decoded(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                    nalu_pixel_buffer *image, nalu_time time, nalu_time duration) {
    decode_recorder *all = (decode_recorder *)refcon;
    CHECK_EQ(__atomic_add_fetch(&all->inside, 1, __ATOMIC_SEQ_CST), 1);
    if (image) {
        CHECK_STATUS(status, NALU_STATUS_OK);
        CHECK((flags & NALU_DECODE_INFO_FRAME_DROPPED) == 0);
        CHECK_PTR_EQ(nalu_pixel_buffer_retain(image), image);
    } else {
        CHECK((flags & NALU_DECODE_INFO_FRAME_DROPPED) || status != NALU_STATUS_OK);
        CHECK((flags & NALU_DECODE_INFO_DAMAGED) == 0);
    }
    pthread_mutex_lock(&all->mutex);
    REQUIRE(all->count < RECORDER_CAPACITY);
    all->results[all->count++] = (decoded){status, flags, image, frame_refcon, time, duration, pthread_self()};
    pthread_mutex_unlock(&all->mutex);
    __atomic_sub_fetch(&all->inside, 1, __ATOMIC_SEQ_CST);
}

size_t decoded_count(decode_recorder *all) {
    pthread_mutex_lock(&all->mutex);
    size_t count = all->count;
    pthread_mutex_unlock(&all->mutex);
    return count;
}

void decoded_clear(decode_recorder *all) {
    for (size_t i = 0; i < all->count; i++) nalu_pixel_buffer_release(all->results[i].image);
    all->count = 0;
}

size_t check_each_once(decode_recorder *all, size_t samples) {
    size_t times[RECORDER_CAPACITY] = {0}, images = 0;
    CHECK_EQ(all->count, samples);
    for (size_t i = 0; i < all->count; i++) {
        size_t number = FRAME_NUMBER(all->results[i].frame_refcon);
        if (CHECK(number < samples)) times[number]++;
        images += all->results[i].image != NULL;
    }
    for (size_t i = 0; i < samples; i++) CHECK_EQ(times[i], 1);
    return images;
}

void check_output_order(decode_recorder *all) {
    const decoded *before = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const decoded *it = &all->results[i];
        if (!it->image) continue;
        if (before) CHECK(nalu_time_compare(before->time, it->time) < 0);
        before = it;
    }
}

void check_all_decoded(decode_recorder *all, size_t samples) {
    CHECK_EQ(check_each_once(all, samples), samples);
    check_output_order(all);
    for (size_t i = 0; i < all->count; i++) CHECK_EQ(all->results[i].flags & NALU_DECODE_INFO_DAMAGED, 0);
}

bool has_words(nalu_pixel_format format) {
    static const nalu_pixel_format words[] = {
        NALU_PIXEL_FORMAT_X420, NALU_PIXEL_FORMAT_XF20, NALU_PIXEL_FORMAT_X422, NALU_PIXEL_FORMAT_XF22, NALU_PIXEL_FORMAT_X444,
        NALU_PIXEL_FORMAT_XF44, NALU_PIXEL_FORMAT_SV20, NALU_PIXEL_FORMAT_SF20, NALU_PIXEL_FORMAT_SV22, NALU_PIXEL_FORMAT_SF22,
        NALU_PIXEL_FORMAT_SV44, NALU_PIXEL_FORMAT_SF44};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (format == words[i]) return true;
    return false;
}

/* The rows of a plane's pixels. */
typedef struct rows {
    const uint8_t *first;
    int64_t stride;
    size_t size; /* of one row, in bytes */
    size_t count;
} rows;

static rows rows_of(const nalu_pixel_buffer *image, uint32_t plane) {
    const nalu_pixel_format format = nalu_pixel_buffer_get_pixel_format(image);
    size_t row = (size_t)nalu_pixel_buffer_get_plane_width(image, plane);
    if (nalu_pixel_buffer_get_plane_count(image) == 2 && plane == 1) row *= 2;
    if (has_words(format)) row *= 2;
    if (format == NALU_PIXEL_FORMAT_BGRA || format == NALU_PIXEL_FORMAT_RGBA || format == NALU_PIXEL_FORMAT_ARGB ||
        format == NALU_PIXEL_FORMAT_ABGR)
        row *= 4;
    if (format == NALU_PIXEL_FORMAT_24RGB || format == NALU_PIXEL_FORMAT_24BGR) row *= 3;
    return (rows){(const uint8_t *)nalu_pixel_buffer_get_plane_base_address(image, plane),
                  nalu_pixel_buffer_get_plane_stride(image, plane), row,
                  (size_t)nalu_pixel_buffer_get_plane_height(image, plane)};
}

uint8_t *image_bytes(const nalu_pixel_buffer *image, size_t *size_out) {
    size_t size = 0;
    const uint32_t planes = nalu_pixel_buffer_get_plane_count(image);
    for (uint32_t plane = 0; plane < planes; plane++) size += rows_of(image, plane).size * rows_of(image, plane).count;
    uint8_t *bytes = (uint8_t *)malloc(size + 1), *to = bytes;
    REQUIRE(bytes);
    for (uint32_t plane = 0; plane < planes; plane++) {
        const rows all = rows_of(image, plane);
        for (size_t y = 0; y < all.count; y++, to += all.size) memcpy(to, all.first + (int64_t)y * all.stride, all.size);
    }
    *size_out = size;
    return bytes;
}

bool same_image(const nalu_pixel_buffer *a, const nalu_pixel_buffer *b) {
    const uint32_t planes = nalu_pixel_buffer_get_plane_count(a);
    if (nalu_pixel_buffer_get_plane_count(b) != planes) return false;
    for (uint32_t plane = 0; plane < planes; plane++) {
        const rows x = rows_of(a, plane), y = rows_of(b, plane);
        if (x.size != y.size || x.count != y.count) return false;
        for (size_t i = 0; i < x.count; i++)
            if (memcmp(x.first + (int64_t)i * x.stride, y.first + (int64_t)i * y.stride, x.size) != 0) return false;
    }
    return true;
}

void check_images(const decode_recorder *all, const uint8_t *bytes, size_t size) {
    size_t at = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t count = 0;
        uint8_t *image = image_bytes(all->results[i].image, &count);
        if (CHECK(at + count <= size)) CHECK_BYTES(image, bytes + at, count);
        at += count;
        free(image);
    }
    CHECK_EQ(at, size);
}

void make_clip(clip *c, int32_t frames, bool reorders) {
    if (reorders) {
        media_open(c, WIDTH, HEIGHT);
    } else {
        clip_open(c, WIDTH, HEIGHT);
        REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
        REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, "threads=1:scenecut=0"));
        REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 10));
    }
    clip_encode(c, frames);
    clip_finish(c);
}

nalu_format_description *clip_format(const clip *c) {
    return nalu_sample_get_format_description(c->samples[0]);
}

nalu_decompression_session *make_decoder_with(nalu_format_description *format, uint32_t flags,
                                              int32_t threads, nalu_decompression_output_callback callback,
                                              void *refcon) {
    nalu_decompression_session *session = NULL;
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    specification.flags = flags;
    specification.thread_count = threads;
    REQUIRE_OK(nalu_decompression_session_create(format, &specification, NULL, callback, refcon, NULL, &session));
    return session;
}

nalu_decompression_session *make_decoder(const clip *c, nalu_decompression_output_callback callback, void *refcon) {
    return make_decoder_with(clip_format(c), 0, 1, callback, refcon);
}

void end_decoder(nalu_decompression_session *session, decode_recorder *all) {
    nalu_decompression_session_release(session);
    decoded_clear(all);
}

nalu_status decode_sample(nalu_decompression_session *session, const clip *c, size_t number, uint32_t flags) {
    return nalu_decompression_session_decode_frame(session, c->samples[number], flags, FRAME(number), NULL);
}

void decode_all(nalu_decompression_session *session, const clip *c, uint32_t flags) {
    for (int32_t i = 0; i < c->count; i++) CHECK_OK(decode_sample(session, c, (size_t)i, flags));
}

nalu_status wait_all(nalu_decompression_session *session) {
    return nalu_decompression_session_wait_for_asynchronous_frames(session);
}

void wait_and_check(nalu_decompression_session *session, decode_recorder *all, size_t samples) {
    CHECK_OK(wait_all(session));
    check_all_decoded(all, samples);
}

void record_decoded_when_open(void *refcon, void *frame_refcon, nalu_status status,
                              nalu_decode_info_flags flags, nalu_pixel_buffer *image, nalu_time time,
                              nalu_time duration) {
    decode_gate *it = (decode_gate *)refcon;
    event_signal(&it->entered);
    event_wait(&it->opened);
    record_decoded(&it->results, frame_refcon, status, flags, image, time, duration);
}
