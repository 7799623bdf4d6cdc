/*
 * Windows, keys and audio output by SDL2, which is loaded by nalu_sdl_load.
 *
 * One thread opens, draws and closes a window, and asks for its events.
 */
#ifndef NALU_CSDL_SDL_H
#define NALU_CSDL_SDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Loads SDL2, unless it is loaded. Returns 0, or -1 with a message that names library and package. */
int32_t nalu_sdl_load(char *message, size_t capacity);

/* ---- Windows ---------------------------------------------------------------------------------------------------- */

typedef struct nalu_window nalu_window;

/* Flags of nalu_window_open. */
enum {
    NALU_WINDOW_FULL_SCREEN = 1 << 0,
    NALU_WINDOW_SYNCHRONIZED = 1 << 1 /* draw while the screen is not read, which delays drawing */
};

/* Opens a window whose contents have this size, or a smaller one of the same shape if the screen is smaller. Returns
 * NULL with SDL's message. There may be one window at a time. */
nalu_window *nalu_window_open(const char *title, int32_t width, int32_t height, int32_t flags, char *message,
                              size_t capacity);
void nalu_window_close(nalu_window *window);
void nalu_window_set_title(nalu_window *window, const char *title);
void nalu_window_toggle_full_screen(nalu_window *window);

/* Layouts of pixels. */
enum { NALU_LAYOUT_I420 = 0, NALU_LAYOUT_NV12 = 1, NALU_LAYOUT_BGRA = 2 };
/* Matrix and range of YCbCr pixels. */
enum { NALU_COLORS_BT601_FULL = 0, NALU_COLORS_BT601 = 1, NALU_COLORS_BT709 = 2 };

typedef struct nalu_window_picture {
    const void *planes[3];
    int32_t strides[3];
    int32_t width, height;
    int32_t layout, colors;
} nalu_window_picture;

/* Copies a picture, which nalu_window_draw shows from then on. Returns false for a failure of SDL. */
bool nalu_window_set_picture(nalu_window *window, const nalu_window_picture *picture);

/* Sets how pictures are shown: mirrored from left to right, then turned clockwise by quarter turns. `pixel_aspect` is
 * the width of a pixel divided by its height. */
void nalu_window_set_shape(nalu_window *window, bool is_mirrored, int32_t quarters, double pixel_aspect);

/* Draws the picture as large as it fits, with black bars at two sides. */
void nalu_window_draw(nalu_window *window);

/* Kinds of events. */
enum { NALU_EVENT_NONE = 0, NALU_EVENT_OTHER = 1, NALU_EVENT_QUIT = 2, NALU_EVENT_KEY = 3, NALU_EVENT_REDRAW = 4 };

/* Keys other than characters, which have their codes of ASCII. */
enum { NALU_KEY_LEFT = 0x40000050, NALU_KEY_RIGHT = 0x4000004F, NALU_KEY_UP = 0x40000052, NALU_KEY_DOWN = 0x40000051 };

typedef struct nalu_window_event {
    int32_t kind;
    int32_t key; /* for NALU_EVENT_KEY */
} nalu_window_event;

/* Returns the next event; NALU_EVENT_NONE if there is none. Does not wait: while SDL_WaitEvent waits, a thread that adds
 * an event sends the window an X11 message. If the window is closed by then, the message is an error, and Xlib ends the
 * process. */
nalu_window_event nalu_window_next_event(void);

/* ---- Audio ------------------------------------------------------------------------------------------------------ */

typedef struct nalu_audio_output nalu_audio_output;

/* Fills a buffer with interleaved stereo, in a thread of SDL. */
typedef void (*nalu_audio_fill)(void *refcon, float *frames, int32_t count);

/* Opens the default device, which calls `fill` at once. Returns NULL with SDL's message. */
nalu_audio_output *nalu_audio_open(int32_t sample_rate, nalu_audio_fill fill, void *refcon, char *message,
                                   size_t capacity);
/* The frames in a buffer of the device. */
int32_t nalu_audio_buffer_size(const nalu_audio_output *output);
/* The name of SDL's driver, such as "pulseaudio" or "dummy". */
const char *nalu_audio_driver(void);
/* Closes the device. No call of its function runs afterwards. */
void nalu_audio_close(nalu_audio_output *output);

#endif
