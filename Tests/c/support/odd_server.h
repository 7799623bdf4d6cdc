/*
 * A server of one thread for tests of publishing: answers HTTP PUT or RTMP in the way that a test asks for.
 */
#ifndef NALU_TESTS_ODD_SERVER_H
#define NALU_TESTS_ODD_SERVER_H

#include "check.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef enum odd_kind {
    ODD_PUT_AT_END,    /* answers `text` after the whole body */
    ODD_PUT_AT_ONCE,   /* answers `text` after the request's head, and closes */
    ODD_PUT_SILENT,    /* reads everything and never answers */
    ODD_CLOSE,         /* closes each connection at once */
    ODD_RTMP_REFUSES,  /* answers connect with an error */
    ODD_RTMP_NAME,     /* answers publish with an error */
    ODD_RTMP_CLOSES,   /* accepts publish, and closes */
    ODD_RTMP_STOPS     /* accepts publish, and reads nothing more */
} odd_kind;

typedef struct odd_server {
    odd_kind kind;
    const char *text;
    int listener, port;
    int connections;    /* to be read after odd_stop */
    uint64_t body;      /* the bytes in the chunks of the last complete body; to be read after odd_stop */
    int stops;          /* atomic */
    pthread_t thread;
} odd_server;

typedef struct odd_input {
    odd_server *server;
    int socket;
    uint8_t *bytes;
    size_t size;
} odd_input;

/* Waits for more bytes. Returns false at the end of the connection or of the test. */
static inline bool odd_read_more(odd_input *in) {
    struct pollfd wait = {.fd = in->socket, .events = POLLIN};
    while (poll(&wait, 1, 20) == 0)
        if (__atomic_load_n(&in->server->stops, __ATOMIC_SEQ_CST)) return false;
    in->bytes = (uint8_t *)realloc(in->bytes, in->size + 65536);
    REQUIRE(in->bytes);
    const ssize_t count = recv(in->socket, in->bytes + in->size, 65536, 0);
    if (count > 0) in->size += (size_t)count;
    return count > 0;
}

/* Waits until the input contains `bytes` and `more` further bytes, and returns their place; NULL at the end. */
static inline const uint8_t *odd_await(odd_input *in, size_t more, const void *bytes, size_t size) {
    for (;;) {
        const uint8_t *found = in->size ? (const uint8_t *)memmem(in->bytes, in->size, bytes, size) : NULL;
        if (found && found + size + more <= in->bytes + in->size) return found + size;
        if (!odd_read_more(in)) return NULL;
    }
}

static inline void odd_send(odd_input *in, const void *bytes, size_t size) {
    (void)!send(in->socket, bytes, size, MSG_NOSIGNAL);
}

/* Returns the bytes in the chunks of a body; UINT64_MAX if the body is not a sequence of chunks. */
static inline uint64_t odd_count_chunks(const uint8_t *bytes, size_t size) {
    uint64_t total = 0;
    size_t place = 0;
    for (;;) {
        const uint8_t *line = (const uint8_t *)memmem(bytes + place, size - place, "\r\n", 2);
        if (!line) return UINT64_MAX;
        const size_t chunk = strtoul((const char *)bytes + place, NULL, 16);
        place = (size_t)(line - bytes) + 2 + chunk;
        if (place + 2 > size || memcmp(bytes + place, "\r\n", 2) != 0) return UINT64_MAX;
        place += 2;
        total += chunk;
        if (!chunk) return place == size ? total : UINT64_MAX;
    }
}

static inline void odd_serve_put(odd_input *in) {
    const odd_kind kind = in->server->kind;
    const uint8_t *body = odd_await(in, 0, "\r\n\r\n", 4);
    if (!body) return;
    const size_t head = (size_t)(body - in->bytes);
    if (kind != ODD_PUT_AT_ONCE && odd_await(in, 0, "\r\n0\r\n\r\n", 7)) {
        in->server->body = odd_count_chunks(in->bytes + head, in->size - head);
        if (kind == ODD_PUT_SILENT)
            while (odd_read_more(in)) {}
    }
    if (kind != ODD_PUT_SILENT) odd_send(in, in->server->text, strlen(in->server->text));
}

/* Sends an RTMP command of less than 128 bytes: a name, the number of the client's command, and the rest. */
static inline void odd_send_command(odd_input *in, const char *name, const uint8_t *number, const void *rest, size_t size) {
    uint8_t message[160] = {3, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 2, 0, (uint8_t)strlen(name)};
    size_t end = 15 + strlen(name);
    memcpy(message + 15, name, strlen(name));
    memcpy(message + end, number, 9);
    memcpy(message + end + 9, rest, size);
    end += 9 + size;
    message[6] = (uint8_t)(end - 12);
    odd_send(in, message, end);
}

#define ODD_LITERAL(text) text, sizeof(text) - 1
#define ODD_OBJECT(level, level_size, code, code_size) \
    "\5\3\0\5level\2\0" level_size level "\0\4code\2\0" code_size code "\0\13description\2\0\2no\0\0\11"

static inline void odd_serve_rtmp(odd_input *in) {
    static const uint8_t handshake[1 + 2 * 1536] = {3};
    const odd_kind kind = in->server->kind;
    while (in->size < 1 + 1536)
        if (!odd_read_more(in)) return;
    odd_send(in, handshake, sizeof handshake);
    const uint8_t *number = odd_await(in, 9, ODD_LITERAL("\2\0\7connect"));
    if (!number) return;
    if (kind == ODD_RTMP_REFUSES) {
        odd_send_command(in, "_error", number, ODD_LITERAL(ODD_OBJECT("error", "\5", "NetConnection.Connect.Rejected", "\36")));
        while (odd_read_more(in)) {}
        return;
    }
    odd_send_command(in, "_result", number, ODD_LITERAL("\5"));
    if (!(number = odd_await(in, 9, ODD_LITERAL("\2\0\14createStream")))) return;
    odd_send_command(in, "_result", number, ODD_LITERAL("\5\0\77\360\0\0\0\0\0\0"));
    if (!(number = odd_await(in, 9, ODD_LITERAL("\2\0\7publish")))) return;
    if (kind == ODD_RTMP_NAME)
        odd_send_command(in, "onStatus", number, ODD_LITERAL(ODD_OBJECT("error", "\5", "NetStream.Publish.BadName", "\31")));
    else
        odd_send_command(in, "onStatus", number, ODD_LITERAL(ODD_OBJECT("status", "\6", "NetStream.Publish.Start", "\27")));
    if (kind == ODD_RTMP_NAME)
        while (odd_read_more(in)) {}
    if (kind == ODD_RTMP_STOPS)
        while (!__atomic_load_n(&in->server->stops, __ATOMIC_SEQ_CST)) usleep(20000);
}

static inline void *odd_serve(void *argument) {
    odd_server *server = (odd_server *)argument;
    struct pollfd wait = {.fd = server->listener, .events = POLLIN};
    while (!__atomic_load_n(&server->stops, __ATOMIC_SEQ_CST)) {
        if (poll(&wait, 1, 20) <= 0) continue;
        odd_input in = {.server = server, .socket = accept(server->listener, NULL, NULL)};
        if (in.socket < 0) continue;
        server->connections++;
        if (server->kind >= ODD_RTMP_REFUSES)
            odd_serve_rtmp(&in);
        else if (server->kind != ODD_CLOSE)
            odd_serve_put(&in);
        close(in.socket);
        free(in.bytes);
    }
    return NULL;
}

static inline void odd_start(odd_server *server, odd_kind kind, const char *text) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    *server = (odd_server){.kind = kind, .text = text, .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    /* A server that stops reading shall not have room for the stream. */
    const int room = 2048;
    if (kind == ODD_RTMP_STOPS) setsockopt(server->listener, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    REQUIRE(server->listener >= 0 && bind(server->listener, (struct sockaddr *)&address, sizeof address) == 0);
    REQUIRE(listen(server->listener, 8) == 0);
    REQUIRE(getsockname(server->listener, (struct sockaddr *)&address, &length) == 0);
    server->port = ntohs(address.sin_port);
    REQUIRE(pthread_create(&server->thread, NULL, odd_serve, server) == 0);
}

static inline void odd_stop(odd_server *server) {
    __atomic_store_n(&server->stops, 1, __ATOMIC_SEQ_CST);
    pthread_join(server->thread, NULL);
    close(server->listener);
}

#endif
