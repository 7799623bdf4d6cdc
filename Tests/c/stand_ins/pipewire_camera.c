/*
 * A camera of PipeWire, pipewire_camera NAME [dma-buf|silent|turning|full], whose pictures have a time in their headers that
 * is 100 ms before they are sent. With dma-buf it offers only memory of a graphics processor; with silent its stream runs
 * without pictures; with turning the tenth picture and those after it are as high as the others are wide, and the reverse;
 * with full the pictures are NV12 in full range.
 */
#include <pipewire/pipewire.h>
#include <spa/param/video/format-utils.h>
#include <string.h>
#include <time.h>

enum { LONG = 320, SHORT = 240, SIZE = LONG * SHORT * 4, DELAY = 100000000, LAST_BEFORE_TURN = 9 };

static struct {
    struct pw_main_loop *loop;
    struct pw_stream *stream;
    bool is_dma_buf, is_silent, turns, is_full, has_turned, is_turning;
    uint64_t number;
} camera;

static int width(void) { return camera.has_turned ? SHORT : LONG; }

static const struct spa_pod *make_format(struct spa_pod_builder *builder) {
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
    spa_pod_builder_add(builder, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw),
        SPA_FORMAT_VIDEO_format, SPA_POD_Id(camera.is_full ? SPA_VIDEO_FORMAT_NV12 : SPA_VIDEO_FORMAT_BGRx),
        SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&SPA_RECTANGLE((uint32_t)width(), (uint32_t)(LONG + SHORT - width()))),
        SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&SPA_FRACTION(30, 1)), 0);
    if (camera.is_full)
        spa_pod_builder_add(builder, SPA_FORMAT_VIDEO_colorRange, SPA_POD_Id(SPA_VIDEO_COLOR_RANGE_0_255),
            SPA_FORMAT_VIDEO_colorMatrix, SPA_POD_Id(SPA_VIDEO_COLOR_MATRIX_BT601), 0);
    return spa_pod_builder_pop(builder, &frame);
}

static void turn(void) {
    uint8_t bytes[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof bytes);
    camera.has_turned = camera.is_turning = true;
    const struct spa_pod *format = make_format(&builder);
    pw_stream_update_params(camera.stream, &format, 1);
}

static void send_picture(void *data, uint64_t count) {
    (void)data, (void)count;
    if (camera.is_silent) return;
    if (camera.turns && !camera.has_turned && camera.number == LAST_BEFORE_TURN) turn();
    if (camera.is_turning) return;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(camera.stream);
    if (!buffer) return;
    struct spa_data *block = &buffer->buffer->datas[0];
    struct spa_meta_header *header = spa_buffer_find_meta_data(buffer->buffer, SPA_META_Header, sizeof *header);
    if (header) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        header->pts = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - DELAY;
        header->flags = 0;
        header->seq = ++camera.number;
    }
    if (block->data) memset(block->data, 128, SIZE);
    block->chunk->offset = 0;
    block->chunk->size = SIZE;
    block->chunk->stride = camera.is_full ? width() : width() * 4;
    pw_stream_queue_buffer(camera.stream, buffer);
    pw_stream_trigger_process(camera.stream);
}

static void change_param(void *data, uint32_t id, const struct spa_pod *param) {
    uint8_t bytes[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof bytes);
    const struct spa_pod *params[2];
    (void)data;
    if (id != SPA_PARAM_Format || !param) return;
    camera.is_turning = false;
    params[0] = spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers,
        SPA_PARAM_BUFFERS_buffers, SPA_POD_CHOICE_RANGE_Int(4, 2, 8), SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1),
        SPA_PARAM_BUFFERS_size, SPA_POD_Int(SIZE), SPA_PARAM_BUFFERS_stride, SPA_POD_Int(width() * 4),
        SPA_PARAM_BUFFERS_dataType,
        SPA_POD_CHOICE_FLAGS_Int(camera.is_dma_buf ? 1 << SPA_DATA_DmaBuf : 1 << SPA_DATA_MemFd | 1 << SPA_DATA_MemPtr));
    params[1] = spa_pod_builder_add_object(&builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta,
        SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Header),
        SPA_PARAM_META_size, SPA_POD_Int((int)sizeof(struct spa_meta_header)));
    pw_stream_update_params(camera.stream, params, 2);
}

static const struct pw_stream_events events = {PW_VERSION_STREAM_EVENTS, .param_changed = change_param};

int main(int count, char **arguments) {
    uint8_t bytes[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof bytes);
    const struct timespec period = {0, 33333333};
    if (count != 2 && count != 3) return 2;
    camera.is_dma_buf = count == 3 && !strcmp(arguments[2], "dma-buf");
    camera.is_silent = count == 3 && !strcmp(arguments[2], "silent");
    camera.turns = count == 3 && !strcmp(arguments[2], "turning");
    camera.is_full = count == 3 && !strcmp(arguments[2], "full");
    pw_init(NULL, NULL);
    camera.loop = pw_main_loop_new(NULL);
    struct pw_loop *loop = pw_main_loop_get_loop(camera.loop);
    camera.stream = pw_stream_new_simple(loop, arguments[1], pw_properties_new(PW_KEY_MEDIA_CLASS, "Video/Source",
        PW_KEY_NODE_NAME, arguments[1], PW_KEY_NODE_DESCRIPTION, "Test-Camera", PW_KEY_MEDIA_TYPE, "Video",
        PW_KEY_MEDIA_ROLE, "Camera", NULL), &events, NULL);
    const struct spa_pod *format = make_format(&builder);
    if (pw_stream_connect(camera.stream, PW_DIRECTION_OUTPUT, PW_ID_ANY, PW_STREAM_FLAG_DRIVER | PW_STREAM_FLAG_MAP_BUFFERS,
            &format, 1) < 0)
        return 1;
    struct spa_source *timer = pw_loop_add_timer(loop, send_picture, NULL);
    pw_loop_update_timer(loop, timer, (struct timespec *)&period, (struct timespec *)&period, false);
    pw_main_loop_run(camera.loop);
    return 0;
}
