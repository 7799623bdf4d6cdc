/*
 * Screens of Wayland: asks the desktop's portal (org.freedesktop.portal.ScreenCast) over D-Bus for a screen or window that
 * the user chooses, and returns where PipeWire has its pictures. libdbus-1 is opened at the first use.
 *
 * The declarations of libdbus's functions in dbus.h follow its documentation, so that the build needs no headers of it.
 *
 * One thread at a time uses a session. Functions that fail write the reason to `message`, which has room for
 * NALU_PORTAL_MESSAGE characters.
 */
#ifndef NALU_CPORTAL_PORTAL_H
#define NALU_CPORTAL_PORTAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NALU_PORTAL_MESSAGE = 512,
    NALU_PORTAL_TOKEN = 1024 /* bytes of a token with its NUL */
};

/* Results. */
enum {
    NALU_PORTAL_OK = 0,
    NALU_PORTAL_STOPPED = 1,        /* the stop descriptor is readable */
    NALU_PORTAL_NOT_INSTALLED = -1, /* libdbus-1 cannot be loaded */
    NALU_PORTAL_MISSING = -2,       /* there is no session bus, or no portal on it */
    NALU_PORTAL_REFUSED = -3,       /* the user has refused, or closed the dialog */
    NALU_PORTAL_FAILED = -4         /* the portal reports an error, or does not answer in time */
};

/* A session with the portal, which shares the screen as long as it exists. */
typedef struct nalu_portal nalu_portal;

/* The screen that a session shares. */
typedef struct nalu_portal_screen {
    uint32_t node;         /* the number of the PipeWire node that has the pictures */
    int descriptor;        /* a connection to PipeWire; the caller owns it */
    int32_t width, height; /* pixels; 0 if unknown */
    char token[NALU_PORTAL_TOKEN]; /* lets the next session begin without a dialog; "" if the desktop remembers nothing */
} nalu_portal_screen;

/* Returns a field that is an array, without a copy. */
static inline const char *nalu_portal_get_token(const nalu_portal_screen *screen) { return screen->token; }

/* Checks that the portal can share screens. Waits at most `milliseconds`. */
int32_t nalu_portal_check(int32_t milliseconds, char *message);

/*
 * Asks the user for a screen or window. Waits until `stop_descriptor` is readable, at most `milliseconds`. `token` is NULL;
 * or "" if the desktop is to remember the answer; or the token of an earlier session, whose screen is shared without a
 * question if the desktop still permits it.
 */
int32_t nalu_portal_open(bool shows_cursor, const char *token, int stop_descriptor, int32_t milliseconds,
                         nalu_portal **portal_out, nalu_portal_screen *screen_out, char *message);

/* Ends the sharing. */
void nalu_portal_close(nalu_portal *portal);

#endif
