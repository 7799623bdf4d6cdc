/*
 * A session that keeps its samples, and moving pictures as its input. One test thread uses a clip. Its samples
 * may be read after clip_finish.
 *
 *     clip c;
 *     clip_open(&c, 64, 48);
 *     REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 5));
 *     clip_encode(&c, 20);
 *     clip_finish(&c);
 *     CHECK(nalu_sample_is_key_frame(c.samples[5]));
 *     clip_close(&c);
 */
#ifndef NALU_TESTS_CLIP_H
#define NALU_TESTS_CLIP_H

#include "tested_encoder.h"

enum { CLIP_MOST = 1024 };

typedef struct clip {
    nalu_compression_session *session;
    int32_t width, height;
    nalu_pixel_format format; /* '420v' or '420f' */
    int32_t noise;            /* amplitude of the random part of each pixel, 0 to 255 */
    int32_t fed;              /* frames passed to the session */
    int32_t count;            /* samples delivered so far */
    int32_t failures;         /* callbacks without a sample */
    uint8_t *pixels;
    nalu_sample *samples[CLIP_MOST];
} clip;

void clip_take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample);
void clip_open_with(clip *c, int32_t width, int32_t height, const char *encoder);
void clip_open_codec(clip *c, int32_t width, int32_t height, nalu_four_char_code codec);

/* Opens a session with the encoder under test. */
void clip_open(clip *c, int32_t width, int32_t height);

/* Draws a gradient that moves to the right, with some noise. */
void clip_draw(clip *c);
nalu_status clip_encode_with(clip *c, nalu_time time, nalu_time duration, const nalu_frame_options *options);
nalu_status clip_encode_at(clip *c, nalu_time time, nalu_time duration, uint32_t flags);

/* Encodes a frame at 30 frames per second, after the receiver has acknowledged `count` long-term references. */
nalu_status clip_encode_ltr(clip *c, uint32_t flags, const int64_t *tokens, uint32_t count);

/* Encodes `frames` frames at 30 frames per second. Any failure ends the test. */
void clip_encode(clip *c, int32_t frames);

/* Waits for all frames and checks that each of them has become a sample. */
void clip_finish(clip *c);

/* Encodes `frames` frames as clip_encode does, and finishes the clip. */
void clip_encode_all(clip *c, int32_t frames);

void clip_close(clip *c);

/* Returns the information in the stream's SPS. */
nalu_sequence_info clip_info(const clip *c);

/* Returns the number of bytes of all samples. */
size_t clip_bytes(const clip *c);

/* ---- Reading bits: ITU-T H.264 9.1. Only for the first fields of a NAL unit, before any emulation prevention byte. ---- */

uint32_t bits_ue(const uint8_t *bytes, size_t size, size_t *bit);
int nal_is_slice(const uint8_t *nal);

/* Returns the number of slices in the sample. */
int sample_slices(const nalu_sample *sample);

/* Returns slice_type of the first slice, modulo 5: 0 P, 1 B, 2 I. Returns -1 without a slice. */
int sample_slice_type(const nalu_sample *sample);

/* Returns the NAL unit type of an H.265 sample's slices; -1 without a slice. */
int hevc_slice_type(const nalu_sample *sample);

/* Checks that two clips have the same number of samples, with the same bytes. */
void check_same_samples(const clip *a, const clip *b);

/* Returns entropy_coding_mode_flag of the first PPS: 1 for CABAC, 0 for CAVLC. */
int clip_uses_cabac(const clip *c);

#endif
