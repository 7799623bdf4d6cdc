/*
 * Cameras of the kernel's interface Video4Linux2: lists formats, and reads pictures from memory that is shared with the
 * driver. The interface consists of ioctl numbers and unions, so this code is in C. It needs the kernel's header only.
 *
 * One thread at a time uses a camera. Functions that fail write the reason to `message`, which has room for
 * NALU_V4L2_MESSAGE characters.
 */
#ifndef NALU_CV4L2_V4L2_H
#define NALU_CV4L2_V4L2_H

#include "../CCamera/picture.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NALU_V4L2_MESSAGE = 512,
    NALU_V4L2_MOST_CAMERAS = 64 /* /dev/video0 to /dev/video63 */
};

/* The results of functions that fail. */
enum {
    NALU_V4L2_FAILED = -1,     /* the device is missing, in use, or gone */
    NALU_V4L2_UNSUPPORTED = -2 /* the device's pictures cannot be captured */
};

/* A format of a camera. */
typedef struct nalu_v4l2_format {
    uint32_t pixel_format; /* CoreVideo's code, or NALU_CAMERA_MJPEG */
    uint32_t code;         /* the kernel's code */
    int32_t least_width, most_width, least_height, most_height;
    uint32_t least_duration[2], most_duration[2]; /* seconds from picture to picture: numerator, denominator; 0/0 if unknown */
} nalu_v4l2_format;

/* Receives the formats of a camera, the device's preferred one first. */
typedef void (*nalu_v4l2_format_callback)(void *refcon, const nalu_v4l2_format *format);

/* Opens a camera to read its name and formats, and closes it. Returns false if there is no camera at the path. `name`
 * receives at most `capacity` characters, for people. */
bool nalu_v4l2_describe(const char *path, char *name, size_t capacity, nalu_v4l2_format_callback callback, void *refcon);

/* The settings that a capture requests. */
typedef struct nalu_v4l2_request {
    uint32_t code; /* the kernel's code of a format */
    int32_t width, height;
    uint32_t duration[2]; /* 0/0 for the device's choice */
} nalu_v4l2_request;

/* The settings that the driver has chosen. */
typedef struct nalu_v4l2_choice {
    uint32_t pixel_format;
    int32_t width, height;
    uint32_t duration[2]; /* 0/0 if unknown */
    uint32_t matrix;      /* of YUV pictures, a code of ITU-T H.273 table 4; 0 if not stated */
    bool is_full_range;   /* whether YUV pictures have luma from 0 to 255 */
} nalu_v4l2_choice;

typedef struct nalu_v4l2_camera nalu_v4l2_camera;

/* Opens a camera and begins to capture. `choice_out` receives the format that the driver has chosen. */
int32_t nalu_v4l2_open(const char *path, const nalu_v4l2_request *request, nalu_v4l2_camera **camera_out,
                       nalu_v4l2_choice *choice_out, char *message);

/* Returns a descriptor that is readable when nalu_v4l2_next has a picture. */
int32_t nalu_v4l2_get_descriptor(const nalu_v4l2_camera *camera);

/* Receives the next picture, without waiting. Returns 1 for a picture, whose memory nalu_v4l2_release returns to the driver; 0 if
 * there is none; a negative result if the camera is gone. */
int32_t nalu_v4l2_next(nalu_v4l2_camera *camera, nalu_camera_picture *picture_out, char *message);
int32_t nalu_v4l2_release(nalu_v4l2_camera *camera, char *message);

/* Stops capturing and closes the camera. */
void nalu_v4l2_close(nalu_v4l2_camera *camera);

#endif
