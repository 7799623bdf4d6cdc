#include "connection.h"

#include <spa/param/audio/format-utils.h>
#include <spa/param/video/format-utils.h>
#include <string.h>

/* ---- Pixel formats ------------------------------------------------------------------------------------------------ */

#define CODE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

enum { FORMAT_COUNT = 15 };

/* PipeWire's formats, the preferred one first. Like CoreVideo, PipeWire names the bytes in the order of memory. If two
 * formats have the same code of CoreVideo, the usual one is first. */
static const uint32_t spa_formats[FORMAT_COUNT] = {
    SPA_VIDEO_FORMAT_NV12, SPA_VIDEO_FORMAT_I420, SPA_VIDEO_FORMAT_YUY2, SPA_VIDEO_FORMAT_UYVY, SPA_VIDEO_FORMAT_BGRx,
    SPA_VIDEO_FORMAT_BGRA, SPA_VIDEO_FORMAT_RGBx, SPA_VIDEO_FORMAT_RGBA, SPA_VIDEO_FORMAT_xRGB, SPA_VIDEO_FORMAT_ARGB,
    SPA_VIDEO_FORMAT_xBGR, SPA_VIDEO_FORMAT_ABGR, SPA_VIDEO_FORMAT_RGB, SPA_VIDEO_FORMAT_BGR, SPA_VIDEO_FORMAT_GRAY8};
static const uint32_t codes[FORMAT_COUNT] = {
    CODE('4', '2', '0', 'v'), CODE('y', '4', '2', '0'), CODE('y', 'u', 'v', 's'), CODE('2', 'v', 'u', 'y'),
    CODE('B', 'G', 'R', 'A'), CODE('B', 'G', 'R', 'A'), CODE('R', 'G', 'B', 'A'), CODE('R', 'G', 'B', 'A'), 0x20, 0x20,
    CODE('A', 'B', 'G', 'R'), CODE('A', 'B', 'G', 'R'), 0x18, CODE('2', '4', 'B', 'G'), CODE('L', '0', '0', '8')};

uint32_t nalu_pw_pixel_format(uint32_t spa) {
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (spa_formats[i] == spa) return codes[i];
    return 0;
}

uint32_t nalu_pw_spa_format(uint32_t pixel_format) {
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (codes[i] == pixel_format) return spa_formats[i];
    return SPA_VIDEO_FORMAT_UNKNOWN;
}

const uint32_t *nalu_pw_spa_formats(int32_t *count) {
    *count = FORMAT_COUNT;
    return spa_formats;
}

/* ---- The formats of a device -------------------------------------------------------------------------------------- */

/* Finds the values of a property: its only value, or the alternatives of a choice. Returns their number. */
static uint32_t values_of(const struct spa_pod *param, uint32_t key, uint32_t *choice, const struct spa_pod **first) {
    const struct spa_pod_prop *property = spa_pod_find_prop(param, NULL, key);
    uint32_t count = 0;
    *choice = SPA_CHOICE_None;
    *first = property ? spa_pod_get_values(&property->value, &count, choice) : NULL;
    return *first ? count : 0;
}

static void read_range(const struct spa_pod *param, uint32_t key, struct spa_rectangle *least, struct spa_rectangle *most) {
    uint32_t choice;
    const struct spa_pod *first;
    const uint32_t count = values_of(param, key, &choice, &first);
    if (count == 0 || first->type != SPA_TYPE_Rectangle) return;
    const struct spa_rectangle *values = SPA_POD_BODY_CONST(first);
    *least = *most = values[0];
    for (uint32_t i = 1; i < count && !(choice == SPA_CHOICE_Step && i == 3); i++) {
        least->width = SPA_MIN(least->width, values[i].width), least->height = SPA_MIN(least->height, values[i].height);
        most->width = SPA_MAX(most->width, values[i].width), most->height = SPA_MAX(most->height, values[i].height);
    }
}

static bool is_less(struct spa_fraction a, struct spa_fraction b) {
    return (uint64_t)a.num * b.denom < (uint64_t)b.num * a.denom;
}

static void read_rates(const struct spa_pod *param, nalu_pw_format *format) {
    uint32_t choice;
    const struct spa_pod *first;
    const uint32_t count = values_of(param, SPA_FORMAT_VIDEO_framerate, &choice, &first);
    struct spa_fraction least = {0, 1}, most = {0, 1};
    if (count > 0 && first->type == SPA_TYPE_Fraction) {
        const struct spa_fraction *values = SPA_POD_BODY_CONST(first);
        least = most = values[0];
        for (uint32_t i = 1; i < count && !(choice == SPA_CHOICE_Step && i == 3); i++) {
            if (is_less(values[i], least)) least = values[i];
            if (is_less(most, values[i])) most = values[i];
        }
    }
    if (least.num <= INT32_MAX && least.denom <= INT32_MAX)
        format->least_rate[0] = (int32_t)least.num, format->least_rate[1] = (int32_t)least.denom;
    if (most.num <= INT32_MAX && most.denom <= INT32_MAX)
        format->most_rate[0] = (int32_t)most.num, format->most_rate[1] = (int32_t)most.denom;
}

static int32_t read_int(const struct spa_pod *param, uint32_t key, int32_t otherwise) {
    uint32_t choice;
    const struct spa_pod *first;
    const uint32_t count = values_of(param, key, &choice, &first);
    return count > 0 && first->type == SPA_TYPE_Int ? *(const int32_t *)SPA_POD_BODY_CONST(first) : otherwise;
}

static void add(pw_found *it, const nalu_pw_format *format) {
    for (int32_t i = 0; i < it->format_count; i++)
        if (!memcmp(&it->formats[i], format, sizeof *format)) return;
    if (it->format_count < NALU_PW_MOST_FORMATS) it->formats[it->format_count++] = *format;
}

void nalu_pw_add_formats(pw_found *it, const struct spa_pod *param) {
    uint32_t type, subtype, choice;
    const struct spa_pod *first;
    if (spa_format_parse(param, &type, &subtype) < 0 || (subtype != SPA_MEDIA_SUBTYPE_raw && subtype != SPA_MEDIA_SUBTYPE_mjpg))
        return;
    nalu_pw_format format;
    memset(&format, 0, sizeof format);
    if (type == SPA_MEDIA_TYPE_audio && subtype == SPA_MEDIA_SUBTYPE_raw && it->is_microphone) {
        format.sample_rate = read_int(param, SPA_FORMAT_AUDIO_rate, 48000);
        format.channel_count = SPA_CLAMP(read_int(param, SPA_FORMAT_AUDIO_channels, 2), 1, 8);
        if (format.sample_rate > 0) add(it, &format);
        return;
    }
    if (type != SPA_MEDIA_TYPE_video || it->is_microphone) return;
    struct spa_rectangle least = {1, 1}, most = {16384, 16384};
    read_range(param, SPA_FORMAT_VIDEO_size, &least, &most);
    if (least.width < 1 || least.height < 1 || least.width > 16384 || least.height > 16384) return;
    format.least_width = (int32_t)least.width, format.most_width = (int32_t)SPA_MIN(most.width, 16384u);
    format.least_height = (int32_t)least.height, format.most_height = (int32_t)SPA_MIN(most.height, 16384u);
    read_rates(param, &format);
    if (subtype == SPA_MEDIA_SUBTYPE_mjpg) {
        format.pixel_format = NALU_CAMERA_MJPEG;
        return add(it, &format);
    }
    const uint32_t count = values_of(param, SPA_FORMAT_VIDEO_format, &choice, &first);
    if (count == 0 || first->type != SPA_TYPE_Id) return;
    const uint32_t *values = SPA_POD_BODY_CONST(first);
    for (uint32_t i = 0; i < count; i++)
        if ((format.pixel_format = nalu_pw_pixel_format(values[i]))) add(it, &format);
}

/* ---- The planes of a picture --------------------------------------------------------------------------------------- */

bool nalu_pw_find_planes(const nalu_pw_format *format, const struct spa_buffer *buffer, nalu_camera_picture *picture) {
    const int64_t width = format->least_width, height = format->least_height;
    const int64_t half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    int64_t rows[3] = {height, half_height, half_height}, bytes[3] = {width, 2 * half_width, 0};
    int32_t count = 1;
    switch (format->pixel_format) {
    case CODE('4', '2', '0', 'v'): count = 2; break;
    case CODE('y', '4', '2', '0'): count = 3, bytes[1] = bytes[2] = half_width; break;
    case CODE('y', 'u', 'v', 's'): case CODE('2', 'v', 'u', 'y'): bytes[0] = 4 * half_width; break;
    case 0x18: case CODE('2', '4', 'B', 'G'): bytes[0] = 3 * width; break;
    case CODE('L', '0', '0', '8'): break;
    default: bytes[0] = 4 * width; break;
    }
    if (buffer->n_datas < 1) return false;
    picture->plane_count = count;
    uint64_t offset = 0;
    for (int32_t i = 0; i < count; i++) {
        const bool is_separate = buffer->n_datas >= (uint32_t)count;
        const struct spa_data *data = &buffer->datas[is_separate ? i : 0];
        if (!data->data || !data->chunk) return false;
        /* Without a stride, rows are padded to 4 bytes, as in GStreamer. */
        int64_t stride = data->chunk->stride > 0 ? data->chunk->stride : (bytes[i] + 3) / 4 * 4;
        if (!is_separate && i > 0 && data->chunk->stride > 0) stride = count == 3 ? (stride + 1) / 2 : stride;
        if (is_separate) offset = 0;
        const uint64_t start = data->chunk->offset % SPA_MAX(data->maxsize, 1u) + offset;
        if (start >= data->maxsize || stride < bytes[i]) return false;
        picture->planes[i] = (const uint8_t *)data->data + start;
        picture->strides[i] = stride;
        picture->sizes[i] = data->maxsize - start;
        if (picture->sizes[i] < (uint64_t)(stride * (rows[i] - 1) + bytes[i])) return false;
        /* In one block, the chroma of a picture with an odd height follows an even number of rows. */
        offset += (uint64_t)(stride * (i == 0 && count > 1 ? (rows[0] + 1) / 2 * 2 : rows[i]));
    }
    return true;
}
