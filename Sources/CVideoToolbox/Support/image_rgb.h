/* The conversion that players need for every frame: YCbCr of 8 bits in planes into RGB of 32 bits, of the same size. */
#ifndef NALU_VT_IMAGE_RGB_H
#define NALU_VT_IMAGE_RGB_H

#include "image_transfer.h"

bool nalu_image_rgb_is_possible(const nalu_components *source, const nalu_components *destination);

/* The values of nalu_image_transfer, within 1. False without memory. */
bool nalu_image_rgb_convert(const nalu_image *source, const nalu_image *destination);

#endif
