/* Windows, keys and audio output by SDL2. */
#include "sdl.h"

#include "library.h"
#include "loading.h"

#include <stdio.h>
#include <stdlib.h>

#define NAME(result, name, parameters) #name "\0"
static const nalu_library library = {"libSDL2-2.0.so.0", "libsdl2-2.0-0", SDL_FUNCTIONS(NAME)};
#define INDEX(result, name, parameters) INDEX_##name,
enum { SDL_FUNCTIONS(INDEX) FUNCTION_COUNT };
#define TYPE(result, name, parameters) typedef result(*type_##name) parameters;
SDL_FUNCTIONS(TYPE)

static void *functions[FUNCTION_COUNT];
static bool is_loaded;
#define CALL(name) ((type_##name)functions[INDEX_##name])

int32_t nalu_sdl_load(char *message, size_t capacity) {
    return nalu_libraries_load(&library, 1, functions, &is_loaded, message, capacity);
}

static void explain(char *message, size_t capacity) { snprintf(message, capacity, "%s", CALL(SDL_GetError)()); }

/* ---- Windows ---------------------------------------------------------------------------------------------------- */

struct nalu_window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    uint32_t pixels; /* SDL's format of the texture */
    int32_t width, height, colors;
    bool is_mirrored;
    int32_t quarters;
    double pixel_aspect;
};

/* Reduces a size to the one that fits into nine tenths of the screen, where the window's frame has room. */
static void fit(int32_t *width, int32_t *height) {
    sdl_rectangle screen;
    if (CALL(SDL_GetDisplayUsableBounds)(0, &screen) != 0) return;
    double scale = 1;
    if (*width * scale > screen.w * 0.9) scale = screen.w * 0.9 / *width;
    if (*height * scale > screen.h * 0.9) scale = screen.h * 0.9 / *height;
    *width = (int32_t)(*width * scale) > 0 ? (int32_t)(*width * scale) : 1;
    *height = (int32_t)(*height * scale) > 0 ? (int32_t)(*height * scale) : 1;
}

nalu_window *nalu_window_open(const char *title, int32_t width, int32_t height, int32_t flags, char *message,
                              size_t capacity) {
    /* The program handles signals itself. */
    CALL(SDL_SetHint)("SDL_NO_SIGNAL_HANDLERS", "1");
    CALL(SDL_SetHint)("SDL_APP_NAME", "nalu");
    CALL(SDL_SetHint)("SDL_RENDER_SCALE_QUALITY", "linear");
    /* Compositing must stay on for the other windows. */
    CALL(SDL_SetHint)("SDL_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR", "0");
    if (CALL(SDL_InitSubSystem)(INIT_VIDEO) != 0) {
        explain(message, capacity);
        return NULL;
    }
    nalu_window *it = calloc(1, sizeof *it);
    if (!it) {
        snprintf(message, capacity, "no memory for a window");
        CALL(SDL_QuitSubSystem)(INIT_VIDEO);
        return NULL;
    }
    it->pixel_aspect = 1;
    fit(&width, &height);
    const bool is_full = flags & NALU_WINDOW_FULL_SCREEN;
    /* SDL replaces the window by one for OpenGL when it creates the renderer. Only the second one is shown. */
    it->window = CALL(SDL_CreateWindow)(title, POSITION_UNDEFINED, POSITION_UNDEFINED, width, height,
        WINDOW_HIDDEN | WINDOW_RESIZABLE | WINDOW_ALLOW_HIGH_DPI | (is_full ? WINDOW_FULL_SCREEN_DESKTOP : 0));
    const uint32_t sync = flags & NALU_WINDOW_SYNCHRONIZED ? RENDERER_PRESENT_VSYNC : 0;
    if (it->window) it->renderer = CALL(SDL_CreateRenderer)(it->window, -1, sync);
    /* A window without a picture is black. */
    if (it->renderer) {
        CALL(SDL_ShowWindow)(it->window);
        if (is_full) CALL(SDL_ShowCursor)(0);
        nalu_window_draw(it);
        return it;
    }
    explain(message, capacity);
    nalu_window_close(it);
    return NULL;
}

void nalu_window_close(nalu_window *it) {
    if (!it) return;
    if (it->texture) CALL(SDL_DestroyTexture)(it->texture);
    if (it->renderer) CALL(SDL_DestroyRenderer)(it->renderer);
    if (it->window) CALL(SDL_DestroyWindow)(it->window);
    CALL(SDL_QuitSubSystem)(INIT_VIDEO);
    free(it);
}

void nalu_window_set_title(nalu_window *it, const char *title) { CALL(SDL_SetWindowTitle)(it->window, title); }

void nalu_window_toggle_full_screen(nalu_window *it) {
    const bool is_full = CALL(SDL_GetWindowFlags)(it->window) & 1;
    CALL(SDL_SetWindowFullscreen)(it->window, is_full ? 0 : WINDOW_FULL_SCREEN_DESKTOP);
    CALL(SDL_ShowCursor)(is_full);
}

/* Makes the texture fit a picture. */
static bool prepare(nalu_window *it, const nalu_window_picture *picture) {
    const uint32_t formats[] = {PIXELS_IYUV, PIXELS_NV12, PIXELS_ARGB8888}, pixels = formats[picture->layout];
    if (it->texture && it->pixels == pixels && it->width == picture->width && it->height == picture->height &&
        it->colors == picture->colors)
        return true;
    if (it->texture) CALL(SDL_DestroyTexture)(it->texture);
    /* SDL reads the mode when it makes or draws a texture, by renderer. */
    CALL(SDL_SetYUVConversionMode)(picture->colors);
    it->texture =
        CALL(SDL_CreateTexture)(it->renderer, pixels, TEXTURE_STREAMING, picture->width, picture->height);
    it->pixels = pixels;
    it->width = picture->width;
    it->height = picture->height;
    it->colors = picture->colors;
    return it->texture != NULL;
}

bool nalu_window_set_picture(nalu_window *it, const nalu_window_picture *picture) {
    if (!prepare(it, picture)) return false;
    const void *const *planes = picture->planes;
    const int32_t *strides = picture->strides;
    switch (picture->layout) {
    case NALU_LAYOUT_I420:
        return CALL(SDL_UpdateYUVTexture)(it->texture, NULL, planes[0], strides[0], planes[1], strides[1], planes[2],
            strides[2]) == 0;
    case NALU_LAYOUT_NV12:
        return CALL(SDL_UpdateNVTexture)(it->texture, NULL, planes[0], strides[0], planes[1], strides[1]) == 0;
    default: return CALL(SDL_UpdateTexture)(it->texture, NULL, planes[0], strides[0]) == 0;
    }
}

void nalu_window_set_shape(nalu_window *it, bool is_mirrored, int32_t quarters, double pixel_aspect) {
    it->is_mirrored = is_mirrored;
    it->quarters = quarters & 3;
    it->pixel_aspect = pixel_aspect > 0 ? pixel_aspect : 1;
}

void nalu_window_draw(nalu_window *it) {
    int width = 0, height = 0;
    CALL(SDL_SetRenderDrawColor)(it->renderer, 0, 0, 0, 255);
    CALL(SDL_RenderClear)(it->renderer);
    CALL(SDL_GetRendererOutputSize)(it->renderer, &width, &height);
    if (it->texture && width > 0 && height > 0) {
        /* The size of the turned picture, and the scale at which it fits. */
        const bool is_turned = it->quarters & 1;
        const double across = it->width * it->pixel_aspect, down = it->height;
        const double shown_width = is_turned ? down : across, shown_height = is_turned ? across : down;
        double scale = width / shown_width;
        if (shown_height * scale > height) scale = height / shown_height;
        /* SDL turns the rectangle about its centre. */
        const int w = (int)(across * scale + 0.5), h = (int)(down * scale + 0.5);
        const sdl_rectangle target = {(width - w) / 2, (height - h) / 2, w, h};
        CALL(SDL_RenderCopyEx)(it->renderer, it->texture, NULL, &target, it->quarters * 90.0, NULL,
            it->is_mirrored ? FLIP_HORIZONTAL : 0);
    }
    CALL(SDL_RenderPresent)(it->renderer);
}

nalu_window_event nalu_window_next_event(void) {
    nalu_window_event result = {NALU_EVENT_NONE, 0};
    sdl_event event;
    if (!CALL(SDL_PollEvent)(&event)) return result;
    result.kind = NALU_EVENT_OTHER;
    switch (event.type) {
    case EVENT_QUIT: result.kind = NALU_EVENT_QUIT; break;
    case EVENT_KEY_DOWN:
        result.kind = NALU_EVENT_KEY;
        result.key = event.key.key;
        break;
    case EVENT_WINDOW:
        if (event.window.event == WINDOW_EXPOSED || event.window.event == WINDOW_SIZE_CHANGED)
            result.kind = NALU_EVENT_REDRAW;
        break;
    case EVENT_TARGETS_RESET:
    case EVENT_DEVICE_RESET: result.kind = NALU_EVENT_REDRAW; break;
    default: break;
    }
    return result;
}

/* ---- Audio ------------------------------------------------------------------------------------------------------ */

struct nalu_audio_output {
    uint32_t device;
    nalu_audio_fill fill;
    void *refcon;
    int32_t buffer_size;
};

static void fill(void *refcon, uint8_t *bytes, int size) {
    nalu_audio_output *it = refcon;
    it->fill(it->refcon, (float *)(void *)bytes, size / (int)(2 * sizeof(float)));
}

nalu_audio_output *nalu_audio_open(int32_t sample_rate, nalu_audio_fill function, void *refcon, char *message,
                                   size_t capacity) {
    if (CALL(SDL_InitSubSystem)(INIT_AUDIO) != 0) {
        explain(message, capacity);
        return NULL;
    }
    nalu_audio_output *it = calloc(1, sizeof *it);
    if (it) {
        it->fill = function;
        it->refcon = refcon;
        sdl_audio_spec got, asked = {.frequency = sample_rate, .format = AUDIO_FLOAT, .channels = 2, .samples = 1024,
            .callback = fill, .refcon = it};
        it->device = CALL(SDL_OpenAudioDevice)(NULL, 0, &asked, &got, 0);
        if (it->device) {
            it->buffer_size = got.samples;
            CALL(SDL_PauseAudioDevice)(it->device, 0);
            return it;
        }
    }
    explain(message, capacity);
    free(it);
    CALL(SDL_QuitSubSystem)(INIT_AUDIO);
    return NULL;
}

int32_t nalu_audio_buffer_size(const nalu_audio_output *it) { return it->buffer_size; }

const char *nalu_audio_driver(void) {
    const char *name = CALL(SDL_GetCurrentAudioDriver)();
    return name ? name : "";
}

void nalu_audio_close(nalu_audio_output *it) {
    if (!it) return;
    CALL(SDL_CloseAudioDevice)(it->device);
    CALL(SDL_QuitSubSystem)(INIT_AUDIO);
    free(it);
}
