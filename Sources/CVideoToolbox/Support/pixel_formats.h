/* What is known of each pixel format: its planes, and what its components are. */
#ifndef NALU_VT_PIXEL_FORMATS_H
#define NALU_VT_PIXEL_FORMATS_H

#include <CoreVideo/CVPixelBuffer.h>
#include <stdbool.h>
#include <stddef.h>

enum { NALU_FORMAT_PLANES = 3 };

/* One plane: columns and rows for each sample, and the smallest group of samples with whole bytes of its own. */
typedef struct nalu_format_plane {
    uint8_t horizontal;
    uint8_t vertical;
    uint8_t block_width;
    uint8_t block_bytes;
} nalu_format_plane;

enum {
    NALU_FORMAT_RGB = 1u << 0,
    NALU_FORMAT_YCBCR = 1u << 1,
    NALU_FORMAT_GRAY = 1u << 2,
    NALU_FORMAT_ALPHA = 1u << 3,
    NALU_FORMAT_SENSOR = 1u << 4,
    NALU_FORMAT_VIDEO_RANGE = 1u << 5,
    NALU_FORMAT_FULL_RANGE = 1u << 6,
    NALU_FORMAT_WIDE_RANGE = 1u << 7,
};

typedef struct nalu_format {
    OSType type;
    const char *name; /* what follows kCVPixelFormatType_ */
    uint16_t flags;
    uint8_t component_bits;
    uint8_t plane_count;
    nalu_format_plane planes[NALU_FORMAT_PLANES];
    const char *black; /* hexadecimal digits of the planes' black blocks, separated by spaces; NULL for zeros */
} nalu_format;

/* NULL for an unknown format, and for the compressed ones. */
const nalu_format *nalu_format_find(OSType type);

/* The formats, `index` from 0; NULL after the last. */
const nalu_format *nalu_format_at(size_t index);

/* Whether libnalu reads the format. */
bool nalu_format_is_encodable(OSType type);

/* Samples of a plane, and the bytes of its rows without padding, for an image of that many columns or rows. */
size_t nalu_format_plane_width(const nalu_format_plane *plane, size_t columns);
size_t nalu_format_plane_height(const nalu_format_plane *plane, size_t rows);
size_t nalu_format_row_bytes(const nalu_format_plane *plane, size_t columns);

#endif
