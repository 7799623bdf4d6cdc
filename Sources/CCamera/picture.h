/* A picture of a camera, which CPipeWire and CV4L2 pass to Swift. */
#ifndef NALU_CCAMERA_PICTURE_H
#define NALU_CCAMERA_PICTURE_H

#include <stdint.h>

/* The pixel format of compressed pictures (MJPEG), for which CoreVideo has no code. */
#define NALU_CAMERA_MJPEG 0x6a706567u /* 'jpeg' */

/* A picture in memory of PipeWire or of the driver. The function that returns or passes the picture
 * states how long it is valid. */
typedef struct nalu_camera_picture {
    int64_t time;     /* the device's time, usually in nanoseconds of CLOCK_MONOTONIC; 0 if it states none */
    uint64_t missed;  /* pictures that were lost between the previous one and this one */
    const void *data; /* compressed pictures: the bytes of one */
    uint64_t size;
    int32_t plane_count; /* 0 for compressed pictures */
    const void *planes[3];
    int64_t strides[3];
    uint64_t sizes[3];
} nalu_camera_picture;

/* Returns the fields that are arrays, without copies. */
static inline const void *const *nalu_camera_get_planes(const nalu_camera_picture *picture) { return picture->planes; }
static inline const int64_t *nalu_camera_get_strides(const nalu_camera_picture *picture) { return picture->strides; }
static inline const uint64_t *nalu_camera_get_sizes(const nalu_camera_picture *picture) { return picture->sizes; }

#endif
