/*
 * PipeWire for Swift: lists cameras and microphones, and captures from one. PipeWire's interface
 * consists of macros and inline functions, so this code is in C, and no type of PipeWire appears
 * here. libpipewire is loaded by the first call.
 *
 * One thread at a time uses a capture. Functions that fail return a negative number and write the
 * reason to `message`, which has room for NALU_PW_MESSAGE characters.
 */
#ifndef NALU_CPIPEWIRE_H
#define NALU_CPIPEWIRE_H

#include "../CCamera/picture.h"

#include <stddef.h>
#include <stdint.h>

enum {
    NALU_PW_MESSAGE = 512,
    NALU_PW_MOST_FORMATS = 64, /* for each device; the others are left out */
    NALU_PW_MOST_DEVICES = 64
};

/* The results of functions that fail. */
enum {
    NALU_PW_NOT_INSTALLED = -1, /* libpipewire cannot be loaded */
    NALU_PW_FAILED = -2,        /* the server or the device is missing, or gone */
    NALU_PW_UNSUPPORTED = -3    /* the device's pictures or audio cannot be captured */
};

/* A format of a device, or the format that a capture has. A format of audio has pixel_format 0. */
typedef struct nalu_pw_format {
    uint32_t pixel_format; /* CoreVideo's code, or NALU_CAMERA_MJPEG */
    int32_t least_width, most_width, least_height, most_height;
    int32_t least_rate[2], most_rate[2]; /* frames per second: numerator, denominator; 0/1 if unknown */
    int32_t sample_rate, channel_count;
    uint32_t matrix; /* of YUV pictures, a code of ITU-T H.273 table 4; 0 if not stated; only in the format of a capture */
    int32_t is_full_range; /* whether YUV pictures have luma from 0 to 255; only in the format of a capture */
} nalu_pw_format;

typedef struct nalu_pw_device {
    const char *name;        /* node.name, which identifies the device */
    const char *description; /* for people */
    int32_t is_microphone;   /* otherwise a camera */
    int32_t is_default;
    int32_t format_count;
    const nalu_pw_format *formats;
} nalu_pw_device;

typedef void (*nalu_pw_device_callback)(void *refcon, const nalu_pw_device *device);

/* Loads libpipewire, unless it is loaded. */
int32_t nalu_pw_load(char *message);

/* Calls `callback` for each device that is present. Waits for the server, at most `milliseconds`. */
int32_t nalu_pw_list(int32_t milliseconds, nalu_pw_device_callback callback, void *refcon, char *message);

/* The settings that a capture requests. A field of 0 leaves the choice to the device. */
typedef struct nalu_pw_request {
    int32_t is_microphone;
    int32_t width, height;
    int32_t rate[2]; /* frames per second: numerator, denominator */
    uint32_t pixel_format;
    int32_t prefers_compressed; /* MJPEG, if the device has both */
    int32_t sample_rate, channel_count;
} nalu_pw_request;

/* Functions of the client, which nalu_pw_capture_iterate calls. */
typedef struct nalu_pw_callbacks {
    void (*format)(void *refcon, const nalu_pw_format *format);
    void (*picture)(void *refcon, const nalu_camera_picture *picture); /* valid during the callback */
    /* `lost` is the number of frames that PipeWire has lost before these. */
    void (*audio)(void *refcon, const float *samples, int32_t frame_count, int64_t lost, int64_t time);
} nalu_pw_callbacks;

typedef struct nalu_pw_capture nalu_pw_capture;

/* Connects to the device with the name of a nalu_pw_device. Waits for the server, at most `milliseconds`. `callbacks` and
 * `refcon` must outlive the capture. */
int32_t nalu_pw_capture_open(const char *name, const nalu_pw_request *request, const nalu_pw_callbacks *callbacks,
    void *refcon, int32_t milliseconds, nalu_pw_capture **capture_out, char *message);

/* The same for the pictures of a node on an open connection, which a portal has made for a screen. The capture owns the
 * descriptor, also after a failure. */
int32_t nalu_pw_capture_open_remote(int descriptor, uint32_t node, const nalu_pw_request *request,
    const nalu_pw_callbacks *callbacks, void *refcon, int32_t milliseconds, nalu_pw_capture **capture_out, char *message);

/* Returns a descriptor that is readable when nalu_pw_capture_iterate has work. */
int32_t nalu_pw_capture_get_descriptor(nalu_pw_capture *capture);

/* Does the work that is ready, without waiting; call it at least once a second. Fails if the device or the server is gone, or if
 * no first picture arrives within 5 seconds after the format. A screen that does not change needs no picture. */
int32_t nalu_pw_capture_iterate(nalu_pw_capture *capture, char *message);

void nalu_pw_capture_close(nalu_pw_capture *capture);

#endif
