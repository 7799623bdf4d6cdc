/*
 * Pictures of X11 screens and windows, by libxcb, libxcb-shm and libxcb-xfixes, which are opened at
 * the first use. No function ends the process when the server dies, and every wait has a limit.
 *
 * The declarations of libxcb's functions and of the protocol's replies in x11.c follow the X11
 * protocol and its extensions MIT-SHM 1.1 and XFIXES 2.0, so that the build needs no headers of xcb.
 */
#ifndef NALU_CX11_X11_H
#define NALU_CX11_X11_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A connection to a server. One thread uses it at a time. */
typedef struct nalu_x11 nalu_x11;

/* Results. */
enum {
    NALU_X11_OK = 0,
    NALU_X11_STOPPED = 1,  /* the stop descriptor is readable */
    NALU_X11_TIMEOUT = 2,  /* the server has not answered in time */
    NALU_X11_LOST = 3,     /* the connection is closed */
    NALU_X11_REFUSED = 4,  /* the server refused the request: there is no such window, or its size has changed */
    NALU_X11_NO_MEMORY = 5,
    NALU_X11_FORMAT = 6    /* the pixels are not 32 bits of blue, green, red */
};

/* Loads the libraries. Returns 0, or -1 with the name of the missing package. */
int32_t nalu_x11_load(char *message, size_t capacity);

/* Connects to a display; NULL for the one of the environment. Waits for the server without limit, so
 * that the caller needs a thread. Returns NULL if there is no such display. Needs nalu_x11_load. */
nalu_x11 *nalu_x11_connect(const char *display);

/* Closes the connection and frees its memory. */
void nalu_x11_close(nalu_x11 *it);

/* The number of screens, and the root window and size of each, as they were when connecting. */
int32_t nalu_x11_screen_count(nalu_x11 *it);
bool nalu_x11_screen(nalu_x11 *it, int32_t index, uint32_t *window, int32_t *width, int32_t *height);

/* The default screen's number. */
int32_t nalu_x11_default_screen(nalu_x11 *it);

/* A monitor, and the part of a screen that it shows. */
typedef struct nalu_x11_monitor {
    char name[64];
    bool is_primary;
    int32_t x, y, width, height;
} nalu_x11_monitor;

/* The most monitors of a screen that are listed. */
enum { NALU_X11_MOST_MONITORS = 16 };

/*
 * Reads the monitors of a screen, by its root window. There are none if libxcb-randr is not installed,
 * or the server lacks RandR 1.5.
 */
int32_t nalu_x11_monitors(nalu_x11 *it, uint32_t window, nalu_x11_monitor *monitors, int32_t *count_out);

/* Sets the descriptor that ends every wait, and the longest wait in milliseconds. */
void nalu_x11_set_limits(nalu_x11 *it, int32_t stop_descriptor, int32_t milliseconds);

/* Reads the size of a window. */
int32_t nalu_x11_size(nalu_x11 *it, uint32_t window, int32_t *width, int32_t *height);

/*
 * Prepares for pictures of one size. Uses memory that is shared with the server, if the server is on
 * this machine and `allows_shared_memory` is set. Otherwise each picture is copied through the
 * connection.
 */
int32_t nalu_x11_prepare(nalu_x11 *it, int32_t width, int32_t height, bool allows_shared_memory);

/*
 * Takes a picture of a part of a window, of the size that was prepared. NALU_X11_REFUSED if the
 * window is not of window_width x window_height any more. `pixels_out` receives BGRA with rows of
 * 4 * width bytes, valid until the next call.
 */
int32_t nalu_x11_grab(nalu_x11 *it, uint32_t window, int32_t x, int32_t y, int32_t window_width,
                      int32_t window_height, bool with_cursor, uint8_t **pixels_out);

#endif
