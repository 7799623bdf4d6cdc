#include "clip.h"

void clip_take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    clip *c = (clip *)refcon;
    (void)frame, (void)flags, (void)status;
    if (sample && c->count < CLIP_MOST) c->samples[c->count++] = nalu_sample_retain(sample);
    else c->failures++;
}

/* Opens a session for a codec with the encoder of that identifier; NULL for the first one of the codec. */
static void clip_open_codec_with(clip *c, int32_t width, int32_t height, nalu_four_char_code codec,
                                 const char *encoder) {
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    specification.encoder_id = encoder;
    memset(c, 0, sizeof *c);
    c->width = width, c->height = height, c->format = NALU_PIXEL_FORMAT_420V, c->noise = 24;
    c->pixels = (uint8_t *)malloc((size_t)(width + 1) * (size_t)(height + 1) * 2);
    REQUIRE(c->pixels);
    REQUIRE_OK(nalu_compression_session_create(width, height, codec, &specification, NULL, clip_take, c, NULL, &c->session));
}

void clip_open_with(clip *c, int32_t width, int32_t height, const char *encoder) {
    clip_open_codec_with(c, width, height, NALU_CODEC_H264, encoder);
}

void clip_open_codec(clip *c, int32_t width, int32_t height, nalu_four_char_code codec) {
    clip_open_codec_with(c, width, height, codec, NULL);
}

void clip_open(clip *c, int32_t width, int32_t height) {
    clip_open_codec_with(c, width, height, tested()->codec, tested()->id);
}

void clip_draw(clip *c) {
    uint32_t random = 12345u + (uint32_t)c->fed * 7919u;
    uint8_t *p = c->pixels;
    for (int32_t y = 0; y < c->height; y++)
        for (int32_t x = 0; x < c->width; x++) {
            random = random * 1664525u + 1013904223u;
            *p++ = (uint8_t)(40 + (((x - c->fed) * 3 + y * 2) & 127) + (int32_t)(random >> 24) * c->noise / 512);
        }
    memset(p, 128, (size_t)((c->width + 1) / 2 * 2) * (size_t)((c->height + 1) / 2));
}

nalu_status clip_encode_with(clip *c, nalu_time time, nalu_time duration, const nalu_frame_options *options) {
    const void *planes[2] = {c->pixels, c->pixels + (size_t)c->width * (size_t)c->height};
    const int64_t strides[2] = {c->width, (c->width + 1) / 2 * 2};
    clip_draw(c);
    nalu_status status = nalu_compression_session_encode_planes(c->session, c->width, c->height, c->format, 2, planes,
        strides, NULL, time, duration, options, NULL, NULL);
    if (status == NALU_STATUS_OK) c->fed++;
    return status;
}

nalu_status clip_encode_at(clip *c, nalu_time time, nalu_time duration, uint32_t flags) {
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.flags = flags;
    return clip_encode_with(c, time, duration, &options);
}

nalu_status clip_encode_ltr(clip *c, uint32_t flags, const int64_t *tokens, uint32_t count) {
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.flags = flags;
    options.acknowledged_ltr_tokens = tokens;
    options.acknowledged_ltr_token_count = count;
    return clip_encode_with(c, nalu_time_make(c->fed, 30), nalu_time_make(1, 30), &options);
}

void clip_encode(clip *c, int32_t frames) {
    for (int32_t i = 0; i < frames; i++)
        REQUIRE_OK(clip_encode_at(c, nalu_time_make(c->fed, 30), nalu_time_make(1, 30), 0));
}

void clip_finish(clip *c) {
    REQUIRE_OK(nalu_compression_session_complete_frames(c->session, nalu_time_invalid()));
    CHECK_EQ(c->failures, 0);
    REQUIRE(CHECK_EQ(c->count, c->fed));
}

void clip_encode_all(clip *c, int32_t frames) {
    clip_encode(c, frames);
    clip_finish(c);
}

void clip_close(clip *c) {
    nalu_compression_session_release(c->session);
    for (int32_t i = 0; i < c->count; i++) nalu_sample_release(c->samples[i]);
    free(c->pixels);
}

nalu_sequence_info clip_info(const clip *c) {
    nalu_sequence_info info = {.struct_size = sizeof info};
    REQUIRE(c->count > 0);
    REQUIRE_OK(nalu_format_description_get_sequence_info(nalu_sample_get_format_description(c->samples[0]), &info));
    return info;
}

size_t clip_bytes(const clip *c) {
    size_t all = 0;
    for (int32_t i = 0; i < c->count; i++) {
        size_t size = 0;
        (void)nalu_sample_get_data(c->samples[i], &size);
        all += size;
    }
    return all;
}

uint32_t bits_ue(const uint8_t *bytes, size_t size, size_t *bit) {
    uint32_t zeros = 0, value = 0;
    while (*bit < size * 8 && !(bytes[*bit / 8] >> (7 - *bit % 8) & 1)) zeros++, (*bit)++;
    for (uint32_t i = 0; i <= zeros && *bit < size * 8; i++, (*bit)++)
        value = value << 1 | (uint32_t)(bytes[*bit / 8] >> (7 - *bit % 8) & 1);
    return value - 1;
}

int nal_is_slice(const uint8_t *nal) {
    return (nal[0] & 31) == NALU_NAL_SLICE || (nal[0] & 31) == NALU_NAL_SLICE_IDR;
}

int sample_slices(const nalu_sample *sample) {
    int slices = 0;
    size_t size = 0;
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++)
        slices += nal_is_slice(nalu_sample_get_nal(sample, i, &size));
    return slices;
}

int sample_slice_type(const nalu_sample *sample) {
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        size_t size = 0, bit = 8;
        const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
        if (!nal_is_slice(nal)) continue;
        (void)bits_ue(nal, size, &bit);
        return (int)(bits_ue(nal, size, &bit) % 5);
    }
    return -1;
}

int hevc_slice_type(const nalu_sample *sample) {
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        const int type = nalu_sample_get_nal(sample, i, NULL)[0] >> 1 & 63;
        if (type < 32) return type;
    }
    return -1;
}

void check_same_samples(const clip *a, const clip *b) {
    REQUIRE(CHECK_EQ(a->count, b->count));
    for (int32_t i = 0; i < a->count; i++) {
        size_t size_a = 0, size_b = 0;
        const uint8_t *bytes_a = nalu_sample_get_data(a->samples[i], &size_a);
        const uint8_t *bytes_b = nalu_sample_get_data(b->samples[i], &size_b);
        if (CHECK_EQ(size_a, size_b)) CHECK_BYTES(bytes_a, bytes_b, size_a);
    }
}

int clip_uses_cabac(const clip *c) {
    const nalu_format_description *format = nalu_sample_get_format_description(c->samples[0]);
    for (uint32_t i = 0; i < nalu_format_description_get_parameter_set_count(format); i++) {
        size_t size = 0, bit = 8;
        const uint8_t *set = nalu_format_description_get_parameter_set(format, i, &size);
        if ((set[0] & 31) != NALU_NAL_PPS) continue;
        (void)bits_ue(set, size, &bit);
        (void)bits_ue(set, size, &bit);
        return set[bit / 8] >> (7 - bit % 8) & 1;
    }
    return -1;
}
