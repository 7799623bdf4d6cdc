/* Conversion of a part of an image into a part of another one, of whatever formats pixel_components.h knows. */
#ifndef NALU_VT_IMAGE_TRANSFER_H
#define NALU_VT_IMAGE_TRANSFER_H

#include "pixel_components.h"

/* Weights of red and blue in luma. */
typedef struct nalu_luma_weights {
    float red;
    float blue;
} nalu_luma_weights;

typedef struct nalu_image {
    nalu_components components;
    nalu_luma_weights weights; /* of YCbCr, and of RGB's luma */
    size_t width;
    size_t height;
    uint8_t *planes[NALU_FORMAT_PLANES];
    size_t strides[NALU_FORMAT_PLANES];
} nalu_image;

typedef struct nalu_transfer {
    /* The part of the source. */
    double x, y, width, height;
    /* The part of the destination that it fills; the rest becomes black. */
    size_t to_x, to_y, to_width, to_height;
    /* Chroma is that of the first of the pixels rather than their average. */
    bool decimates;
} nalu_transfer;

/* Scales with a filter of triangles as wide as a pixel of the coarser image. False without memory. */
bool nalu_image_transfer(const nalu_image *source, const nalu_image *destination, const nalu_transfer *transfer);

#endif
