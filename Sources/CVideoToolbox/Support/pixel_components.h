/* Where the components of a pixel lie, and rows of them as numbers: luma, colour and alpha from 0 to 1, chroma from -0.5
 * to 0.5. What is wider than its range is kept where the format can store it. */
#ifndef NALU_VT_PIXEL_COMPONENTS_H
#define NALU_VT_PIXEL_COMPONENTS_H

#include "pixel_formats.h"

enum { NALU_COMPONENTS = 4 };

typedef enum nalu_storage {
    NALU_STORAGE_NONE,
    NALU_STORAGE_8,
    NALU_STORAGE_LITTLE_16,
    NALU_STORAGE_BIG_16,
    NALU_STORAGE_LITTLE_32,
    NALU_STORAGE_BIG_32,
    NALU_STORAGE_HALF,
    NALU_STORAGE_FLOAT,
} nalu_storage;

typedef struct nalu_component {
    uint8_t storage;
    uint8_t plane;
    uint8_t offset; /* bytes to the first sample */
    uint8_t step;   /* bytes from sample to sample */
    uint8_t shift;  /* the value's lowest bit in its word */
    uint8_t bits;
    uint8_t horizontal; /* columns and rows for each sample */
    uint8_t vertical;
    float zero; /* what is stored for 0, and how much more for 1 */
    float range;
} nalu_component;

/* R, G, B, alpha; or Y, Cb, Cr, alpha; or gray as Y, and alpha. */
typedef struct nalu_components {
    const nalu_format *format;
    bool rgb;
    uint8_t horizontal; /* the largest of the components */
    uint8_t vertical;
    nalu_component each[NALU_COMPONENTS];
} nalu_components;

/* False for formats without such components: indexed colours, sensors, depths. */
bool nalu_components_of(const nalu_format *format, nalu_components *components_out);

/* `count` samples of a row; a write leaves the bits of the other components as they are, which are 0 at first. */
void nalu_component_read(const nalu_component *component, const uint8_t *row, size_t count, float *values);
void nalu_component_write(const nalu_component *component, uint8_t *row, size_t count, const float *values);

#endif
