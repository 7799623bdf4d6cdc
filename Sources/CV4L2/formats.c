#include "formats.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

int nalu_v4l2_control(int descriptor, unsigned long request, void *argument) {
    int result;
    do result = ioctl(descriptor, request, argument);
    while (result < 0 && errno == EINTR);
    return result;
}

/* ---- Pixel formats ----------------------------------------------------------------------------------------------- */

#define CODE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* The kernel's formats and CoreVideo's codes. Both name the bytes in the order of memory. */
static const struct { uint32_t kernel, core; } pixel_formats[] = {
    {V4L2_PIX_FMT_NV12, CODE('4', '2', '0', 'v')}, {V4L2_PIX_FMT_YUV420, CODE('y', '4', '2', '0')},
    {V4L2_PIX_FMT_YUYV, CODE('y', 'u', 'v', 's')}, {V4L2_PIX_FMT_UYVY, CODE('2', 'v', 'u', 'y')},
    {V4L2_PIX_FMT_XBGR32, CODE('B', 'G', 'R', 'A')}, {V4L2_PIX_FMT_ABGR32, CODE('B', 'G', 'R', 'A')},
    {V4L2_PIX_FMT_RGB24, 0x18}, {V4L2_PIX_FMT_BGR24, CODE('2', '4', 'B', 'G')}, {V4L2_PIX_FMT_GREY, CODE('L', '0', '0', '8')},
    {V4L2_PIX_FMT_MJPEG, NALU_CAMERA_MJPEG}, {V4L2_PIX_FMT_JPEG, NALU_CAMERA_MJPEG},
};

uint32_t nalu_v4l2_pixel_format(uint32_t code) {
    for (size_t i = 0; i < sizeof pixel_formats / sizeof pixel_formats[0]; i++)
        if (pixel_formats[i].kernel == code) return pixel_formats[i].core;
    return 0;
}

/* ---- Lists --------------------------------------------------------------------------------------------------------- */

enum { MOST_ITEMS = 256 }; /* the most items that are read of a driver's list, in case the list has no end */

static bool is_less(const uint32_t a[2], const struct v4l2_fract b) {
    return (uint64_t)a[0] * b.denominator < (uint64_t)b.numerator * a[1];
}

static void include(nalu_v4l2_format *format, struct v4l2_fract duration) {
    if (duration.numerator == 0 || duration.denominator == 0) return;
    if (format->least_duration[1] == 0 || !is_less(format->least_duration, duration)) {
        format->least_duration[0] = duration.numerator;
        format->least_duration[1] = duration.denominator;
    }
    if (format->most_duration[1] == 0 || is_less(format->most_duration, duration)) {
        format->most_duration[0] = duration.numerator;
        format->most_duration[1] = duration.denominator;
    }
}

/* Reads the frame rates of a format. For a range of sizes, these are the rates of the largest size. */
static void read_rates(int descriptor, nalu_v4l2_format *format) {
    for (uint32_t i = 0; i < MOST_ITEMS; i++) {
        struct v4l2_frmivalenum item = {.index = i, .pixel_format = format->code, .width = (uint32_t)format->most_width,
            .height = (uint32_t)format->most_height};
        if (nalu_v4l2_control(descriptor, VIDIOC_ENUM_FRAMEINTERVALS, &item) < 0) return;
        if (item.type == V4L2_FRMIVAL_TYPE_DISCRETE) {
            include(format, item.discrete);
            continue;
        }
        include(format, item.stepwise.min);
        include(format, item.stepwise.max);
        return;
    }
}

static bool is_size(uint32_t width, uint32_t height) {
    return width >= 1 && width <= 16384 && height >= 1 && height <= 16384;
}

static int list_sizes(int descriptor, nalu_v4l2_format format, nalu_v4l2_format_callback callback, void *refcon) {
    int count = 0;
    for (uint32_t i = 0; i < MOST_ITEMS; i++) {
        struct v4l2_frmsizeenum item = {.index = i, .pixel_format = format.code};
        if (nalu_v4l2_control(descriptor, VIDIOC_ENUM_FRAMESIZES, &item) < 0) break;
        const bool is_single = item.type == V4L2_FRMSIZE_TYPE_DISCRETE;
        uint32_t least[2] = {item.stepwise.min_width, item.stepwise.min_height};
        uint32_t most[2] = {item.stepwise.max_width, item.stepwise.max_height};
        if (is_single) {
            least[0] = most[0] = item.discrete.width;
            least[1] = most[1] = item.discrete.height;
        }
        for (int side = 0; side < 2; side++) if (most[side] > 16384) most[side] = 16384;
        if (!is_size(least[0], least[1]) || !is_size(most[0], most[1])) continue;
        format.least_width = (int32_t)least[0], format.least_height = (int32_t)least[1];
        format.most_width = (int32_t)most[0], format.most_height = (int32_t)most[1];
        memset(format.least_duration, 0, sizeof format.least_duration);
        memset(format.most_duration, 0, sizeof format.most_duration);
        read_rates(descriptor, &format);
        callback(refcon, &format);
        count++;
        if (!is_single) break;
    }
    return count;
}

/* Adds the size of the present format, for a driver without a list of sizes. */
static int add_present_size(int descriptor, nalu_v4l2_format format, nalu_v4l2_format_callback callback, void *refcon) {
    struct v4l2_format present = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    if (nalu_v4l2_control(descriptor, VIDIOC_G_FMT, &present) < 0) return 0;
    if (!is_size(present.fmt.pix.width, present.fmt.pix.height)) return 0;
    format.least_width = format.most_width = (int32_t)present.fmt.pix.width;
    format.least_height = format.most_height = (int32_t)present.fmt.pix.height;
    callback(refcon, &format);
    return 1;
}

int nalu_v4l2_list_formats(int descriptor, nalu_v4l2_format_callback callback, void *refcon) {
    int count = 0;
    for (uint32_t i = 0; i < MOST_ITEMS; i++) {
        struct v4l2_fmtdesc item = {.index = i, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
        if (nalu_v4l2_control(descriptor, VIDIOC_ENUM_FMT, &item) < 0) break;
        const nalu_v4l2_format format = {.pixel_format = nalu_v4l2_pixel_format(item.pixelformat), .code = item.pixelformat};
        if (!format.pixel_format) continue;
        const int found = list_sizes(descriptor, format, callback, refcon);
        count += found > 0 ? found : add_present_size(descriptor, format, callback, refcon);
    }
    return count;
}

/* ---- Planes -------------------------------------------------------------------------------------------------------- */

bool nalu_v4l2_find_planes(const struct v4l2_pix_format *format, const uint8_t *data, uint64_t size,
                           nalu_camera_picture *picture) {
    const int64_t width = format->width, height = format->height;
    const int64_t half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    int64_t rows[3] = {height, half_height, half_height}, bytes[3] = {width, 2 * half_width, half_width};
    int32_t count = 1;
    switch (format->pixelformat) {
    case V4L2_PIX_FMT_NV12: count = 2; break;
    case V4L2_PIX_FMT_YUV420: count = 3, bytes[1] = half_width; break;
    case V4L2_PIX_FMT_YUYV: case V4L2_PIX_FMT_UYVY: bytes[0] = 4 * half_width; break;
    case V4L2_PIX_FMT_RGB24: case V4L2_PIX_FMT_BGR24: bytes[0] = 3 * width; break;
    case V4L2_PIX_FMT_GREY: break;
    default: bytes[0] = 4 * width; break;
    }
    const int64_t stride = format->bytesperline > bytes[0] ? format->bytesperline : bytes[0];
    uint64_t offset = 0;
    picture->plane_count = count;
    for (int32_t i = 0; i < count; i++) {
        picture->strides[i] = i > 0 && count == 3 ? stride / 2 : stride;
        if (picture->strides[i] < bytes[i]) picture->strides[i] = bytes[i];
        const uint64_t needed = (uint64_t)(picture->strides[i] * (rows[i] - 1) + bytes[i]);
        if (offset > size || needed > size - offset) return false;
        picture->planes[i] = data + offset;
        picture->sizes[i] = size - offset;
        offset += (uint64_t)(picture->strides[i] * rows[i]);
    }
    return true;
}
