/*
 * OpenH264's encoder, which is loaded at its first use. The interface hides OpenH264's structs, and
 * returns pictures in the form of samples.
 */
#ifndef NALU_COPENH264_OPENH264_H
#define NALU_COPENH264_OPENH264_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The range of frame rates. OpenH264 silently changes a rate outside it. */
#define NALU_OPENH264_MIN_FRAME_RATE 1
#define NALU_OPENH264_MAX_FRAME_RATE 60
/* The highest bit rate in bits per second. OpenH264 computes with 32-bit integers. */
#define NALU_OPENH264_MAX_BIT_RATE 288000000

/* An encoder. Its owner calls it from one thread at a time. */
typedef struct nalu_openh264 nalu_openh264;

/* The settings that can change while an encoder runs. */
typedef struct nalu_openh264_rate {
    int32_t bits_per_second; /* 0: each frame is encoded with qp */
    int32_t qp;              /* 0 to 51 */
    int32_t complexity;      /* the thoroughness of the analysis, 0 or 1 */
} nalu_openh264_rate;

typedef struct nalu_openh264_settings {
    int32_t width, height; /* even, at least 16 */
    nalu_openh264_rate rate;
    int32_t min_qp, max_qp;
    float frames_per_second;
    int32_t profile_idc;
    int32_t temporal_layers; /* 1 or 2 */
    int32_t sar_width, sar_height; /* 0: not stated */
    uint8_t primaries, transfer, matrix; /* codes of ITU-T H.273 */
    bool is_full_range, uses_cabac;
    bool has_slices; /* whether a large picture may have several slices */
} nalu_openh264_settings;

typedef enum nalu_openh264_kind {
    NALU_OPENH264_SKIPPED, /* OpenH264 has left out the frame */
    NALU_OPENH264_IDR,
    NALU_OPENH264_I,
    NALU_OPENH264_P,
} nalu_openh264_kind;

/* A frame in planes of 8 bits, 4:2:0. */
typedef struct nalu_openh264_frame {
    const uint8_t *planes[3];
    int32_t strides[3];
    int64_t milliseconds; /* must increase */
    bool is_key_frame;
} nalu_openh264_frame;

typedef struct nalu_openh264_picture {
    nalu_openh264_kind kind;
    bool is_reference;
    const uint8_t *data; /* NAL units with 4-byte length prefixes, without parameter sets */
    size_t size;
} nalu_openh264_picture;

/* Loads the library. Returns 0, or -1 with a message that names the missing library and its package. */
int32_t nalu_openh264_load(char *message, size_t capacity);

/* The version of the loaded library, for example 2.3.1. */
void nalu_openh264_version(int32_t version[3]);

/* Loads the library and opens an encoder. Returns NULL with a message. */
nalu_openh264 *nalu_openh264_open(const nalu_openh264_settings *settings, char *message, size_t capacity);
void nalu_openh264_close(nalu_openh264 *it);

/* Returns the parameter sets in the form of a picture's data. They are valid until the next call. Returns 0, or -1. */
int32_t nalu_openh264_parameter_sets(nalu_openh264 *it, const uint8_t **data, size_t *size);

/* Changes the rate from the next frame on. It cannot change from or to 0 bits per second. Returns 0, or -1. */
int32_t nalu_openh264_set_rate(nalu_openh264 *it, const nalu_openh264_rate *rate);

/* Returns the mean difference of neighbouring samples, horizontally and vertically, 0 to 255. It bounds the
 * size of the picture. */
double nalu_openh264_detail(const nalu_openh264_frame *frame, int32_t width, int32_t height);

/* Encodes a frame, whose picture must fit into the buffer: otherwise OpenH264 fails in CAVLC, and writes beyond
 * the buffer in CABAC. The buffer has 12 bits for a pixel, or 8 bits without slices. The picture's data are valid
 * until the next call. Returns 0, or -1; the encoder must then be closed. */
int32_t nalu_openh264_encode(nalu_openh264 *it, const nalu_openh264_frame *frame, nalu_openh264_picture *picture);

/* Returns OpenH264's first error message of the last call, or an empty string. */
const char *nalu_openh264_error(const nalu_openh264 *it);

#endif
