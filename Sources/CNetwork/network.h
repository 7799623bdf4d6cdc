/*
 * Sockets for Swift: the state of a TCP connection that FFmpeg has opened, and connections by
 * libsrt, which is loaded at the first use. Functions that can fail write an error message.
 */
#ifndef NALU_CNETWORK_NETWORK_H
#define NALU_CNETWORK_NETWORK_H

#include <stddef.h>
#include <stdint.h>

/* ---- TCP ------------------------------------------------------------------------------------------------------------ */

/* Returns a duplicate of the descriptor of the TCP socket whose send buffer was set to
 * `send_buffer` bytes; -1 if there is none. FFmpeg does not reveal the sockets that it opens, so
 * the caller makes FFmpeg open one with a buffer size that no other socket of the process has. */
int32_t nalu_net_find_socket(int32_t send_buffer);

/* Sets the size of a socket's send buffer in bytes. The system limits and rounds the size. */
void nalu_net_set_send_buffer(int32_t descriptor, int32_t size);

void nalu_net_close(int32_t descriptor);

/* Reads what the other end of a TCP connection has sent. Returns the number of bytes, 0 if the other
 * end has closed the connection, or -1 if nothing arrives within `milliseconds`. */
int32_t nalu_net_receive(int32_t descriptor, void *bytes, int32_t size, int32_t milliseconds);

/* Returns 1 if the other end has closed a TCP connection, otherwise 0. */
int32_t nalu_net_is_closed(int32_t descriptor);

/* Writes the reason for which a host's name cannot be resolved, or "". Waits for the system's
 * resolver. */
void nalu_net_resolve(const char *host, char *message, size_t capacity);

/* The state of a connection. */
typedef struct nalu_net_state {
    int64_t queued;            /* bytes that the receiver has not acknowledged */
    int64_t delivered;         /* bytes that the receiver has acknowledged */
    int64_t dropped;           /* packets that the sender has given up, for SRT */
    double round_trip;         /* seconds; 0 if it is not known */
    double least_round_trip;   /* seconds; 0 if it is not known */
} nalu_net_state;

/* Reads the state of a TCP connection. Returns 0 for a failure. */
int32_t nalu_net_read_tcp(int32_t descriptor, nalu_net_state *state);

/* ---- SRT ------------------------------------------------------------------------------------------------------------ */

/* Loads libsrt unless it is loaded. Returns 0, or -1 with an error message that names the package. */
int32_t nalu_srt_load(char *message, size_t capacity);

typedef struct nalu_srt_settings {
    const char *host;
    const char *port;
    const char *passphrase;  /* NULL for none */
    const char *stream_id;   /* NULL for none */
    int32_t key_length;      /* bytes; 0 for the default */
    int32_t latency;         /* milliseconds */
    int32_t connect_timeout; /* milliseconds */
    int32_t idle_timeout;    /* milliseconds without a packet from the receiver */
} nalu_srt_settings;

/* Begins to connect. Returns a socket, or -1 with an error message. Resolves the host's name, which
 * waits for the system's resolver. */
int32_t nalu_srt_begin(const nalu_srt_settings *settings, char *message, size_t capacity);

/* Returns 1 if the socket is connected, 0 while it is connecting, -1 with an error message if it is
 * neither. */
int32_t nalu_srt_is_connected(int32_t socket, char *message, size_t capacity);

/* Sends one packet of at most 1316 bytes. Returns 1; 0 if the send buffer is full; -1 with an error
 * message. */
int32_t nalu_srt_send(int32_t socket, const void *bytes, int32_t size, char *message, size_t capacity);

/* Reads the state of a connection; `delivered` is 0. Returns 0 for a failure. */
int32_t nalu_srt_read(int32_t socket, nalu_net_state *state);

/* Returns the milliseconds after which the receiver delivers packets: the longer latency of both
 * ends; 0 if it is not known. */
int32_t nalu_srt_get_latency(int32_t socket);

void nalu_srt_close(int32_t socket);

#endif
