#include "connection.h"

#include <errno.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The longest time in nanoseconds from the agreement on a format to the first picture. */
#define FIRST_PICTURE_LIMIT (5 * INT64_C(1000000000))

struct nalu_pw_capture {
    pw_connection connection;
    nalu_pw_request request;
    const nalu_pw_callbacks *callbacks;
    void *refcon;
    struct pw_stream *stream;
    struct spa_hook listener;
    nalu_pw_format format;
    bool has_format, has_failed;
    bool is_screen, is_streaming, has_picture;
    int64_t format_time; /* when the first format was agreed on, by CLOCK_MONOTONIC; 0 before that */
    int32_t failure;
    char message[NALU_PW_MESSAGE];
    uint64_t sequence; /* the number of the last picture; 0 if unknown */
    uint64_t first_tick, frames; /* audio: the graph's tick at its beginning, and the frames since then */
    /* The range of the offsets between the ends of the last audio buffers and the graph's time, in seconds, and the
     * number of these buffers. */
    double least_offset, most_offset;
    int offset_count;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void fail(nalu_pw_capture *it, int32_t status, const char *reason) {
    if (it->has_failed) return;
    it->has_failed = true;
    it->failure = status;
    snprintf(it->message, sizeof it->message, "%s", reason);
}

/* ---- Events -------------------------------------------------------------------------------------------------------- */

static void request_buffers(nalu_pw_capture *it) {
    uint8_t bytes[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof bytes);
    const struct spa_pod *params[2];
    params[0] = spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta,
        SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Header),
        SPA_PARAM_META_size, SPA_POD_Int((int)sizeof(struct spa_meta_header)));
    /* Memory that only a graphics processor can read is refused. */
    params[1] = spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers,
        SPA_PARAM_BUFFERS_dataType, SPA_POD_CHOICE_FLAGS_Int(1 << SPA_DATA_MemPtr | 1 << SPA_DATA_MemFd));
    nalu_pw.stream_update_params(it->stream, params, it->request.is_microphone ? 1 : 2);
}

/* Returns a code of ITU-T H.273 table 4; 0 for an unknown matrix, and for RGB. */
static uint32_t matrix_code(enum spa_video_color_matrix matrix) {
    switch (matrix) {
    case SPA_VIDEO_COLOR_MATRIX_BT709: return 1;
    case SPA_VIDEO_COLOR_MATRIX_FCC: return 4;
    case SPA_VIDEO_COLOR_MATRIX_BT601: return 6;
    case SPA_VIDEO_COLOR_MATRIX_SMPTE240M: return 7;
    case SPA_VIDEO_COLOR_MATRIX_BT2020: return 9;
    default: return 0;
    }
}

static bool parse_video(const struct spa_pod *param, nalu_pw_format *format, struct spa_rectangle *size,
    struct spa_fraction *rate) {
    uint32_t type, subtype;
    if (spa_format_parse(param, &type, &subtype) < 0) return false;
    if (subtype == SPA_MEDIA_SUBTYPE_mjpg) {
        struct spa_video_info_mjpg info = {0};
        if (spa_format_video_mjpg_parse(param, &info) < 0) return false;
        format->pixel_format = NALU_CAMERA_MJPEG;
        *size = info.size;
        *rate = info.framerate;
        return true;
    }
    struct spa_video_info_raw info = {0};
    if (spa_format_video_raw_parse(param, &info) < 0 || !(format->pixel_format = nalu_pw_pixel_format(info.format)))
        return false;
    format->matrix = matrix_code(info.color_matrix);
    format->is_full_range = info.color_range == SPA_VIDEO_COLOR_RANGE_0_255;
    *size = info.size;
    *rate = info.framerate;
    return true;
}

static void receive_format(void *data, uint32_t id, const struct spa_pod *param) {
    nalu_pw_capture *it = data;
    if (id != SPA_PARAM_Format || !param) return;
    nalu_pw_format format;
    memset(&format, 0, sizeof format);
    if (it->request.is_microphone) {
        struct spa_audio_info_raw info = {0};
        if (spa_format_audio_raw_parse(param, &info) < 0 || info.format != SPA_AUDIO_FORMAT_F32 || info.rate < 1 ||
            info.rate > 192000 || info.channels < 1 || info.channels > 8)
            return fail(it, NALU_PW_UNSUPPORTED, "the audio is not interleaved with 1 to 8 channels");
        format.sample_rate = (int32_t)info.rate;
        format.channel_count = (int32_t)info.channels;
    } else {
        struct spa_rectangle size;
        struct spa_fraction rate;
        if (!parse_video(param, &format, &size, &rate) || size.width < 1 || size.width > 16384 ||
            size.height < 1 || size.height > 16384)
            return fail(it, NALU_PW_UNSUPPORTED, "the pictures have an unknown format, or are larger than 16384 pixels");
        format.least_width = format.most_width = (int32_t)size.width;
        format.least_height = format.most_height = (int32_t)size.height;
        if (rate.num <= INT32_MAX && rate.denom <= INT32_MAX) {
            format.least_rate[0] = format.most_rate[0] = (int32_t)rate.num;
            format.least_rate[1] = format.most_rate[1] = (int32_t)rate.denom;
        }
    }
    it->format = format;
    if (!it->has_format) it->format_time = now();
    it->has_format = true;
    it->frames = 0;
    request_buffers(it);
    it->callbacks->format(it->refcon, &it->format);
}

static void receive_state(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    nalu_pw_capture *it = data;
    (void)old;
    it->is_streaming = state == PW_STREAM_STATE_STREAMING;
    if (state == PW_STREAM_STATE_ERROR) fail(it, NALU_PW_FAILED, error ? error : "PipeWire reports an error");
    /* A session manager may also disconnect a stream for which no memory was agreed on. check_first_picture then has the
     * reason, and a device that was removed meanwhile is found by its node. */
    const bool waits_for_picture = it->has_format && !it->has_picture && !it->request.is_microphone;
    if (state == PW_STREAM_STATE_UNCONNECTED && !waits_for_picture) fail(it, NALU_PW_FAILED, "the device was removed");
}

static void take_picture(nalu_pw_capture *it, struct spa_buffer *buffer) {
    const struct spa_meta_header *header = spa_buffer_find_meta_data(buffer, SPA_META_Header, sizeof *header);
    if (header && header->flags & SPA_META_HEADER_FLAG_CORRUPTED) return;
    if (buffer->n_datas < 1 || !buffer->datas[0].chunk || buffer->datas[0].chunk->size == 0 ||
        buffer->datas[0].chunk->flags & SPA_CHUNK_FLAG_CORRUPTED)
        return;
    if (buffer->datas[0].type == SPA_DATA_DmaBuf)
        return fail(it, NALU_PW_UNSUPPORTED, "the pictures are in memory of a graphics processor (DMA-BUF), which cannot be read");
    nalu_camera_picture picture = {.time = header && header->pts > 0 ? header->pts : 0};
    const struct spa_data *block = &buffer->datas[0];
    if (it->format.pixel_format == NALU_CAMERA_MJPEG) {
        if (!block->data || block->chunk->offset > block->maxsize) return;
        picture.data = (const uint8_t *)block->data + block->chunk->offset;
        picture.size = SPA_MIN(block->chunk->size, block->maxsize - block->chunk->offset);
    } else if (!nalu_pw_find_planes(&it->format, buffer, &picture))
        return fail(it, NALU_PW_UNSUPPORTED, "the memory of a picture is smaller than the picture");
    if (header && it->sequence && header->seq > it->sequence + 1 && header->seq - it->sequence < 1000)
        picture.missed = header->seq - it->sequence - 1;
    it->sequence = header ? header->seq : 0;
    it->has_picture = true;
    it->callbacks->picture(it->refcon, &picture);
}

/* The number of audio buffers that are compared before a gap is assumed. A single reading of the graph's time can be
 * off by a buffer, because the graph runs meanwhile. */
enum { OFFSET_LOOKS = 8 };

/* Returns whether audio frames were lost or repeated, so that buffers no longer end at the graph's time. `offset` is the
 * difference, and `block` the length of a buffer, both in seconds. */
static bool is_interrupted(nalu_pw_capture *it, double offset, double block) {
    it->least_offset = it->offset_count > 0 ? SPA_MIN(it->least_offset, offset) : offset;
    it->most_offset = it->offset_count > 0 ? SPA_MAX(it->most_offset, offset) : offset;
    bool is_different = offset > 1.5 * block || offset < -1.5 * block;
    if (++it->offset_count == OFFSET_LOOKS) {
        is_different |= it->least_offset > 0.5 * block || it->most_offset < -0.5 * block;
        it->offset_count = 0;
    }
    return is_different;
}

/* Returns `time`, or the present if `time` cannot be on this clock: in the future, or more than 5 seconds old. */
static int64_t checked_time(int64_t time) {
    const int64_t present = now();
    return time > present - 5000000000 && time <= present ? time : present;
}

/*
 * Returns the host time of the first of `count` frames. The graph counts ticks, and `pw_time` has the tick of a moment.
 * The number of frames since an earlier tick gives the moment of a frame, even if several buffers wait. `lost` receives
 * the number of frames that were lost before these.
 */
static int64_t audio_time(nalu_pw_capture *it, int32_t count, int64_t *lost) {
    struct pw_time time;
    memset(&time, 0, sizeof time);
    const int64_t rate = it->format.sample_rate;
    if (nalu_pw.stream_get_time_n(it->stream, &time, sizeof time) < 0 || time.now <= 0 || time.rate.denom == 0)
        return now() - (int64_t)count * 1000000000 / rate;
    const double unit = (double)time.rate.num / time.rate.denom;
    const double block = (double)count / (double)rate;
    /* The last of the waiting buffers ends at `time.now`. */
    const double waiting = block * (1 + (double)time.avail_buffers);
    double behind = (double)(int64_t)(time.ticks - it->first_tick) * unit - (double)it->frames / (double)rate;
    if (it->frames == 0 || is_interrupted(it, behind - waiting, block)) {
        if (it->frames > 0 && behind > waiting) *lost = (int64_t)((behind - waiting) * (double)rate);
        behind = waiting;
        it->first_tick = time.ticks - (uint64_t)(behind / unit);
        it->frames = 0;
        it->offset_count = 0;
    }
    return checked_time(time.now - (int64_t)((behind + (double)time.delay * unit) * 1e9));
}

static void take_audio(nalu_pw_capture *it, struct spa_buffer *buffer) {
    if (buffer->n_datas < 1 || !buffer->datas[0].data || !buffer->datas[0].chunk) return;
    const struct spa_data *data = &buffer->datas[0];
    const uint32_t offset = SPA_MIN(data->chunk->offset, data->maxsize);
    const uint32_t size = SPA_MIN(data->chunk->size, data->maxsize - offset);
    const int32_t count = (int32_t)(size / (sizeof(float) * (uint32_t)it->format.channel_count));
    if (count < 1) return;
    int64_t lost = 0;
    const int64_t time = audio_time(it, count, &lost);
    it->frames += (uint64_t)count;
    it->callbacks->audio(it->refcon, (const float *)(const void *)((const uint8_t *)data->data + offset), count, lost, time);
}

static void process(void *data) {
    nalu_pw_capture *it = data;
    struct pw_buffer *buffer;
    while ((buffer = nalu_pw.stream_dequeue_buffer(it->stream))) {
        if (it->has_format && !it->has_failed) {
            if (it->request.is_microphone) take_audio(it, buffer->buffer);
            else take_picture(it, buffer->buffer);
        }
        nalu_pw.stream_queue_buffer(it->stream, buffer);
    }
}

static const struct pw_stream_events events = {
    PW_VERSION_STREAM_EVENTS, .state_changed = receive_state, .param_changed = receive_format, .process = process};

/* ---- Opening ------------------------------------------------------------------------------------------------------ */

static const struct spa_pod *wanted_audio(const nalu_pw_request *request, struct spa_pod_builder *builder) {
    struct spa_audio_info_raw info = SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32,
        .rate = (uint32_t)request->sample_rate, .channels = (uint32_t)request->channel_count);
    if (request->channel_count == 1) info.position[0] = SPA_AUDIO_CHANNEL_MONO;
    if (request->channel_count == 2) info.position[0] = SPA_AUDIO_CHANNEL_FL, info.position[1] = SPA_AUDIO_CHANNEL_FR;
    return spa_format_audio_raw_build(builder, SPA_PARAM_EnumFormat, &info);
}

static const struct spa_pod *wanted_video(
    const nalu_pw_request *request, bool is_compressed, struct spa_pod_builder *builder) {
    struct spa_pod_frame object, choice;
    int32_t count = 0;
    const uint32_t *formats = nalu_pw_spa_formats(&count);
    const uint32_t wanted = request->pixel_format ? nalu_pw_spa_format(request->pixel_format) : SPA_VIDEO_FORMAT_UNKNOWN;
    spa_pod_builder_push_object(builder, &object, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
    spa_pod_builder_add(builder, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype,
        SPA_POD_Id(is_compressed ? SPA_MEDIA_SUBTYPE_mjpg : SPA_MEDIA_SUBTYPE_raw), 0);
    if (!is_compressed) {
        spa_pod_builder_prop(builder, SPA_FORMAT_VIDEO_format, 0);
        spa_pod_builder_push_choice(builder, &choice, SPA_CHOICE_Enum, 0);
        spa_pod_builder_id(builder, wanted != SPA_VIDEO_FORMAT_UNKNOWN ? wanted : formats[0]);
        for (int32_t i = 0; i < count; i++) spa_pod_builder_id(builder, formats[i]);
        spa_pod_builder_pop(builder, &choice);
    }
    const struct spa_rectangle size = {request->width > 0 ? (uint32_t)request->width : 1280,
        request->height > 0 ? (uint32_t)request->height : 720};
    const struct spa_fraction rate = {request->rate[0] > 0 ? (uint32_t)request->rate[0] : 30,
        request->rate[0] > 0 && request->rate[1] > 0 ? (uint32_t)request->rate[1] : 1};
    spa_pod_builder_add(builder,
        SPA_FORMAT_VIDEO_size, SPA_POD_CHOICE_RANGE_Rectangle(&size, &SPA_RECTANGLE(1, 1), &SPA_RECTANGLE(16384, 16384)),
        SPA_FORMAT_VIDEO_framerate, SPA_POD_CHOICE_RANGE_Fraction(&rate, &SPA_FRACTION(0, 1), &SPA_FRACTION(1000, 1)), 0);
    return spa_pod_builder_pop(builder, &object);
}

/* Returns the number in PipeWire's registry of the device with a name; PW_ID_ANY if there is none. */
static uint32_t find(const nalu_pw_capture *it, const char *name) {
    for (int32_t i = 0; i < it->connection.found_count; i++) {
        const pw_found *each = it->connection.found[i];
        if (!each->is_gone && each->is_microphone == (it->request.is_microphone != 0) && !strcmp(each->name, name))
            return each->id;
    }
    return PW_ID_ANY;
}

/* Connects a stream to a device, or to the node of a portal if `name` is NULL. */
static int32_t begin(nalu_pw_capture *it, const char *name, uint32_t node, char *message) {
    const nalu_pw_request *request = &it->request;
    it->connection.node = name ? find(it, name) : node;
    it->connection.has_node = it->connection.node != PW_ID_ANY;
    if (!it->connection.has_node) {
        snprintf(message, NALU_PW_MESSAGE, "PipeWire has no device %.200s any more", name ? name : "of the screen");
        return NALU_PW_FAILED;
    }
    it->stream = nalu_pw.stream_new(it->connection.core, "nalu", nalu_pw.properties_new(
        PW_KEY_MEDIA_TYPE, request->is_microphone ? "Audio" : "Video", PW_KEY_MEDIA_CATEGORY, "Capture",
        PW_KEY_MEDIA_ROLE, request->is_microphone ? "Production" : name ? "Camera" : "Screen",
        name ? PW_KEY_TARGET_OBJECT : NULL, name, NULL));
    if (!it->stream) {
        snprintf(message, NALU_PW_MESSAGE, "no memory for a stream of PipeWire");
        return NALU_PW_FAILED;
    }
    nalu_pw.stream_add_listener(it->stream, &it->listener, &events, it);
    uint8_t bytes[2048];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof bytes);
    const struct spa_pod *params[2]; /* the preferred one first */
    if (request->is_microphone) params[0] = wanted_audio(request, &builder);
    else for (int i = 0; i < 2; i++) params[i] = wanted_video(request, (i == 0) == (request->prefers_compressed != 0), &builder);
    const int result = nalu_pw.stream_connect(it->stream, PW_DIRECTION_INPUT, name ? PW_ID_ANY : node,
        PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_DONT_RECONNECT, params,
        request->is_microphone ? 1 : 2);
    if (result < 0) {
        snprintf(message, NALU_PW_MESSAGE, "the device %.200s cannot be opened: %s", name ? name : "of the screen",
            strerror(-result));
        return NALU_PW_FAILED;
    }
    return 0;
}

static int32_t open_capture(const char *name, int descriptor, uint32_t node, const nalu_pw_request *request,
    const nalu_pw_callbacks *callbacks, void *refcon, int32_t milliseconds, nalu_pw_capture **capture_out, char *message) {
    nalu_pw_capture *it = calloc(1, sizeof *it);
    *capture_out = NULL;
    if (!it) {
        snprintf(message, NALU_PW_MESSAGE, "no memory for a capture");
        if (descriptor >= 0) close(descriptor);
        return NALU_PW_FAILED;
    }
    it->callbacks = callbacks;
    it->refcon = refcon;
    it->request = *request;
    it->is_screen = !name;
    int32_t result = nalu_pw_connect(&it->connection, descriptor, false, milliseconds, message);
    if (result == 0) result = begin(it, name, node, message);
    if (result == 0) *capture_out = it;
    else nalu_pw_capture_close(it);
    return result;
}

int32_t nalu_pw_capture_open(const char *name, const nalu_pw_request *request, const nalu_pw_callbacks *callbacks,
    void *refcon, int32_t milliseconds, nalu_pw_capture **capture_out, char *message) {
    return open_capture(name, -1, PW_ID_ANY, request, callbacks, refcon, milliseconds, capture_out, message);
}

int32_t nalu_pw_capture_open_remote(int descriptor, uint32_t node, const nalu_pw_request *request,
    const nalu_pw_callbacks *callbacks, void *refcon, int32_t milliseconds, nalu_pw_capture **capture_out, char *message) {
    return open_capture(NULL, descriptor, node, request, callbacks, refcon, milliseconds, capture_out, message);
}

int32_t nalu_pw_capture_get_descriptor(nalu_pw_capture *it) { return pw_loop_get_fd(it->connection.loop); }

/*
 * PipeWire reports nothing if both sides agree on a format and not on the kind of memory: the stream pauses for ever. A
 * screen that does not change may have no pictures for long, but its stream runs.
 */
static void check_first_picture(nalu_pw_capture *it) {
    if (it->request.is_microphone || it->has_picture || !it->has_format || now() - it->format_time < FIRST_PICTURE_LIMIT)
        return;
    if (!it->is_streaming)
        fail(it, NALU_PW_UNSUPPORTED, "no picture has arrived in 5 seconds, because no memory for pictures was agreed on: it offers "
            "only memory of a graphics processor (DMA-BUF), which cannot be read, or is paused; choose shared memory in the program "
            "that provides it, another pixel format, or for a camera of the kernel the device v4l2:/dev/videoN");
    else if (!it->is_screen)
        fail(it, NALU_PW_FAILED, "no picture has arrived in 5 seconds, although the stream runs; see if another program uses or has "
            "paused the device, and if its shutter is open");
}

int32_t nalu_pw_capture_iterate(nalu_pw_capture *it, char *message) {
    const int result = pw_loop_iterate(it->connection.loop, 0);
    if (result < 0 && result != -EINTR) fail(it, NALU_PW_FAILED, strerror(-result));
    if (it->connection.is_node_gone) fail(it, NALU_PW_FAILED, "the device was removed");
    check_first_picture(it);
    if (it->connection.is_lost) {
        snprintf(message, NALU_PW_MESSAGE, "PipeWire's server has ended");
        return NALU_PW_FAILED;
    }
    if (!it->has_failed) return 0;
    snprintf(message, NALU_PW_MESSAGE, "%s", it->message);
    return it->failure;
}

void nalu_pw_capture_close(nalu_pw_capture *it) {
    if (!it) return;
    if (it->stream) nalu_pw.stream_destroy(it->stream);
    nalu_pw_disconnect(&it->connection);
    free(it);
}
