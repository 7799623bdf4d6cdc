/* A connection to PipeWire's server, and the devices in the server's registry. */
#ifndef NALU_CPIPEWIRE_CONNECTION_H
#define NALU_CPIPEWIRE_CONNECTION_H

#include "library.h"
#include "pipewire.h"

#include <stdbool.h>

#define HIDDEN __attribute__((visibility("hidden")))

typedef struct pw_found {
    uint32_t id;
    char name[256], description[256];
    bool is_microphone, is_gone;
    struct pw_proxy *proxy; /* bound only to list formats */
    struct spa_hook listener;
    int32_t format_count;
    nalu_pw_format formats[NALU_PW_MOST_FORMATS];
} pw_found;

typedef struct pw_connection {
    struct pw_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct pw_proxy *metadata;
    struct spa_hook core_listener, registry_listener, metadata_listener;
    bool lists_formats, is_done, is_lost;
    bool has_node, is_node_gone; /* whether a stream is connected to the node, and whether the node was removed since */
    uint32_t node;
    int sync;
    int32_t found_count;
    pw_found *found[NALU_PW_MOST_DEVICES];
    char default_camera[512], default_microphone[512]; /* JSON */
} pw_connection;

/* Connects, and finds the devices. With `lists_formats`, also their formats. `descriptor` is an open connection, which the
 * function owns, or -1 for the server of the user. */
HIDDEN int32_t nalu_pw_connect(pw_connection *it, int descriptor, bool lists_formats, int32_t milliseconds,
                               char *message);
HIDDEN void nalu_pw_disconnect(pw_connection *it);

/* Formats of video, in formats.c. */
HIDDEN uint32_t nalu_pw_pixel_format(uint32_t spa);
HIDDEN uint32_t nalu_pw_spa_format(uint32_t pixel_format);
HIDDEN const uint32_t *nalu_pw_spa_formats(int32_t *count);
HIDDEN void nalu_pw_add_formats(pw_found *it, const struct spa_pod *param);
/* Finds the planes of a picture in one or several blocks of memory. Returns false if they do not fit. */
HIDDEN bool nalu_pw_find_planes(const nalu_pw_format *format, const struct spa_buffer *buffer, nalu_camera_picture *picture);

#endif
