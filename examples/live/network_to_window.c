/*
 * Shows a live stream, or a file, in a window at the times of its pictures.
 *
 *     network_to_window udp://0.0.0.0:5000|srt://HOST:PORT|tcp://HOST:PORT|FILE
 *
 * A thread reads, the display queue decodes and waits for the times, and the main thread draws. The key q is the end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <SDL2/SDL.h>
#include <nalu/media.h>
#include <nalu/nalu.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The delay in milliseconds after which a live picture is shown: the jitter that the network may have. */
enum { DELAY = 100 };

struct player {
    nalu_reader *reader;
    nalu_display_queue *queue;
    nalu_timebase *timebase;
    int is_live;
    Uint32 event; /* SDL's number for an event with a picture, or with NULL at the end */
};

static void post(struct player *it, nalu_pixel_buffer *image) {
    SDL_Event event;
    memset(&event, 0, sizeof event);
    event.type = it->event;
    event.user.data1 = image;
    if (SDL_PushEvent(&event) < 1) nalu_pixel_buffer_release(image);
}

/* Receives a picture at its time, on the thread of the display queue. Only the main thread may draw. */
static void show(void *refcon, nalu_pixel_buffer *image, uint32_t flags, nalu_time time, nalu_time duration) {
    (void)flags, (void)time, (void)duration;
    if (image) post(refcon, nalu_pixel_buffer_retain(image));
}

static void note(void *refcon, int32_t event, nalu_status status) {
    (void)status;
    if (event == NALU_DISPLAY_EVENT_ENDED) post(refcon, NULL);
}

/* Starts the playback at the first sample's time, or for a live stream so that its picture is late by DELAY. */
static nalu_status begin(struct player *it, nalu_sample *sample) {
    nalu_time time = nalu_sample_get_decode_time(sample);
    if (it->is_live) time = nalu_time_subtract(time, nalu_time_make(DELAY, 1000));
    return nalu_timebase_set_rate_and_anchor_time(it->timebase, 1, time,
        nalu_timebase_get_time(nalu_timebase_get_host_clock()));
}

/* Hands in the samples from the first key frame on. */
static void *read_samples(void *refcon) {
    struct player *it = refcon;
    nalu_sample *sample = NULL;
    nalu_status status;
    int has_begun = 0;
    while ((status = nalu_reader_next_sample(it->reader, NULL, &sample)) == NALU_STATUS_OK) {
        if (!has_begun && nalu_sample_is_key_frame(sample)) {
            status = begin(it, sample);
            has_begun = 1;
        }
        while (has_begun && status == NALU_STATUS_OK &&
               (status = nalu_display_queue_enqueue_sample(it->queue, sample, 0)) == NALU_STATUS_WOULD_BLOCK)
            status = nalu_display_queue_wait_until_ready(it->queue, 10);
        nalu_sample_release(sample);
        if (status != NALU_STATUS_OK) break;
    }
    /* VALUE_NOT_AVAILABLE is the end of the input, and the window's end cancels the reader and the queue. */
    if (status != NALU_STATUS_VALUE_NOT_AVAILABLE && status != NALU_STATUS_CANCELLED &&
        status != NALU_STATUS_INVALID_SESSION)
        fprintf(stderr, "network_to_window: %s\n", nalu_last_error_message());
    if (nalu_display_queue_finish(it->queue) != NALU_STATUS_OK) post(it, NULL);
    return NULL;
}

/* Draws a picture, which keeps its shape in a window of another shape. */
static void draw(SDL_Renderer *renderer, SDL_Texture **texture, nalu_pixel_buffer *image) {
    const int width = nalu_pixel_buffer_get_width(image), height = nalu_pixel_buffer_get_height(image);
    if (!*texture) {
        *texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING, width, height);
        SDL_RenderSetLogicalSize(renderer, width, height);
    }
    SDL_UpdateTexture(*texture, NULL, nalu_pixel_buffer_get_plane_base_address(image, 0),
        (int)nalu_pixel_buffer_get_plane_stride(image, 0));
    SDL_RenderClear(renderer);
    SDL_RenderCopy(renderer, *texture, NULL, NULL);
    SDL_RenderPresent(renderer);
}

/* Shows pictures until the end of the stream or of the window. */
static void run(struct player *it, const char *title) {
    SDL_Window *window = SDL_CreateWindow(title, 100, 100, 960, 540, SDL_WINDOW_RESIZABLE);
    SDL_Renderer *renderer = window ? SDL_CreateRenderer(window, -1, 0) : NULL;
    SDL_Texture *texture = NULL;
    SDL_Event event;
    pthread_t thread;
    if (!renderer || pthread_create(&thread, NULL, read_samples, it) != 0) {
        fprintf(stderr, "network_to_window: there is no window: %s\n", SDL_GetError());
        return;
    }
    for (;;) {
        /* For SDL_WaitEvent other threads would send X11 messages, perhaps to a window that was closed meanwhile. */
        while (!SDL_PollEvent(&event)) SDL_Delay(2);
        if (event.type == SDL_QUIT || (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_q)) break;
        if (event.type != it->event) continue;
        if (!event.user.data1) break;
        draw(renderer, &texture, event.user.data1);
        nalu_pixel_buffer_release(event.user.data1);
    }
    (void)!nalu_reader_cancel(it->reader);
    (void)!nalu_display_queue_invalidate(it->queue);
    pthread_join(thread, NULL);
    while (SDL_PollEvent(&event))
        if (event.type == it->event) nalu_pixel_buffer_release(event.user.data1);
}

int main(int argc, char **argv) {
    static struct player it;
    nalu_display_queue_options options = NALU_DISPLAY_QUEUE_OPTIONS_INIT;
    nalu_display_queue_statistics facts = {.struct_size = sizeof facts};
    const char *address = argc == 2 ? argv[1] : "";
    it.is_live = strncmp(address, "udp://", 6) == 0 || strncmp(address, "srt://", 6) == 0;
    options.pixel_format = NALU_PIXEL_FORMAT_BGRA;
    options.flags = it.is_live ? NALU_DISPLAY_QUEUE_LOW_DELAY : 0;
    if (argc != 2 || SDL_Init(SDL_INIT_VIDEO) != 0) {
        fprintf(stderr, argc != 2 ? "usage: network_to_window ADDRESS|FILE%s\n" : "network_to_window: %s\n", SDL_GetError());
        return EXIT_FAILURE;
    }
    it.event = SDL_RegisterEvents(1);
    nalu_status status = nalu_reader_create_with_path(address, NULL, &it.reader);
    if (status == NALU_STATUS_OK) status = nalu_timebase_create(NULL, &it.timebase);
    if (status == NALU_STATUS_OK) status = nalu_display_queue_create(&options, show, note, &it, NULL, &it.queue);
    if (status == NALU_STATUS_OK) status = nalu_display_queue_set_control_timebase(it.queue, it.timebase);
    if (status == NALU_STATUS_OK) run(&it, address);
    else fprintf(stderr, "network_to_window: %s\n", nalu_last_error_message());
    if (it.queue && nalu_display_queue_get_statistics(it.queue, &facts) == NALU_STATUS_OK)
        printf("%llu shown, %llu late, decoded in %.1f ms\n", (unsigned long long)facts.shown_pictures,
            (unsigned long long)facts.late_pictures, facts.decode.mean * 1000);
    nalu_display_queue_release(it.queue);
    nalu_timebase_release(it.timebase);
    nalu_reader_release(it.reader);
    SDL_Quit();
    return facts.shown_pictures > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
