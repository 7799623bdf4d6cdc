/* An Xvfb of a test, and drawing into it by libxcb, which is opened as libnalu opens it. */
#ifndef NALU_TESTS_X11_SERVER_H
#define NALU_TESTS_X11_SERVER_H

#include "check.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

typedef struct x11_server {
    pid_t process;
    char display[16]; /* ":7" */
} x11_server;

/* Whether a server accepts connections. */
static inline int answers(const x11_server *it) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.X11-unix/X%s", it->display + 1);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    const int result = connect(descriptor, (struct sockaddr *)&address, sizeof address);
    close(descriptor);
    return result == 0;
}

/* Starts Xvfb once at display `number`. The process of the result is 0 if another server has the number. */
static inline x11_server try_x11(int number, const char *extra) {
    x11_server it = {0, ":"};
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    it.process = fork();
    if (it.process == 0) {
        char display[16], report[16];
        const int quiet = open("/dev/null", O_WRONLY);
        snprintf(display, sizeof display, ":%d", number);
        snprintf(report, sizeof report, "%d", ends[1]);
        dup2(quiet, 2);
        close(ends[0]);
        execlp("Xvfb", "Xvfb", display, "-displayfd", report, "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset",
            extra, extra ? "MIT-SHM" : NULL, NULL);
        _exit(127);
    }
    close(ends[1]);
    /* The server reports its number when it accepts clients, and reports nothing if it cannot start. */
    size_t size = 1;
    while (size < sizeof it.display - 1 && read(ends[0], it.display + size, 1) == 1 && it.display[size] != '\n') size++;
    close(ends[0]);
    it.display[size] = 0;
    int status = 0;
    if (size == 1 && waitpid(it.process, &status, 0) == it.process) {
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
            fprintf(stderr, "there is no Xvfb: run scripts/setup\n");
            exit(EXIT_FAILURE);
        }
        it.process = 0;
    }
    return it;
}

/* Starts Xvfb with one screen of 640 x 480 and 24 bits. `extra` is one more option, or NULL. If Xvfb chose its number,
 * it would take no lock of it, and two servers that start at the same time could choose the same one. */
static inline x11_server start_x11(const char *extra) {
    x11_server it;
    int attempts = 0;
    do it = try_x11(100 + (getpid() + attempts * 7919) % 10000, extra);
    while (!it.process && ++attempts < 20);
    REQUIRE(it.process && answers(&it));
    return it;
}

static inline void stop_x11(x11_server *it) {
    if (it->process <= 0) return;
    kill(it->process, SIGTERM);
    waitpid(it->process, NULL, 0);
    it->process = 0;
}

/* A connection for drawing. */
typedef struct painter {
    void *library, *connection;
    uint32_t root;
} painter;

#define XCB(it, name, type) (*(__typeof__(type) *)(uintptr_t[1]){(uintptr_t)dlsym((it)->library, name)})

static inline painter make_painter(const x11_server *server) {
    painter it;
    it.library = dlopen("libxcb.so.1", RTLD_NOW);
    REQUIRE(it.library != NULL);
    it.connection = XCB(&it, "xcb_connect", void *(*)(const char *, int *))(server->display, NULL);
    const uint8_t *setup = XCB(&it, "xcb_get_setup", const uint8_t *(*)(void *))(it.connection);
    typedef struct { uint8_t *data; int rest, index; } roots;
    it.root = *(uint32_t *)XCB(&it, "xcb_setup_roots_iterator", roots (*)(const uint8_t *))(setup).data;
    return it;
}

static inline void flush_painter(painter *it) {
    typedef struct { unsigned sequence; } cookie;
    const cookie request = XCB(it, "xcb_get_input_focus", cookie (*)(void *))(it->connection);
    free(XCB(it, "xcb_get_input_focus_reply", void *(*)(void *, cookie, void *))(it->connection, request, NULL));
}

/* Fills a rectangle of a window. */
static inline void paint(painter *it, uint32_t window, int x, int y, int width, int height, uint32_t colour) {
    const int16_t rectangle[4] = {(int16_t)x, (int16_t)y, (int16_t)width, (int16_t)height};
    const uint32_t context = XCB(it, "xcb_generate_id", uint32_t (*)(void *))(it->connection);
    XCB(it, "xcb_create_gc", unsigned (*)(void *, uint32_t, uint32_t, uint32_t, const void *))
        (it->connection, context, window, 1u << 2, &colour);
    XCB(it, "xcb_poly_fill_rectangle", unsigned (*)(void *, uint32_t, uint32_t, uint32_t, const void *))
        (it->connection, window, context, 1, rectangle);
    flush_painter(it);
}

static inline uint32_t make_window(painter *it, int x, int y, int width, int height, uint32_t colour) {
    const uint32_t window = XCB(it, "xcb_generate_id", uint32_t (*)(void *))(it->connection);
    XCB(it, "xcb_create_window", unsigned (*)(void *, uint8_t, uint32_t, uint32_t, int16_t, int16_t, uint16_t, uint16_t,
        uint16_t, uint16_t, uint32_t, uint32_t, const void *))
        (it->connection, 0, window, it->root, (int16_t)x, (int16_t)y, (uint16_t)width, (uint16_t)height, 0, 1, 0, 1u << 1,
            &colour);
    XCB(it, "xcb_map_window", unsigned (*)(void *, uint32_t))(it->connection, window);
    flush_painter(it);
    return window;
}

static inline void resize_window(painter *it, uint32_t window, uint32_t width, uint32_t height) {
    const uint32_t values[2] = {width, height};
    XCB(it, "xcb_configure_window", unsigned (*)(void *, uint32_t, uint16_t, const void *))
        (it->connection, window, 4 | 8, values);
    flush_painter(it);
}

static inline void destroy_window(painter *it, uint32_t window) {
    XCB(it, "xcb_destroy_window", unsigned (*)(void *, uint32_t))(it->connection, window);
    flush_painter(it);
}

static inline void move_pointer(painter *it, int x, int y) {
    XCB(it, "xcb_warp_pointer", unsigned (*)(void *, uint32_t, uint32_t, int16_t, int16_t, uint16_t, uint16_t, int16_t,
        int16_t))(it->connection, 0, it->root, 0, 0, 0, 0, (int16_t)x, (int16_t)y);
    flush_painter(it);
}

static inline void end_painter(painter *it) {
    XCB(it, "xcb_disconnect", void (*)(void *))(it->connection);
}

#endif
