/* The state of TCP connections. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* POLLRDHUP */
#endif
#include "network.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

static int is_the_socket(int descriptor, int32_t send_buffer) {
    int size = 0, protocol = 0;
    socklen_t length = sizeof size;
    if (getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, &length) != 0 || size != 2 * send_buffer) return 0;
    length = sizeof protocol;
    return getsockopt(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0 && protocol == IPPROTO_TCP;
}

int32_t nalu_net_find_socket(int32_t send_buffer) {
    DIR *directory = opendir("/proc/self/fd");
    int found = -1;
    if (!directory) return -1;
    for (struct dirent *entry; found < 0 && (entry = readdir(directory));) {
        char *end;
        long descriptor = strtol(entry->d_name, &end, 10);
        if (end == entry->d_name || *end || descriptor == dirfd(directory)) continue;
        if (is_the_socket((int)descriptor, send_buffer)) found = fcntl((int)descriptor, F_DUPFD_CLOEXEC, 3);
    }
    closedir(directory);
    return found;
}

void nalu_net_set_send_buffer(int32_t descriptor, int32_t size) {
    (void)setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

void nalu_net_close(int32_t descriptor) { (void)close(descriptor); }

int32_t nalu_net_receive(int32_t descriptor, void *bytes, int32_t size, int32_t milliseconds) {
    struct pollfd wait = {.fd = descriptor, .events = POLLIN};
    if (poll(&wait, 1, milliseconds) == 0) return -1;
    const ssize_t count = recv(descriptor, bytes, (size_t)size, MSG_DONTWAIT);
    if (count >= 0) return (int32_t)count;
    return errno == EAGAIN || errno == EINTR ? -1 : 0;
}

int32_t nalu_net_is_closed(int32_t descriptor) {
    struct pollfd wait = {.fd = descriptor, .events = POLLRDHUP};
    return poll(&wait, 1, 0) > 0;
}

void nalu_net_resolve(const char *host, char *message, size_t capacity) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *address = NULL;
    const int error = getaddrinfo(host, NULL, &hints, &address);
    snprintf(message, capacity, "%s", error ? gai_strerror(error) : "");
    if (!error) freeaddrinfo(address);
}

int32_t nalu_net_read_tcp(int32_t descriptor, nalu_net_state *state) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    int queued = 0;
    if (ioctl(descriptor, SIOCOUTQ, &queued) != 0) return 0;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
    *state = (nalu_net_state){.queued = queued, .delivered = (int64_t)info.tcpi_bytes_acked,
        .round_trip = info.tcpi_rtt / 1e6,
        .least_round_trip = info.tcpi_min_rtt == UINT32_MAX ? 0 : info.tcpi_min_rtt / 1e6};
    return 1;
}
