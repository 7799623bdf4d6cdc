/*
 * A camera of the kernel for tests: /dev/nalu-camera, which exists only in the process. The functions here take the place of
 * those of the C library, in a program that is linked with this file or has it preloaded as a library. The environment
 * describes the camera when a program opens it:
 *
 * NALU_CAMERA_CODE      the kernel's code of its only format, for example MJPG
 * NALU_CAMERA_SIZE      the size of its pictures, for example 320x240
 * NALU_CAMERA_PICTURE   a file with the bytes of each picture, of which 30 arrive in a second; without it none arrives
 * NALU_CAMERA_RANGE     full: its pictures are in full range; without it the range is the usual one
 * NALU_CAMERA_ERRORS    the errors of the times of four successive pictures, and so on, in ms, for example 0,0,-50,100
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_COUNT = 4, BUFFER_SIZE = 1 << 20, MOST_DESCRIPTORS = 1024 };

static bool is_camera[MOST_DESCRIPTORS]; /* by descriptor */
static struct v4l2_pix_format format;
static uint8_t *buffers[BUFFER_COUNT];
static bool is_queued[BUFFER_COUNT];
static uint32_t sequence, taken;
static uint8_t picture[BUFFER_SIZE];
static uint32_t picture_size;
static int32_t errors[4]; /* of times, in milliseconds */

static bool has(int descriptor) { return descriptor >= 0 && descriptor < MOST_DESCRIPTORS && is_camera[descriptor]; }

static int fail(int number) {
    errno = number;
    return -1;
}

/* ---- The device's file --------------------------------------------------------------------------------------------- */

/* Returns a timer, which is readable when the next picture is due. */
static int open_camera(void) {
    const char *code = getenv("NALU_CAMERA_CODE"), *size = getenv("NALU_CAMERA_SIZE"), *path = getenv("NALU_CAMERA_PICTURE");
    if (!code || strlen(code) != 4 || !size || sscanf(size, "%ux%u", &format.width, &format.height) != 2) return fail(ENODEV);
    format.pixelformat = v4l2_fourcc(code[0], code[1], code[2], code[3]);
    format.sizeimage = BUFFER_SIZE;
    format.colorspace = V4L2_COLORSPACE_SRGB;
    format.quantization = getenv("NALU_CAMERA_RANGE") ? V4L2_QUANTIZATION_FULL_RANGE : V4L2_QUANTIZATION_DEFAULT;
    picture_size = 0;
    memset(errors, 0, sizeof errors);
    const char *times = getenv("NALU_CAMERA_ERRORS");
    if (times && sscanf(times, "%d,%d,%d,%d", &errors[0], &errors[1], &errors[2], &errors[3]) != 4) return fail(ENODEV);
    if (path) {
        const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
        const ssize_t count = read(file, picture, sizeof picture);
        syscall(SYS_close, file);
        if (count <= 0) return fail(EIO);
        picture_size = (uint32_t)count;
    }
    const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer < 0 || timer >= MOST_DESCRIPTORS) return fail(EMFILE);
    is_camera[timer] = true;
    return timer;
}

static int open_any(const char *path, int flags, mode_t mode) {
    if (!strcmp(path, "/dev/nalu-camera")) return open_camera();
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static mode_t mode_of(int flags, va_list list) {
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    return open_any(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, list);
    va_end(list);
    return open_any(path, flags, mode);
}

int close(int descriptor) {
    if (has(descriptor)) is_camera[descriptor] = false;
    return (int)syscall(SYS_close, descriptor);
}

/* Maps a buffer, whose number is the offset in units of its size. */
static void *map(void *start, size_t size, int protection, int flags, int descriptor, off_t offset) {
    if (!has(descriptor)) return (void *)syscall(SYS_mmap, start, size, protection, flags, descriptor, offset);
    void *result = (void *)syscall(SYS_mmap, start, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    buffers[offset / BUFFER_SIZE % BUFFER_COUNT] = result;
    return result;
}

void *mmap(void *start, size_t size, int protection, int flags, int descriptor, off_t offset) {
    return map(start, size, protection, flags, descriptor, offset);
}

void *mmap64(void *start, size_t size, int protection, int flags, int descriptor, off64_t offset) {
    return map(start, size, protection, flags, descriptor, offset);
}

/* ---- The driver ---------------------------------------------------------------------------------------------------- */

static int describe(struct v4l2_capability *facts) {
    memset(facts, 0, sizeof *facts);
    strcpy((char *)facts->card, "Test camera");
    facts->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
    return 0;
}

static int list_size(struct v4l2_frmsizeenum *item) {
    if (item->index > 0 || item->pixel_format != format.pixelformat) return fail(EINVAL);
    item->type = V4L2_FRMSIZE_TYPE_DISCRETE;
    item->discrete.width = format.width;
    item->discrete.height = format.height;
    return 0;
}

static int list_rate(struct v4l2_frmivalenum *item) {
    if (item->index > 0) return fail(EINVAL);
    item->type = V4L2_FRMIVAL_TYPE_DISCRETE;
    item->discrete = (struct v4l2_fract){1, 30};
    return 0;
}

static int locate_buffer(struct v4l2_buffer *buffer) {
    if (buffer->index >= BUFFER_COUNT) return fail(EINVAL);
    buffer->length = BUFFER_SIZE;
    buffer->m.offset = buffer->index * BUFFER_SIZE;
    return 0;
}

static int queue(const struct v4l2_buffer *buffer) {
    if (buffer->index >= BUFFER_COUNT) return fail(EINVAL);
    is_queued[buffer->index] = true;
    return 0;
}

static int start(int descriptor) {
    struct itimerspec time = {.it_interval = {0, 1000000000 / 30}, .it_value = {0, 1000000000 / 30}};
    sequence = taken = 0;
    return picture_size > 0 ? timerfd_settime(descriptor, 0, &time, NULL) : 0;
}

static int take_picture(int descriptor, struct v4l2_buffer *buffer) {
    uint64_t count = 0;
    uint32_t index = 0;
    while (index < BUFFER_COUNT && !is_queued[index]) index++;
    if (index == BUFFER_COUNT || read(descriptor, &count, sizeof count) < 0) return fail(EAGAIN);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    memcpy(buffers[index], picture, picture_size);
    is_queued[index] = false;
    buffer->index = index;
    buffer->bytesused = picture_size;
    buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    const int64_t time = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 + INT64_C(1000) * errors[taken++ % 4];
    buffer->timestamp = (struct timeval){time / 1000000, time % 1000000};
    buffer->sequence = sequence;
    sequence += (uint32_t)count;
    return 0;
}

static int control(int descriptor, unsigned long request, void *argument) {
    switch (request) {
    case VIDIOC_QUERYCAP: return describe(argument);
    case VIDIOC_ENUM_FMT:
        if (((struct v4l2_fmtdesc *)argument)->index > 0) return fail(EINVAL);
        ((struct v4l2_fmtdesc *)argument)->pixelformat = format.pixelformat;
        return 0;
    case VIDIOC_ENUM_FRAMESIZES: return list_size(argument);
    case VIDIOC_ENUM_FRAMEINTERVALS: return list_rate(argument);
    case VIDIOC_G_FMT: case VIDIOC_S_FMT: ((struct v4l2_format *)argument)->fmt.pix = format; return 0;
    case VIDIOC_G_PARM: case VIDIOC_S_PARM: {
        struct v4l2_captureparm *facts = &((struct v4l2_streamparm *)argument)->parm.capture;
        facts->capability = V4L2_CAP_TIMEPERFRAME;
        facts->timeperframe = (struct v4l2_fract){1, 30};
        return 0;
    }
    case VIDIOC_REQBUFS: ((struct v4l2_requestbuffers *)argument)->count = BUFFER_COUNT; return 0;
    case VIDIOC_QUERYBUF: return locate_buffer(argument);
    case VIDIOC_QBUF: return queue(argument);
    case VIDIOC_STREAMON: return start(descriptor);
    case VIDIOC_STREAMOFF: memset(is_queued, 0, sizeof is_queued); return 0;
    case VIDIOC_DQBUF: return take_picture(descriptor, argument);
    default: return fail(ENOTTY);
    }
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    return has(descriptor) ? control(descriptor, request, argument) : (int)syscall(SYS_ioctl, descriptor, request, argument);
}
