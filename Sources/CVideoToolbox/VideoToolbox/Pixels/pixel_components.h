/* The positions of the components in a pixel, and rows of components as numbers. Luma, colour and alpha range from 0 to
 * 1, chroma from -0.5 to 0.5. Values beyond the range are kept if the format can store them. */
#ifndef NALU_VT_PIXEL_COMPONENTS_H
#define NALU_VT_PIXEL_COMPONENTS_H

#include "../../Support/pixel_formats.h"

enum { NALU_COMPONENTS = 4 };

typedef enum nalu_storage {
    NALU_STORAGE_NONE,
    NALU_STORAGE_8,
    NALU_STORAGE_LITTLE_16,
    NALU_STORAGE_BIG_16,
    NALU_STORAGE_LITTLE_32,
    NALU_STORAGE_BIG_32,
    NALU_STORAGE_THREE_IN_32, /* three samples of 10 bits in each little-endian word; the lowest bits are the first */
    NALU_STORAGE_HALF,
    NALU_STORAGE_FLOAT,
} nalu_storage;

typedef struct nalu_component {
    uint8_t storage;
    uint8_t plane;
    uint8_t offset; /* bytes to the first sample; samples for NALU_STORAGE_THREE_IN_32 */
    uint8_t step;   /* bytes from sample to sample, or samples as for `offset` */
    uint8_t shift;  /* the position of the value's lowest bit in its word */
    uint8_t bits;
    uint8_t horizontal; /* the columns that share a sample; `vertical`: the rows */
    uint8_t vertical;
    float zero; /* the stored value for 0; `range`: how much larger that for 1 is */
    float range;
} nalu_component;

/* The components of a format: R, G, B, alpha; or Y, Cb, Cr, alpha; or gray (as Y) and alpha. */
typedef struct nalu_components {
    const nalu_format *format;
    bool rgb;
    uint8_t horizontal; /* the largest value of the components; the same for `vertical` */
    uint8_t vertical;
    nalu_component each[NALU_COMPONENTS];
} nalu_components;

/* Returns false for formats without such components: indexed colours, sensor data, depth. */
bool nalu_components_of(const nalu_format *format, nalu_components *components_out);

/* Read or write `count` samples of a row. A write leaves the bits of other components unchanged. Its own bits must be 0
 * before. */
void nalu_component_read(const nalu_component *component, const uint8_t *row, size_t count, float *values);
void nalu_component_write(const nalu_component *component, uint8_t *row, size_t count, const float *values);

#endif
