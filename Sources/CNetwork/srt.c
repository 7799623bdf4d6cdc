/* Connections by libsrt, which is loaded at the first use. */
#include "network.h"

#include "loading.h"

#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <srt/srt.h>

#define FUNCTIONS(X) \
    X(srt_startup) X(srt_create_socket) X(srt_setsockflag) X(srt_getsockflag) X(srt_connect) X(srt_getsockstate) X(srt_sendmsg2) \
    X(srt_bistats) X(srt_close) X(srt_getlasterror) X(srt_getlasterror_str) X(srt_getrejectreason) \
    X(srt_rejectreason_str) X(srt_setloglevel)

#define NAME(name) #name "\0"
#define INDEX(name) INDEX_##name,
enum { FUNCTIONS(INDEX) FUNCTION_COUNT };
/* The builds of libsrt, the preferred one first: two versions, each with OpenSSL and with GnuTLS. */
static const nalu_library builds[] = {
    {"libsrt.so.1.5", "libsrt1.5-openssl", FUNCTIONS(NAME)},
    {"libsrt-gnutls.so.1.5", "libsrt1.5-gnutls", FUNCTIONS(NAME)},
    {"libsrt.so.1.4", "libsrt1.4-openssl", FUNCTIONS(NAME)},
    {"libsrt-gnutls.so.1.4", "libsrt1.4-gnutls", FUNCTIONS(NAME)},
};
static void *functions[FUNCTION_COUNT];
static bool is_loaded, is_started;
#define CALL(name) ((__typeof__(&name))functions[INDEX_##name])

/* Starts libsrt. The caller holds the lock. */
static int32_t start(char *message, size_t capacity) {
    if (is_started) return 0;
    if (CALL(srt_startup)() < 0) {
        snprintf(message, capacity, "srt:// needs libsrt, which does not start: %s", CALL(srt_getlasterror_str)());
        return -1;
    }
    CALL(srt_setloglevel)(2 /* LOG_CRIT: failures are returned */);
    is_started = true;
    return 0;
}

int32_t nalu_srt_load(char *message, size_t capacity) {
    const bool has_locked = nalu_loading_lock();
    int32_t result = -1;
    for (size_t i = 0; i < sizeof builds / sizeof *builds && result != 0; i++)
        result = nalu_libraries_load(&builds[i], 1, functions, &is_loaded, message, capacity);
    if (result == 0)
        result = start(message, capacity);
    else
        snprintf(message, capacity,
            "srt:// needs libsrt (libsrt-gnutls.so.1.5), which cannot be loaded: install libsrt1.5-gnutls or "
            "libsrt1.5-openssl");
    if (has_locked) nalu_loading_unlock();
    return result;
}

static int32_t fail(SRTSOCKET socket, char *message, size_t capacity) {
    snprintf(message, capacity, "%s", CALL(srt_getlasterror_str)());
    if (socket != SRT_INVALID_SOCK) CALL(srt_close)(socket);
    return -1;
}

static bool set_number(SRTSOCKET socket, SRT_SOCKOPT option, int value) {
    return CALL(srt_setsockflag)(socket, option, &value, sizeof value) == 0;
}

static bool set_text(SRTSOCKET socket, SRT_SOCKOPT option, const char *value) {
    return !value || CALL(srt_setsockflag)(socket, option, value, (int)strlen(value)) == 0;
}

static bool set_up(SRTSOCKET socket, const nalu_srt_settings *settings) {
    return set_number(socket, SRTO_TRANSTYPE, SRTT_LIVE) && set_number(socket, SRTO_SNDSYN, 0) &&
        set_number(socket, SRTO_RCVSYN, 0) && set_number(socket, SRTO_SENDER, 1) &&
        set_number(socket, SRTO_LATENCY, settings->latency) &&
        set_number(socket, SRTO_CONNTIMEO, settings->connect_timeout) &&
        set_number(socket, SRTO_PEERIDLETIMEO, settings->idle_timeout) &&
        (!settings->key_length || set_number(socket, SRTO_PBKEYLEN, settings->key_length)) &&
        set_text(socket, SRTO_PASSPHRASE, settings->passphrase) && set_text(socket, SRTO_STREAMID, settings->stream_id);
}

int32_t nalu_srt_begin(const nalu_srt_settings *settings, char *message, size_t capacity) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *address = NULL;
    const int error = getaddrinfo(settings->host, settings->port, &hints, &address);
    if (error) {
        snprintf(message, capacity, "the name of the host cannot be resolved: %s", gai_strerror(error));
        return -1;
    }
    SRTSOCKET made = CALL(srt_create_socket)();
    int32_t result = made;
    if (made == SRT_INVALID_SOCK || !set_up(made, settings) ||
        CALL(srt_connect)(made, address->ai_addr, (int)address->ai_addrlen) == SRT_ERROR)
        result = fail(made, message, capacity);
    freeaddrinfo(address);
    return result;
}

int32_t nalu_srt_is_connected(int32_t socket, char *message, size_t capacity) {
    switch (CALL(srt_getsockstate)(socket)) {
    case SRTS_CONNECTED: return 1;
    case SRTS_INIT: case SRTS_OPENED: case SRTS_CONNECTING: return 0;
    default: break;
    }
    const int reason = CALL(srt_getrejectreason)(socket);
    snprintf(message, capacity, "%s",
        reason == SRT_REJ_UNKNOWN || reason == SRT_REJ_TIMEOUT ? "the receiver does not answer"
                                                               : CALL(srt_rejectreason_str)(reason));
    return -1;
}

int32_t nalu_srt_send(int32_t socket, const void *bytes, int32_t size, char *message, size_t capacity) {
    if (CALL(srt_sendmsg2)(socket, bytes, size, NULL) >= 0) return 1;
    if (CALL(srt_getlasterror)(NULL) == SRT_EASYNCSND) return 0;
    snprintf(message, capacity, "%s", CALL(srt_getlasterror_str)());
    return -1;
}

int32_t nalu_srt_read(int32_t socket, nalu_net_state *state) {
    enum { HEADERS = 44 }; /* IPv4, UDP and SRT, which libsrt counts with each packet */
    /* The union reserves memory, because later releases of libsrt write a longer struct. */
    union {
        SRT_TRACEBSTATS statistics;
        char room[4096];
    } all = {.room = {0}};
    if (CALL(srt_bistats)(socket, &all.statistics, 0, 1) == SRT_ERROR) return 0;
    const SRT_TRACEBSTATS *statistics = &all.statistics;
    const int64_t queued = (int64_t)statistics->byteSndBuf - (int64_t)statistics->pktSndBuf * HEADERS;
    *state = (nalu_net_state){.queued = queued > 0 ? queued : 0, .dropped = statistics->pktSndDropTotal,
        .round_trip = statistics->msRTT / 1e3};
    return 1;
}

int32_t nalu_srt_get_latency(int32_t socket) {
    int value = 0, size = sizeof value;
    return CALL(srt_getsockflag)(socket, SRTO_PEERLATENCY, &value, &size) == 0 ? value : 0;
}

void nalu_srt_close(int32_t socket) { CALL(srt_close)(socket); }
