/* SDL2's functions, types and constants as its headers declare them, so that the build does not need these. */
#ifndef NALU_CSDL_LIBRARY_H
#define NALU_CSDL_LIBRARY_H

#include <stdint.h>

typedef struct SDL_Window SDL_Window;
typedef struct SDL_Renderer SDL_Renderer;
typedef struct SDL_Texture SDL_Texture;

typedef struct { int x, y, w, h; } sdl_rectangle;

/* The union SDL_Event: the parts that are read here, and its size. */
typedef union {
    uint32_t type;
    struct { uint32_t type, timestamp, window; uint8_t event; } window;
    struct { uint32_t type, timestamp, window; uint8_t state, repeat, unused[2]; int32_t scancode, key; } key;
    uint8_t size[128];
} sdl_event;

typedef struct {
    int frequency;
    uint16_t format;
    uint8_t channels, silence;
    uint16_t samples, padding;
    uint32_t size;
    void (*callback)(void *refcon, uint8_t *bytes, int size);
    void *refcon;
} sdl_audio_spec;

enum { INIT_AUDIO = 0x10, INIT_VIDEO = 0x20 };
enum { WINDOW_ALLOW_HIGH_DPI = 0x2000, WINDOW_RESIZABLE = 0x20, WINDOW_HIDDEN = 8, WINDOW_FULL_SCREEN_DESKTOP = 0x1001 };
enum { POSITION_UNDEFINED = 0x1FFF0000 };
enum { RENDERER_PRESENT_VSYNC = 4 };
enum { TEXTURE_STREAMING = 1 };
enum { FLIP_HORIZONTAL = 1 };
enum { EVENT_QUIT = 0x100, EVENT_WINDOW = 0x200, EVENT_KEY_DOWN = 0x300, EVENT_TARGETS_RESET = 0x2000,
       EVENT_DEVICE_RESET = 0x2001 };
enum { WINDOW_EXPOSED = 3, WINDOW_SIZE_CHANGED = 6 };
enum { AUDIO_FLOAT = 0x8120 };
#define PIXELS_IYUV 0x56555949u
#define PIXELS_NV12 0x3231564Eu
#define PIXELS_ARGB8888 0x16362004u /* BGRA in memory on a little-endian processor */

#define SDL_FUNCTIONS(X) \
    X(int, SDL_InitSubSystem, (uint32_t)) \
    X(void, SDL_QuitSubSystem, (uint32_t)) \
    X(const char *, SDL_GetError, (void)) \
    X(int, SDL_SetHint, (const char *, const char *)) \
    X(SDL_Window *, SDL_CreateWindow, (const char *, int, int, int, int, uint32_t)) \
    X(void, SDL_DestroyWindow, (SDL_Window *)) \
    X(void, SDL_ShowWindow, (SDL_Window *)) \
    X(void, SDL_SetWindowTitle, (SDL_Window *, const char *)) \
    X(uint32_t, SDL_GetWindowFlags, (SDL_Window *)) \
    X(int, SDL_SetWindowFullscreen, (SDL_Window *, uint32_t)) \
    X(int, SDL_ShowCursor, (int)) \
    X(int, SDL_GetDisplayUsableBounds, (int, sdl_rectangle *)) \
    X(SDL_Renderer *, SDL_CreateRenderer, (SDL_Window *, int, uint32_t)) \
    X(void, SDL_DestroyRenderer, (SDL_Renderer *)) \
    X(int, SDL_GetRendererOutputSize, (SDL_Renderer *, int *, int *)) \
    X(int, SDL_SetRenderDrawColor, (SDL_Renderer *, uint8_t, uint8_t, uint8_t, uint8_t)) \
    X(int, SDL_RenderClear, (SDL_Renderer *)) \
    X(int, SDL_RenderCopyEx, (SDL_Renderer *, SDL_Texture *, const sdl_rectangle *, const sdl_rectangle *, double, \
        const void *, int)) \
    X(void, SDL_RenderPresent, (SDL_Renderer *)) \
    X(SDL_Texture *, SDL_CreateTexture, (SDL_Renderer *, uint32_t, int, int, int)) \
    X(void, SDL_DestroyTexture, (SDL_Texture *)) \
    X(int, SDL_UpdateTexture, (SDL_Texture *, const sdl_rectangle *, const void *, int)) \
    X(int, SDL_UpdateYUVTexture, (SDL_Texture *, const sdl_rectangle *, const uint8_t *, int, const uint8_t *, int, \
        const uint8_t *, int)) \
    X(int, SDL_UpdateNVTexture, (SDL_Texture *, const sdl_rectangle *, const uint8_t *, int, const uint8_t *, int)) \
    X(void, SDL_SetYUVConversionMode, (int)) \
    X(int, SDL_PollEvent, (sdl_event *)) \
    X(uint32_t, SDL_OpenAudioDevice, (const char *, int, const sdl_audio_spec *, sdl_audio_spec *, int)) \
    X(void, SDL_PauseAudioDevice, (uint32_t, int)) \
    X(void, SDL_CloseAudioDevice, (uint32_t)) \
    X(const char *, SDL_GetCurrentAudioDriver, (void))

#endif
