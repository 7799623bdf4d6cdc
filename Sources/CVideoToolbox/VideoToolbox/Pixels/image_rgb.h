/* The conversion that players need for every frame: from 8-bit planar YCbCr to 32-bit RGB of the same size. */
#ifndef NALU_VT_IMAGE_RGB_H
#define NALU_VT_IMAGE_RGB_H

#include "image_transfer.h"

bool nalu_image_rgb_is_possible(const nalu_components *source, const nalu_components *destination);

/* Converts like nalu_image_transfer; each value differs by at most 1. Returns false if memory is short. */
bool nalu_image_rgb_convert(const nalu_image *source, const nalu_image *destination);

#endif
