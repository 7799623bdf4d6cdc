/* A table of pixel formats: their planes, and the kind and range of their components. */
#ifndef NALU_VT_PIXEL_FORMATS_H
#define NALU_VT_PIXEL_FORMATS_H

#include <CoreVideo/CVPixelBuffer.h>
#include <stdbool.h>
#include <stddef.h>

enum { NALU_FORMAT_PLANES = 3 };

/* One plane. `horizontal` and `vertical` are the columns and rows that share a sample. A block is the smallest group of
 * samples that fills whole bytes. */
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
    const char *name; /* the format's name without kCVPixelFormatType_ */
    uint16_t flags;
    uint8_t component_bits;
    uint8_t plane_count;
    nalu_format_plane planes[NALU_FORMAT_PLANES];
    const char *black; /* hexadecimal digits of each plane's black block, separated by spaces; NULL for zeros */
} nalu_format;

/* Returns NULL for an unknown format and for compressed formats. */
const nalu_format *nalu_format_find(OSType type);

/* Returns the format at `index`, counted from 0, or NULL after the last. */
const nalu_format *nalu_format_at(size_t index);

/* Returns true if libnalu can encode pictures of this format. */
bool nalu_format_is_encodable(OSType type);

/* Return the width and height of a plane in samples, and the bytes of its rows without padding. `columns` and `rows`
 * are the image's size in pixels. */
size_t nalu_format_plane_width(const nalu_format_plane *plane, size_t columns);
size_t nalu_format_plane_height(const nalu_format_plane *plane, size_t rows);
size_t nalu_format_row_bytes(const nalu_format_plane *plane, size_t columns);

#endif
