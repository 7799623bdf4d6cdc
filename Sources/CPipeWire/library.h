/* The functions of libpipewire that are called, at the addresses that dlsym returned. */
#ifndef NALU_CPIPEWIRE_LIBRARY_H
#define NALU_CPIPEWIRE_LIBRARY_H

#include <pipewire/pipewire.h>

#include <pipewire/extensions/metadata.h>

#define NALU_PW_FUNCTIONS(X) \
    X(context_connect) X(context_connect_fd) X(context_destroy) X(context_new) X(core_disconnect) X(init) \
    X(loop_destroy) X(loop_new) \
    X(properties_new) X(proxy_destroy) X(stream_add_listener) X(stream_connect) X(stream_dequeue_buffer) \
    X(stream_destroy) X(stream_get_time_n) X(stream_new) X(stream_queue_buffer) X(stream_update_params)

#define NALU_PW_FIELD(name) __typeof__(&pw_##name) name;
typedef struct nalu_pw_library {
    NALU_PW_FUNCTIONS(NALU_PW_FIELD)
} nalu_pw_library; /* filled as an array of addresses */

extern __attribute__((visibility("hidden"))) nalu_pw_library nalu_pw;

#endif
