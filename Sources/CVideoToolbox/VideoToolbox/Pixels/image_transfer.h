/* Conversion of a part of an image to a part of another image, of any formats that pixel_components.h knows. */
#ifndef NALU_VT_IMAGE_TRANSFER_H
#define NALU_VT_IMAGE_TRANSFER_H

#include "pixel_components.h"

/* The weights of red and blue in luma. */
typedef struct nalu_luma_weights {
    float red;
    float blue;
} nalu_luma_weights;

typedef struct nalu_image {
    nalu_components components;
    nalu_luma_weights weights; /* of YCbCr, or for RGB's conversion to luma */
    size_t width;
    size_t height;
    uint8_t *planes[NALU_FORMAT_PLANES];
    size_t strides[NALU_FORMAT_PLANES];
} nalu_image;

typedef struct nalu_transfer {
    /* The part of the source, in pixels. */
    double x, y, width, height;
    /* The part of the destination to fill, in pixels. The rest becomes black. */
    size_t to_x, to_y, to_width, to_height;
    /* If true, chroma is taken from the first of the pixels that share it. Otherwise their values are averaged. */
    bool decimates;
} nalu_transfer;

/* Converts and scales, with a triangle filter as wide as a pixel of the coarser image. Returns false if memory is
 * short. */
bool nalu_image_transfer(const nalu_image *source, const nalu_image *destination, const nalu_transfer *transfer);

#endif
