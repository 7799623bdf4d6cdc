/* A connection to an X server, for the files of this module. */
#ifndef NALU_CX11_CONNECTION_H
#define NALU_CX11_CONNECTION_H

#include "x11.h"

#define HIDDEN __attribute__((visibility("hidden")))

typedef struct xcb_connection_t xcb_connection_t;
typedef struct { unsigned sequence; } cookie;

struct nalu_x11 {
    xcb_connection_t *connection;
    int default_screen;
    int32_t stop_descriptor, limit;
    int32_t width, height;
    uint8_t *pixels; /* shared memory, or a reply's */
    void *reply;     /* the last reply without shared memory */
    int segment;     /* -1 without shared memory */
    uint32_t segment_id;
    bool has_cursor; /* whether the version of XFIXES was requested, which must precede its other requests */
    bool has_asked_for_cursor;
};

/* Waits for the reply of a request. The caller frees the reply. */
HIDDEN int32_t nalu_x11_wait_for(nalu_x11 *it, cookie request, void **reply);

/*
 * Reads whether the server has an extension. Requests of a missing extension make libxcb close the
 * connection, and libxcb waits without limit for an extension's number. This function prevents both.
 */
HIDDEN int32_t nalu_x11_find_extension(nalu_x11 *it, const char *name, void *object, bool *is_present);

#endif
