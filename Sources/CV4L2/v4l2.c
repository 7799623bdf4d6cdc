#include "formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER_COUNT = 4, MOST_BUFFERS = 32 };

struct nalu_v4l2_camera {
    int descriptor;
    struct v4l2_pix_format format;
    bool is_compressed, is_streaming, has_sequence;
    uint32_t sequence; /* of the last picture */
    uint32_t buffer_count;
    struct { void *start; size_t size; } buffers[MOST_BUFFERS];
    struct v4l2_buffer taken; /* the buffer of the picture that is not released */
};

static bool is_camera(int descriptor, struct v4l2_capability *facts) {
    memset(facts, 0, sizeof *facts);
    if (nalu_v4l2_control(descriptor, VIDIOC_QUERYCAP, facts) < 0) return false;
    const uint32_t abilities = facts->capabilities & V4L2_CAP_DEVICE_CAPS ? facts->device_caps : facts->capabilities;
    return abilities & V4L2_CAP_VIDEO_CAPTURE && abilities & V4L2_CAP_STREAMING;
}

bool nalu_v4l2_describe(const char *path, char *name, size_t capacity, nalu_v4l2_format_callback callback, void *refcon) {
    const int descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct v4l2_capability facts;
    const bool is_found = is_camera(descriptor, &facts) && nalu_v4l2_list_formats(descriptor, callback, refcon) > 0;
    if (is_found) snprintf(name, capacity, "%.32s", (const char *)facts.card);
    close(descriptor);
    return is_found;
}

/* ---- Opening ------------------------------------------------------------------------------------------------------ */

static int32_t fail(char *message, int32_t result, const char *path, const char *action) {
    const int number = errno;
    const char *reason = number == EBUSY ? "another program uses it" : strerror(number);
    snprintf(message, NALU_V4L2_MESSAGE, "%.200s cannot be %s: %s", path, action, reason);
    return result;
}

static void choose_rate(int descriptor, const nalu_v4l2_request *request, nalu_v4l2_choice *choice) {
    struct v4l2_streamparm param = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    if (nalu_v4l2_control(descriptor, VIDIOC_G_PARM, &param) < 0) return;
    if (param.parm.capture.capability & V4L2_CAP_TIMEPERFRAME && request->duration[1] > 0) {
        param.parm.capture.timeperframe.numerator = request->duration[0];
        param.parm.capture.timeperframe.denominator = request->duration[1];
        if (nalu_v4l2_control(descriptor, VIDIOC_S_PARM, &param) < 0) return;
    }
    if (param.parm.capture.timeperframe.numerator == 0 || param.parm.capture.timeperframe.denominator == 0) return;
    choice->duration[0] = param.parm.capture.timeperframe.numerator;
    choice->duration[1] = param.parm.capture.timeperframe.denominator;
}

/* Returns a code of ITU-T H.273 table 4; 0 if the driver states neither a matrix nor a colour space. */
static uint32_t matrix_code(const struct v4l2_pix_format *format) {
    if (format->colorspace == V4L2_COLORSPACE_DEFAULT && format->ycbcr_enc == V4L2_YCBCR_ENC_DEFAULT) return 0;
    switch (format->ycbcr_enc == V4L2_YCBCR_ENC_DEFAULT ? V4L2_MAP_YCBCR_ENC_DEFAULT(format->colorspace) : format->ycbcr_enc) {
    case V4L2_YCBCR_ENC_601: case V4L2_YCBCR_ENC_XV601: return 6;
    case V4L2_YCBCR_ENC_709: case V4L2_YCBCR_ENC_XV709: return 1;
    case V4L2_YCBCR_ENC_BT2020: return 9;
    case V4L2_YCBCR_ENC_SMPTE240M: return 7;
    default: return 0;
    }
}

static int32_t map_buffers(nalu_v4l2_camera *it, const char *path, char *message) {
    struct v4l2_requestbuffers request = {.count = BUFFER_COUNT, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
        .memory = V4L2_MEMORY_MMAP};
    if (nalu_v4l2_control(it->descriptor, VIDIOC_REQBUFS, &request) < 0)
        return fail(message, NALU_V4L2_FAILED, path, "given buffers");
    for (uint32_t i = 0; i < request.count && i < MOST_BUFFERS; i++) {
        struct v4l2_buffer buffer = {.index = i, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        if (nalu_v4l2_control(it->descriptor, VIDIOC_QUERYBUF, &buffer) < 0)
            return fail(message, NALU_V4L2_FAILED, path, "asked for its buffers");
        void *start = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, it->descriptor, (off_t)buffer.m.offset);
        if (start == MAP_FAILED) return fail(message, NALU_V4L2_FAILED, path, "mapped");
        it->buffers[i].start = start;
        it->buffers[i].size = buffer.length;
        it->buffer_count = i + 1;
        if (nalu_v4l2_control(it->descriptor, VIDIOC_QBUF, &buffer) < 0)
            return fail(message, NALU_V4L2_FAILED, path, "given a buffer");
    }
    return 0;
}

static int32_t start(nalu_v4l2_camera *it, const char *path, const nalu_v4l2_request *request, nalu_v4l2_choice *choice,
                     char *message) {
    it->descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (it->descriptor < 0) return fail(message, NALU_V4L2_FAILED, path, "opened");
    struct v4l2_capability facts;
    if (!is_camera(it->descriptor, &facts)) {
        snprintf(message, NALU_V4L2_MESSAGE, "%.200s is no camera", path);
        return NALU_V4L2_FAILED;
    }
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    format.fmt.pix.width = (uint32_t)request->width;
    format.fmt.pix.height = (uint32_t)request->height;
    format.fmt.pix.pixelformat = request->code;
    format.fmt.pix.field = V4L2_FIELD_NONE;
    if (nalu_v4l2_control(it->descriptor, VIDIOC_S_FMT, &format) < 0)
        return fail(message, NALU_V4L2_FAILED, path, "given a format");
    it->format = format.fmt.pix;
    choice->pixel_format = nalu_v4l2_pixel_format(it->format.pixelformat);
    if (!choice->pixel_format || it->format.width < 1 || it->format.width > 16384 || it->format.height < 1 ||
        it->format.height > 16384) {
        snprintf(message, NALU_V4L2_MESSAGE, "the pictures of %.200s have an unknown format, or are larger than 16384 pixels",
            path);
        return NALU_V4L2_UNSUPPORTED;
    }
    choice->matrix = matrix_code(&it->format);
    choice->is_full_range = it->format.quantization == V4L2_QUANTIZATION_FULL_RANGE ||
        (it->format.quantization == V4L2_QUANTIZATION_DEFAULT && it->format.colorspace == V4L2_COLORSPACE_JPEG);
    it->is_compressed = choice->pixel_format == NALU_CAMERA_MJPEG;
    choice->width = (int32_t)it->format.width;
    choice->height = (int32_t)it->format.height;
    choose_rate(it->descriptor, request, choice);
    const int32_t result = map_buffers(it, path, message);
    if (result) return result;
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (nalu_v4l2_control(it->descriptor, VIDIOC_STREAMON, &type) < 0)
        return fail(message, NALU_V4L2_FAILED, path, "started");
    it->is_streaming = true;
    return 0;
}

int32_t nalu_v4l2_open(const char *path, const nalu_v4l2_request *request, nalu_v4l2_camera **camera_out,
                       nalu_v4l2_choice *choice_out, char *message) {
    *camera_out = NULL;
    memset(choice_out, 0, sizeof *choice_out);
    nalu_v4l2_camera *it = calloc(1, sizeof *it);
    if (!it) {
        snprintf(message, NALU_V4L2_MESSAGE, "no memory for a camera");
        return NALU_V4L2_FAILED;
    }
    const int32_t result = start(it, path, request, choice_out, message);
    if (result == 0) *camera_out = it;
    else nalu_v4l2_close(it);
    return result;
}

void nalu_v4l2_close(nalu_v4l2_camera *it) {
    if (!it) return;
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (it->is_streaming) nalu_v4l2_control(it->descriptor, VIDIOC_STREAMOFF, &type);
    for (uint32_t i = 0; i < it->buffer_count; i++) munmap(it->buffers[i].start, it->buffers[i].size);
    if (it->descriptor >= 0) close(it->descriptor);
    free(it);
}

int32_t nalu_v4l2_get_descriptor(const nalu_v4l2_camera *it) { return it->descriptor; }

/* ---- Pictures ------------------------------------------------------------------------------------------------------ */

/* Returns the time of a buffer; 0 if the driver uses another clock. */
static int64_t time_of(const struct v4l2_buffer *buffer) {
    const int64_t taken = (int64_t)buffer->timestamp.tv_sec * 1000000000 + (int64_t)buffer->timestamp.tv_usec * 1000;
    return (buffer->flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC ? taken : 0;
}

static int32_t gone(int number, char *message) {
    snprintf(message, NALU_V4L2_MESSAGE, "%s", number == ENODEV ? "the device was removed" : strerror(number));
    return NALU_V4L2_FAILED;
}

int32_t nalu_v4l2_next(nalu_v4l2_camera *it, nalu_camera_picture *picture, char *message) {
    struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    if (nalu_v4l2_control(it->descriptor, VIDIOC_DQBUF, &buffer) < 0)
        return errno == EAGAIN ? 0 : gone(errno, message);
    it->taken = buffer;
    memset(picture, 0, sizeof *picture);
    picture->time = time_of(&buffer);
    /* A driver that does not count has the same number in each picture. */
    if (it->has_sequence && buffer.sequence > it->sequence + 1 && buffer.sequence - it->sequence < 1000)
        picture->missed = buffer.sequence - it->sequence - 1;
    it->has_sequence = true;
    it->sequence = buffer.sequence;
    const bool is_sound = buffer.index < it->buffer_count && !(buffer.flags & V4L2_BUF_FLAG_ERROR) && buffer.bytesused > 0;
    if (!is_sound) return nalu_v4l2_release(it, message);
    picture->data = it->buffers[buffer.index].start;
    picture->size = it->buffers[buffer.index].size;
    if (it->is_compressed) {
        if (buffer.bytesused < picture->size) picture->size = buffer.bytesused;
        return 1;
    }
    if (nalu_v4l2_find_planes(&it->format, picture->data, picture->size, picture)) return 1;
    snprintf(message, NALU_V4L2_MESSAGE, "the memory of a picture is smaller than the picture");
    return NALU_V4L2_UNSUPPORTED;
}

int32_t nalu_v4l2_release(nalu_v4l2_camera *it, char *message) {
    return nalu_v4l2_control(it->descriptor, VIDIOC_QBUF, &it->taken) < 0 ? gone(errno, message) : 0;
}
