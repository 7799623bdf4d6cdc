/* Pictures of X11 screens. */
#include "x11.h"

#include "connection.h"

#include "loading.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <time.h>

/* ---- Declarations of libxcb and of the protocol ---------------------------------------------------------------- */

typedef struct { uint8_t type, code; uint16_t sequence; uint32_t resource; uint16_t minor; uint8_t major, unused;
                 uint32_t padding[5], full_sequence; } x_error;

typedef struct {
    uint32_t root, default_colormap, white_pixel, black_pixel, input_masks;
    uint16_t width, height, width_millimeters, height_millimeters, minimum_maps, maximum_maps;
    uint32_t root_visual;
    uint8_t backing_stores, save_unders, root_depth, depth_count;
} x_screen;

typedef struct { x_screen *data; int rest, index; } screen_iterator;

typedef struct {
    uint8_t status, unused; uint16_t major, minor, length; uint32_t release, id_base, id_mask, motion_size;
    uint16_t vendor_length, longest_request; uint8_t root_count, format_count, image_byte_order, bit_order;
} x_setup;

typedef struct { uint8_t type, depth; uint16_t sequence; uint32_t length, root; int16_t x, y; uint16_t width, height,
                 border, unused; } geometry_reply;
typedef struct { uint8_t type, depth; uint16_t sequence; uint32_t length, visual; uint8_t unused[20]; } image_reply;
typedef struct { uint8_t type, depth; uint16_t sequence; uint32_t length, visual, size; } shm_image_reply;
typedef struct { uint8_t type, same_screen; uint16_t sequence; uint32_t length, child; int16_t x, y; } coordinates_reply;
typedef struct { uint8_t type, unused; uint16_t sequence; uint32_t length; uint8_t is_present; } extension_reply;
typedef struct { uint8_t type, unused; uint16_t sequence; uint32_t length; int16_t x, y; uint16_t width, height, hot_x,
                 hot_y; uint32_t serial; uint8_t padding[8]; } cursor_reply;

enum { Z_PIXMAP = 2, LEAST_BYTE_FIRST = 0 };

#define XCB_FUNCTIONS(X) \
    X(xcb_connection_t *, xcb_connect, (const char *, int *)) \
    X(void, xcb_disconnect, (xcb_connection_t *)) \
    X(int, xcb_connection_has_error, (xcb_connection_t *)) \
    X(const x_setup *, xcb_get_setup, (xcb_connection_t *)) \
    X(screen_iterator, xcb_setup_roots_iterator, (const x_setup *)) \
    X(void, xcb_screen_next, (screen_iterator *)) \
    X(uint32_t, xcb_generate_id, (xcb_connection_t *)) \
    X(int, xcb_get_file_descriptor, (xcb_connection_t *)) \
    X(int, xcb_flush, (xcb_connection_t *)) \
    X(int, xcb_poll_for_reply, (xcb_connection_t *, unsigned, void **, x_error **)) \
    X(void *, xcb_poll_for_event, (xcb_connection_t *)) \
    X(cookie, xcb_get_geometry, (xcb_connection_t *, uint32_t)) \
    X(cookie, xcb_get_image, (xcb_connection_t *, uint8_t, uint32_t, int16_t, int16_t, uint16_t, uint16_t, uint32_t)) \
    X(cookie, xcb_translate_coordinates, (xcb_connection_t *, uint32_t, uint32_t, int16_t, int16_t)) \
    X(cookie, xcb_get_input_focus, (xcb_connection_t *)) \
    X(cookie, xcb_query_extension, (xcb_connection_t *, uint16_t, const char *)) \
    X(void, xcb_prefetch_extension_data, (xcb_connection_t *, void *))
#define SHM_FUNCTIONS(X) \
    X(void, xcb_shm_id, (void)) /* an object */ \
    X(cookie, xcb_shm_attach_checked, (xcb_connection_t *, uint32_t, uint32_t, uint8_t)) \
    X(cookie, xcb_shm_get_image, (xcb_connection_t *, uint32_t, int16_t, int16_t, uint16_t, uint16_t, uint32_t, uint8_t, \
        uint32_t, uint32_t))
#define XFIXES_FUNCTIONS(X) \
    X(void, xcb_xfixes_id, (void)) /* an object */ \
    X(cookie, xcb_xfixes_query_version, (xcb_connection_t *, uint32_t, uint32_t)) \
    X(cookie, xcb_xfixes_get_cursor_image, (xcb_connection_t *))

#define NAME(result, name, parameters) #name "\0"
static const nalu_library libraries[] = {
    {"libxcb.so.1", "libxcb1", XCB_FUNCTIONS(NAME)},
    {"libxcb-shm.so.0", "libxcb-shm0", SHM_FUNCTIONS(NAME)},
    {"libxcb-xfixes.so.0", "libxcb-xfixes0", XFIXES_FUNCTIONS(NAME)},
};
#define INDEX(result, name, parameters) INDEX_##name,
enum { XCB_FUNCTIONS(INDEX) SHM_FUNCTIONS(INDEX) XFIXES_FUNCTIONS(INDEX) FUNCTION_COUNT };
#define TYPE(result, name, parameters) typedef result(*type_##name) parameters;
XCB_FUNCTIONS(TYPE)
SHM_FUNCTIONS(TYPE)
XFIXES_FUNCTIONS(TYPE)

static void *functions[FUNCTION_COUNT];
static bool is_loaded;
#define CALL(name) ((type_##name)functions[INDEX_##name])

int32_t nalu_x11_load(char *message, size_t capacity) {
    return nalu_libraries_load(libraries, (int)(sizeof libraries / sizeof *libraries), functions, &is_loaded, message,
        capacity);
}

/* ---- Connections ------------------------------------------------------------------------------------------------ */

nalu_x11 *nalu_x11_connect(const char *display) {
    nalu_x11 *it = calloc(1, sizeof *it);
    if (!it) return NULL;
    it->connection = CALL(xcb_connect)(display, &it->default_screen);
    it->segment = -1;
    it->stop_descriptor = -1;
    it->limit = 2000;
    if (CALL(xcb_connection_has_error)(it->connection)) {
        nalu_x11_close(it);
        return NULL;
    }
    return it;
}

void nalu_x11_close(nalu_x11 *it) {
    if (!it) return;
    CALL(xcb_disconnect)(it->connection);
    if (it->segment >= 0) shmdt(it->pixels);
    free(it->reply);
    free(it);
}

int32_t nalu_x11_screen_count(nalu_x11 *it) { return CALL(xcb_get_setup)(it->connection)->root_count; }

int32_t nalu_x11_default_screen(nalu_x11 *it) { return it->default_screen; }

bool nalu_x11_screen(nalu_x11 *it, int32_t index, uint32_t *window, int32_t *width, int32_t *height) {
    screen_iterator screens = CALL(xcb_setup_roots_iterator)(CALL(xcb_get_setup)(it->connection));
    for (; screens.rest > 0; CALL(xcb_screen_next)(&screens)) {
        if (index-- != 0) continue;
        *window = screens.data->root;
        *width = screens.data->width;
        *height = screens.data->height;
        return true;
    }
    return false;
}

void nalu_x11_set_limits(nalu_x11 *it, int32_t stop_descriptor, int32_t milliseconds) {
    it->stop_descriptor = stop_descriptor;
    it->limit = milliseconds;
}

/* ---- Replies ---------------------------------------------------------------------------------------------------- */

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int32_t nalu_x11_wait_for(nalu_x11 *it, cookie request, void **reply) {
    const int64_t end = milliseconds() + it->limit;
    *reply = NULL;
    CALL(xcb_flush)(it->connection);
    while (true) {
        x_error *error = NULL;
        if (CALL(xcb_poll_for_reply)(it->connection, request.sequence, reply, &error)) {
            if (*reply) return NALU_X11_OK;
            const bool is_refused = error != NULL;
            free(error);
            return is_refused ? NALU_X11_REFUSED : CALL(xcb_connection_has_error)(it->connection) ? NALU_X11_LOST
                                                                                               : NALU_X11_REFUSED;
        }
        if (CALL(xcb_connection_has_error)(it->connection)) return NALU_X11_LOST;
        const int64_t left = end - milliseconds();
        if (left <= 0) return NALU_X11_TIMEOUT;
        struct pollfd events[2] = {{CALL(xcb_get_file_descriptor)(it->connection), POLLIN, 0},
                                   {it->stop_descriptor, POLLIN, 0}};
        if (poll(events, 2, (int)left) > 0 && events[1].revents) return NALU_X11_STOPPED;
    }
}

int32_t nalu_x11_size(nalu_x11 *it, uint32_t window, int32_t *width, int32_t *height) {
    void *reply;
    const int32_t result = nalu_x11_wait_for(it, CALL(xcb_get_geometry)(it->connection, window), &reply);
    if (result != NALU_X11_OK) return result;
    *width = ((geometry_reply *)reply)->width;
    *height = ((geometry_reply *)reply)->height;
    free(reply);
    return NALU_X11_OK;
}

int32_t nalu_x11_find_extension(nalu_x11 *it, const char *name, void *object, bool *is_present) {
    void *reply;
    *is_present = false;
    int32_t result =
        nalu_x11_wait_for(it, CALL(xcb_query_extension)(it->connection, (uint16_t)strlen(name), name), &reply);
    if (result != NALU_X11_OK) return result;
    *is_present = ((extension_reply *)reply)->is_present;
    free(reply);
    if (!*is_present) return NALU_X11_OK;
    CALL(xcb_prefetch_extension_data)(it->connection, object);
    result = nalu_x11_wait_for(it, CALL(xcb_get_input_focus)(it->connection), &reply);
    free(reply);
    return result;
}

/* ---- Pictures --------------------------------------------------------------------------------------------------- */

/* Shares memory with the server. Leaves the connection without shared memory if that is not possible. */
static int32_t share(nalu_x11 *it, size_t size) {
    void *reply;
    bool is_present;
    int32_t result = nalu_x11_find_extension(it, "MIT-SHM", functions[INDEX_xcb_shm_id], &is_present);
    if (result != NALU_X11_OK || !is_present) return result;
    const int segment = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
    if (segment < 0) return NALU_X11_OK;
    void *memory = shmat(segment, NULL, 0);
    if (memory == (void *)-1) {
        shmctl(segment, IPC_RMID, NULL);
        return NALU_X11_OK;
    }
    const uint32_t name = CALL(xcb_generate_id)(it->connection);
    const cookie attach = CALL(xcb_shm_attach_checked)(it->connection, name, (uint32_t)segment, 0);
    /* The answer to a second request shows that the server has handled the first. */
    result = nalu_x11_wait_for(it, CALL(xcb_get_input_focus)(it->connection), &reply);
    free(reply);
    void *none = NULL;
    x_error *error = NULL;
    CALL(xcb_poll_for_reply)(it->connection, attach.sequence, &none, &error);
    /* The system removes the segment when both processes have detached it, also if one is killed. */
    shmctl(segment, IPC_RMID, NULL);
    if (result != NALU_X11_OK || error) {
        free(error);
        shmdt(memory);
        return result;
    }
    it->segment = segment;
    it->segment_id = name;
    it->pixels = memory;
    return NALU_X11_OK;
}

int32_t nalu_x11_prepare(nalu_x11 *it, int32_t width, int32_t height, bool allows_shared_memory) {
    it->width = width;
    it->height = height;
    if (CALL(xcb_get_setup)(it->connection)->image_byte_order != LEAST_BYTE_FIRST) return NALU_X11_FORMAT;
    return allows_shared_memory ? share(it, (size_t)width * (size_t)height * 4) : NALU_X11_OK;
}

/* Draws the pointer, whose pixels are premultiplied ARGB. `x` and `y` are the picture's place on the screen. */
static void draw_cursor(nalu_x11 *it, const cursor_reply *cursor, int32_t x, int32_t y) {
    const size_t count = (size_t)cursor->width * cursor->height;
    if (cursor->length < count) return;
    const uint32_t *source = (const uint32_t *)(cursor + 1);
    const int32_t left = cursor->x - cursor->hot_x - x, top = cursor->y - cursor->hot_y - y;
    for (int32_t row = 0; row < cursor->height; row++) {
        if (top + row < 0 || top + row >= it->height) continue;
        uint8_t *line = it->pixels + (size_t)(top + row) * (size_t)it->width * 4;
        for (int32_t column = 0; column < cursor->width; column++) {
            if (left + column < 0 || left + column >= it->width) continue;
            const uint32_t pixel = source[row * cursor->width + column];
            const uint32_t rest = 255 - (pixel >> 24);
            uint8_t *target = line + (size_t)(left + column) * 4;
            for (int channel = 0; channel < 3; channel++) {
                const uint32_t sum = (pixel >> (8 * channel) & 255) + (target[channel] * rest + 127) / 255;
                target[channel] = (uint8_t)(sum > 255 ? 255 : sum);
            }
        }
    }
}

static int32_t add_cursor(nalu_x11 *it, uint32_t window, uint32_t root, int32_t x, int32_t y) {
    void *reply;
    int32_t result;
    if (!it->has_asked_for_cursor) {
        it->has_asked_for_cursor = true;
        result = nalu_x11_find_extension(it, "XFIXES", functions[INDEX_xcb_xfixes_id], &it->has_cursor);
        if (result != NALU_X11_OK || !it->has_cursor) return result;
        result = nalu_x11_wait_for(it, CALL(xcb_xfixes_query_version)(it->connection, 2, 0), &reply);
        free(reply);
        if (result != NALU_X11_OK && result != NALU_X11_REFUSED) return result;
        it->has_cursor = result == NALU_X11_OK;
    }
    if (!it->has_cursor) return NALU_X11_OK;
    if (window != root) {
        const cookie request = CALL(xcb_translate_coordinates)(it->connection, window, root, (int16_t)x, (int16_t)y);
        result = nalu_x11_wait_for(it, request, &reply);
        if (result != NALU_X11_OK) return result;
        x = ((coordinates_reply *)reply)->x;
        y = ((coordinates_reply *)reply)->y;
        free(reply);
    }
    result = nalu_x11_wait_for(it, CALL(xcb_xfixes_get_cursor_image)(it->connection), &reply);
    if (result == NALU_X11_REFUSED) return NALU_X11_OK;
    if (result != NALU_X11_OK) return result;
    draw_cursor(it, reply, x, y);
    free(reply);
    return NALU_X11_OK;
}

int32_t nalu_x11_grab(nalu_x11 *it, uint32_t window, int32_t x, int32_t y, int32_t window_width, int32_t window_height,
                      bool with_cursor, uint8_t **pixels_out) {
    const size_t size = (size_t)it->width * (size_t)it->height * 4;
    void *geometry, *image;
    /* Both requests take one round trip. */
    const cookie first = CALL(xcb_get_geometry)(it->connection, window);
    const cookie second =
        it->segment >= 0
            ? CALL(xcb_shm_get_image)(it->connection, window, (int16_t)x, (int16_t)y, (uint16_t)it->width,
                  (uint16_t)it->height, ~0u, Z_PIXMAP, it->segment_id, 0)
            : CALL(xcb_get_image)(it->connection, Z_PIXMAP, window, (int16_t)x, (int16_t)y, (uint16_t)it->width,
                  (uint16_t)it->height, ~0u);
    int32_t result = nalu_x11_wait_for(it, first, &geometry);
    if (result != NALU_X11_OK) return result;
    const geometry_reply *shape = geometry;
    const uint32_t root = shape->root;
    const bool is_same = shape->width == window_width && shape->height == window_height;
    free(geometry);
    result = nalu_x11_wait_for(it, second, &image);
    if (result != NALU_X11_OK) return result;
    bool fits;
    if (it->segment >= 0) {
        fits = ((shm_image_reply *)image)->size == size;
        free(image);
    } else {
        fits = (size_t)((image_reply *)image)->length * 4 == size;
        free(it->reply);
        it->reply = image;
        it->pixels = (uint8_t *)((image_reply *)image + 1);
    }
    if (!is_same) return NALU_X11_REFUSED;
    if (!fits) return NALU_X11_FORMAT;
    if (with_cursor) {
        result = add_cursor(it, window, root, x, y);
        if (result != NALU_X11_OK) return result;
    }
    /* Events are not requested; those that arrive nevertheless must not fill the memory. */
    for (void *event; (event = CALL(xcb_poll_for_event)(it->connection));) free(event);
    *pixels_out = it->pixels;
    return NALU_X11_OK;
}
