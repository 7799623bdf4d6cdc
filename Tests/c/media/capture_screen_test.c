/* Screens of X11: pixels, regions, the pointer, conversion, windows that change, and servers that die or stop. */
#include "capture_support.h"
#include "x11_server.h"

/* The pixels of the last picture. */
typedef struct picture {
    uint8_t pixels[640 * 480 * 4];
} picture;

static picture last;

static void copy_picture(capture_recorder *it, nalu_pixel_buffer *buffer) {
    (void)it;
    const uint8_t *plane = nalu_pixel_buffer_get_plane_base_address(buffer, 0);
    const int64_t stride = nalu_pixel_buffer_get_plane_stride(buffer, 0);
    const int32_t width = nalu_pixel_buffer_get_width(buffer), height = nalu_pixel_buffer_get_height(buffer);
    const int bytes = nalu_pixel_buffer_get_pixel_format(buffer) == NALU_PIXEL_FORMAT_BGRA ? 4 : 1;
    for (int y = 0; y < height; y++)
        memcpy(last.pixels + y * width * bytes, plane + y * stride, (size_t)width * (size_t)bytes);
}

static uint32_t pixel(int width, int x, int y) {
    uint32_t value;
    memcpy(&value, last.pixels + (y * width + x) * 4, 4);
    return value & 0xffffff;
}

static char identifier[64];

static nalu_capture_options fast(void) {
    nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
    options.frame_duration = (nalu_time){1, 100, NALU_TIME_VALID, 0};
    return options;
}

/* Captures two pictures of a device; the second one was begun after the call. */
static void capture(const char *name, const nalu_capture_options *options, capture_recorder *it) {
    memset(it, 0, sizeof *it);
    memset(&last, 0x5a, sizeof last);
    it->act = copy_picture;
    nalu_capture_session *session = session_of(name, options, &video_only, it);
    REQUIRE_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it->frames) >= 2 || atomic_load(&it->ends));
    CHECK_EQ(atomic_load(&it->ends), 0);
    CHECK_OK(nalu_capture_session_stop(session));
    nalu_capture_session_release(session);
}

static void check_pictures(const char *extra) {
    static capture_recorder it;
    x11_server server = start_x11(extra);
    painter brush = make_painter(&server);
    snprintf(identifier, sizeof identifier, "x11:%s", server.display);
    paint(&brush, brush.root, 0, 0, 640, 480, 0x102030);
    paint(&brush, brush.root, 100, 50, 7, 3, 0xff8040);
    nalu_capture_options options = fast();
    capture(identifier, &options, &it);
    CHECK_EQ(it.width, 640);
    CHECK_EQ(it.height, 480);
    CHECK_EQ(it.format, NALU_PIXEL_FORMAT_BGRA);
    CHECK_EQ(pixel(640, 99, 50), 0x102030);
    CHECK_EQ(pixel(640, 100, 50), 0xff8040);
    CHECK_EQ(pixel(640, 106, 52), 0xff8040);
    CHECK_EQ(pixel(640, 106, 53), 0x102030);
    CHECK_EQ(pixel(640, 639, 479), 0x102030);
    CHECK(it.time[1] > it.time[0]);

    options.region_x = 98;
    options.region_y = 49;
    options.region_width = 21;
    options.region_height = 9;
    capture(identifier, &options, &it);
    CHECK_EQ(it.width, 21);
    CHECK_EQ(it.height, 9);
    CHECK_EQ(pixel(21, 1, 1), 0x102030);
    CHECK_EQ(pixel(21, 2, 1), 0xff8040);
    CHECK_EQ(pixel(21, 8, 3), 0xff8040);
    CHECK_EQ(pixel(21, 9, 4), 0x102030);

    /* The pointer differs from what is behind it, also in a window's own coordinates. */
    move_pointer(&brush, 108, 53);
    options.flags = NALU_CAPTURE_SHOW_CURSOR;
    capture(identifier, &options, &it);
    int changed = 0;
    for (int i = 0; i < 21 * 9; i++) {
        const uint32_t value = pixel(21, i % 21, i / 21);
        changed += value != 0x102030 && value != 0xff8040;
    }
    CHECK(changed > 5);

    /* Half the size needs a format of 4:2:0: BT.601 luma of the background. */
    options = fast();
    options.width = 320;
    options.height = 240;
    capture(identifier, &options, &it);
    CHECK_EQ(it.format, NALU_PIXEL_FORMAT_420V);
    CHECK_EQ(it.width, 320);
    CHECK_NEAR(last.pixels[200 * 320 + 10], 16 + (0.299 * 16 + 0.587 * 32 + 0.114 * 48) * 219 / 255, 1);

    nalu_capture_device *device = device_named(identifier);
    CHECK_EQ(nalu_capture_device_get_kind(device), NALU_CAPTURE_SCREEN);
    nalu_capture_session *session = STALE;
    options.pixel_format = NALU_PIXEL_FORMAT_RGBA;
    CHECK_STATUS(nalu_capture_session_create(device, &options, &video_only, NULL, NULL, &session),
        NALU_STATUS_PIXEL_TRANSFER_NOT_SUPPORTED);
    CHECK_STATUS(nalu_capture_session_create(device, NULL, &audio_only, NULL, NULL, &session),
        NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    nalu_capture_device_release(device);

    options = fast();
    options.region_x = 600;
    options.region_width = 41;
    options.region_height = 10;
    static capture_recorder refused;
    session = session_of(identifier, &options, &video_only, &refused);
    REFUSED(nalu_capture_session_start(session), NALU_STATUS_INVALID_SIZE, "41x10 at 600,0", "640x480");
    CHECK_EQ(nalu_capture_session_is_running(session), 0);
    nalu_capture_session_release(session);
    end_painter(&brush);
    stop_x11(&server);
}

static void pictures_come_through_shared_memory(void) { check_pictures(NULL); }
static void pictures_come_through_the_connection(void) { check_pictures("-extension"); }

static x11_server server;
static painter brush;
static uint32_t window;

static void resize(void) { resize_window(&brush, window, 50, 40); }
static void destroy(void) { destroy_window(&brush, window); }
static void kill_server(void) { kill(server.process, SIGKILL); }
static void pause_server(void) { kill(server.process, SIGSTOP); }

static void a_session_ends_with_a_status_when_its_window_or_server_goes(void) {
    static void (*const changes[])(void) = {resize, destroy, pause_server, kill_server};
    static const char *const words[] = {"another size", "is gone", "has not answered", "closed the connection"};
    server = start_x11(NULL);
    brush = make_painter(&server);
    for (int i = 0; i < 4; i++) {
        static capture_recorder it;
        memset(&it, 0, sizeof it);
        it.act = copy_picture;
        if (i < 2) window = make_window(&brush, 30, 40, 60, 40, 0x00ff00);
        snprintf(identifier, sizeof identifier, i < 2 ? "x11:%s/0x%x" : "x11:%s", server.display, window);
        const nalu_capture_options options = fast();
        nalu_capture_session *session = session_of(identifier, &options, &video_only, &it);
        REQUIRE_OK(nalu_capture_session_start(session));
        WAIT_UNTIL(atomic_load(&it.frames) >= 2);
        changes[i]();
        WAIT_UNTIL(atomic_load(&it.ends) == 1);
        if (i < 2) {
            CHECK_EQ(it.width, 60);
            CHECK_EQ(pixel(60, 59, 39), 0x00ff00);
        }
        CHECK_EQ(it.end_status, NALU_STATUS_INPUT_OUTPUT);
        CHECK(strstr(it.end_message, words[i]) != NULL);
        CHECK(strstr(it.end_message, identifier) != NULL);
        CHECK_EQ(nalu_capture_session_is_running(session), 0);
        const int frames = atomic_load(&it.frames);
        if (i == 0) {
            /* The window still exists, with another size. */
            nalu_status status = NALU_STATUS_OUT_OF_ORDER;
            while ((status = nalu_capture_session_start(session)) == NALU_STATUS_OUT_OF_ORDER) check_pause();
            CHECK_OK(status);
            WAIT_UNTIL(atomic_load(&it.frames) > frames);
            CHECK_OK(nalu_capture_session_stop(session));
            CHECK_EQ(it.width, 50);
        }
        CHECK_OK(nalu_capture_session_stop(session));
        CHECK_EQ(atomic_load(&it.ends), 1);
        nalu_capture_session_release(session);
        CHECK_EQ(atomic_load(&it.destroyed), 1);
        if (changes[i] == pause_server) {
            /* A server that does not answer is not waited for without limit. */
            nalu_capture_device *device = NULL;
            REFUSED(nalu_capture_device_create_with_id(identifier, &device), NALU_STATUS_VALUE_NOT_AVAILABLE, "2 seconds");
            kill(server.process, SIGCONT);
        }
    }
    stop_x11(&server);
    nalu_capture_device *device = STALE;
    REFUSED(nalu_capture_device_create_with_id(identifier, &device), NALU_STATUS_VALUE_NOT_AVAILABLE, "no X server");
    CHECK_PTR_EQ(device, NULL);
    REFUSED(nalu_capture_device_create_with_id("x11::7/0xzz", &device), NALU_STATUS_VALUE_NOT_AVAILABLE, "no window");
}

static void the_screen_of_the_environment_is_the_default(void) {
    x11_server own = start_x11(NULL);
    nalu_capture_device *device = NULL;
    unsetenv("DISPLAY");
    REFUSED(nalu_capture_device_create_with_id("screen", &device), NALU_STATUS_VALUE_NOT_AVAILABLE, "DISPLAY");
    setenv("DISPLAY", own.display, 1);
    device = device_named("screen");
    snprintf(identifier, sizeof identifier, "x11:%s", own.display);
    CHECK_STR_EQ(nalu_capture_device_get_id(device), identifier);
    nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
    CHECK_OK(nalu_capture_device_get_format(device, 0, &format));
    CHECK_EQ(format.maximum_width, 640);
    CHECK_EQ(format.maximum_height, 480);
    nalu_capture_device_release(device);
    /* X11 needs no permission, so a program that keeps one works here too. */
    nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
    options.restore_token = "of another desktop";
    capture_recorder it = {0};
    nalu_capture_session *session = session_of("screen", &options, &video_only, &it);
    char token[8] = "old";
    size_t size = 0;
    REQUIRE_OK(nalu_capture_session_start(session));
    CHECK_OK(nalu_capture_session_copy_restore_token(session, token, sizeof token, &size));
    CHECK_STR_EQ(token, "");
    nalu_capture_session_release(session);
    nalu_capture_device_list *list = NULL;
    REQUIRE_OK(nalu_capture_device_list_create(NALU_CAPTURE_SCREEN | NALU_CAPTURE_TEST, &list));
    CHECK(nalu_capture_device_list_get_count(list) >= 2);
    nalu_capture_device_list_release(list);
    stop_x11(&own);
    unsetenv("DISPLAY");
}

/* The names and sizes of the display's screens, each with a separator. */
static void list_screens(char *text, size_t capacity) {
    nalu_capture_device_list *list = NULL;
    REQUIRE_OK(nalu_capture_device_list_create(NALU_CAPTURE_SCREEN, &list));
    size_t size = 0;
    text[0] = 0;
    for (size_t i = 0; i < nalu_capture_device_list_get_count(list) && size < capacity; i++) {
        nalu_capture_device *device = nalu_capture_device_list_get_device(list, i);
        nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
        CHECK_OK(nalu_capture_device_get_format(device, 0, &format));
        size += (size_t)snprintf(text + size, capacity - size, "%s %dx%d;", nalu_capture_device_get_id(device),
            (int)format.maximum_width, (int)format.maximum_height);
    }
    nalu_capture_device_list_release(list);
}

static void each_monitor_is_a_device(void) {
    static capture_recorder it;
    char command[256], text[1024], wanted[128];
    x11_server own = start_x11(NULL);
    painter own_brush = make_painter(&own);
    paint(&own_brush, own_brush.root, 0, 0, 640, 480, 0x102030);
    paint(&own_brush, own_brush.root, 335, 70, 7, 3, 0xff8040);
    /* Two monitors beside each other, the right one lower. */
    snprintf(command, sizeof command, "xrandr --display %s --setmonitor left 320/80x480/120+0+0 none && "
        "xrandr --display %s --setmonitor right 300/75x400/100+330+60 none", own.display, own.display);
    REQUIRE(system(command) == 0);
    setenv("DISPLAY", own.display, 1);
    list_screens(text, sizeof text);
    snprintf(wanted, sizeof wanted, "x11:%s 640x480;", own.display);
    CHECK(strstr(text, wanted) == text);
    snprintf(wanted, sizeof wanted, "x11:%s/left 320x480;", own.display);
    CHECK(strstr(text, wanted) != NULL);
    snprintf(wanted, sizeof wanted, "x11:%s/right 300x400;", own.display);
    CHECK(strstr(text, wanted) != NULL);

    snprintf(identifier, sizeof identifier, "x11:%s/right", own.display);
    nalu_capture_options options = fast();
    capture(identifier, &options, &it);
    CHECK_EQ(it.width, 300);
    CHECK_EQ(it.height, 400);
    CHECK_EQ(pixel(300, 4, 10), 0x102030);
    CHECK_EQ(pixel(300, 5, 10), 0xff8040);
    CHECK_EQ(pixel(300, 11, 12), 0xff8040);
    CHECK_EQ(pixel(300, 12, 12), 0x102030);
    /* A region is inside the monitor. */
    options.region_x = 5;
    options.region_y = 10;
    options.region_width = 4;
    options.region_height = 4;
    capture(identifier, &options, &it);
    CHECK_EQ(pixel(4, 0, 0), 0xff8040);
    CHECK_EQ(pixel(4, 0, 3), 0x102030);
    options.region_x = 297;
    static capture_recorder refused;
    nalu_capture_session *session = session_of(identifier, &options, &video_only, &refused);
    REFUSED(nalu_capture_session_start(session), NALU_STATUS_INVALID_SIZE, "4x4 at 297,10", "300x400");
    nalu_capture_session_release(session);

    nalu_capture_device *device = NULL;
    snprintf(identifier, sizeof identifier, "x11:%s/middle", own.display);
    REFUSED(nalu_capture_device_create_with_id(identifier, &device), NALU_STATUS_VALUE_NOT_AVAILABLE, "left", "right");
    end_painter(&own_brush);
    stop_x11(&own);
    unsetenv("DISPLAY");
}

int main(void) {
    RUN(pictures_come_through_shared_memory);
    RUN(pictures_come_through_the_connection);
    RUN(a_session_ends_with_a_status_when_its_window_or_server_goes);
    RUN(the_screen_of_the_environment_is_the_default);
    RUN(each_monitor_is_a_device);
    return check_result();
}
