/* The formats of Video4Linux2, and the planes of their pictures. */
#ifndef NALU_CV4L2_FORMATS_H
#define NALU_CV4L2_FORMATS_H

#include "v4l2.h"

#include <linux/videodev2.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* ioctl that starts again after a signal. */
HIDDEN int nalu_v4l2_control(int descriptor, unsigned long request, void *argument);

/* Returns CoreVideo's code for one of the kernel's, NALU_CAMERA_MJPEG for compressed pictures, or 0. */
HIDDEN uint32_t nalu_v4l2_pixel_format(uint32_t code);

/* Calls `callback` for each format of an open camera that can be captured. Returns their number. */
HIDDEN int nalu_v4l2_list_formats(int descriptor, nalu_v4l2_format_callback callback, void *refcon);

/* Finds the planes of a picture of `size` bytes at `data`. Returns false if they do not fit. */
HIDDEN bool nalu_v4l2_find_planes(const struct v4l2_pix_format *format, const uint8_t *data, uint64_t size,
                                  nalu_camera_picture *picture);

#endif
