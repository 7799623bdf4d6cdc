/* Addresses as inputs: what FFmpeg sends over loopback is read whole; silent and wrong addresses are errors within their
 * limit, and a cancelled reader stops. */
#include "media_support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { FRAMES = 40 };

/* Returns a port that is free at the moment. */
static int free_port(int type) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int descriptor = socket(AF_INET, type, 0);
    REQUIRE(descriptor >= 0 && bind(descriptor, (struct sockaddr *)&address, size) == 0);
    REQUIRE(getsockname(descriptor, (struct sockaddr *)&address, &size) == 0);
    close(descriptor);
    return ntohs(address.sin_port);
}

/* Starts FFmpeg, which sends a file again and again until it is killed. */
static pid_t start_sender(const char *path, const char *address) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(120);
        execlp("ffmpeg", "ffmpeg", "-nostdin", "-v", "quiet", "-re", "-stream_loop", "-1", "-i", path, "-c", "copy",
            "-f", "mpegts", address, (char *)NULL);
        _exit(1);
    }
    return child;
}

static void stop_sender(pid_t sender) {
    kill(sender, SIGKILL);
    REQUIRE(waitpid(sender, NULL, 0) == sender);
}

/* Waits until FFmpeg sends, at most about half a minute, and reads 60 samples: more than one round of the file. */
static void read_some(const char *address) {
    nalu_reader *reader = NULL;
    nalu_status status = NALU_STATUS_INPUT_OUTPUT;
    for (int tries = 0; tries < 30000 && status == NALU_STATUS_INPUT_OUTPUT; tries++) {
        status = nalu_reader_create_with_path(address, NULL, &reader);
        if (status) check_pause();
    }
    REQUIRE_OK(status);
    CHECK_STR_EQ(nalu_reader_get_container(reader), "mpegts");
    CHECK_STATUS(nalu_reader_seek(reader, nalu_time_zero()), NALU_STATUS_CONFLICT);
    int count = 0;
    while (count < 60) {
        nalu_sample *sample = NULL;
        REQUIRE_OK(nalu_reader_next_sample(reader, NULL, &sample));
        nalu_sample_release(sample);
        count++;
    }
    nalu_reader_release(reader);
}

static const char *path;

static void a_stream_is_read_from_each_protocol(void) {
    const struct { const char *read, *send; int type; } cases[] = {
        {"udp://127.0.0.1:%d", "udp://127.0.0.1:%d?pkt_size=1316", SOCK_DGRAM},
        {"srt://127.0.0.1:%d", "srt://127.0.0.1:%d?mode=listener", SOCK_DGRAM},
        {"tcp://127.0.0.1:%d", "tcp://127.0.0.1:%d?listen=1", SOCK_STREAM},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char read[128], send[128];
        const int port = free_port(cases[i].type);
        snprintf(read, sizeof read, cases[i].read, port);
        snprintf(send, sizeof send, cases[i].send, port);
        const pid_t sender = start_sender(path, send);
        read_some(read);
        stop_sender(sender);
    }
}

static void wrong_addresses_are_refused(void) {
    nalu_reader *reader = NULL;
    char address[128];
    snprintf(address, sizeof address, "tcp://127.0.0.1:%d", free_port(SOCK_STREAM));
    CHECK_STATUS(nalu_reader_create_with_path(address, NULL, &reader), NALU_STATUS_INPUT_OUTPUT);
    CHECK(reader == NULL && strstr(nalu_last_error_message(), "address \"tcp://127.0.0.1:"));
    /* Other schemes are paths: a playlist or a device of FFmpeg is not opened by its name. */
    const char *const paths[] = {"concat:a.ts|b.ts", "file:///etc/hostname", "lavfi://testsrc", "udp:/127.0.0.1:1", "TCP://127.0.0.1:1"};
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(nalu_reader_create_with_path(paths[i], NULL, &reader), NALU_STATUS_INPUT_OUTPUT);
        CHECK(strstr(nalu_last_error_message(), "path \""));
    }
}

static void a_silent_address_is_an_error_after_ten_seconds(void) {
    nalu_reader *reader = NULL;
    char address[128];
    struct timespec before, after;
    snprintf(address, sizeof address, "udp://127.0.0.1:%d", free_port(SOCK_DGRAM));
    clock_gettime(CLOCK_MONOTONIC, &before);
    CHECK_STATUS(nalu_reader_create_with_path(address, NULL, &reader), NALU_STATUS_INPUT_OUTPUT);
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK(after.tv_sec - before.tv_sec >= 9);
    CHECK(strstr(nalu_last_error_message(), "timed out"));
}

static void *cancel(void *reader) {
    for (int i = 0; i < 200; i++) check_pause();
    CHECK_OK(nalu_reader_cancel(reader));
    return NULL;
}

/* A reader that waits for a sender stops when it is cancelled. */
static void a_cancelled_reader_stops_waiting(void) {
    char address[128], send[128];
    const int port = free_port(SOCK_DGRAM);
    snprintf(address, sizeof address, "udp://127.0.0.1:%d", port);
    snprintf(send, sizeof send, "udp://127.0.0.1:%d?pkt_size=1316", port);
    const pid_t sender = start_sender(path, send);
    nalu_reader *reader = NULL;
    REQUIRE_OK(nalu_reader_create_with_path(address, NULL, &reader));
    stop_sender(sender);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, cancel, reader) == 0);
    nalu_sample *sample = NULL;
    nalu_status status;
    while ((status = nalu_reader_next_sample(reader, NULL, &sample)) != NALU_STATUS_CANCELLED) {
        REQUIRE_OK(status);
        nalu_sample_release(sample);
    }
    pthread_join(thread, NULL);
    nalu_reader_release(reader);
}

int main(void) {
    clip c;
    path = strdup(test_path("sent.ts"));
    media_clip(&c, 64, 48, FRAMES);
    media_write_file(path, &c, 0, NULL);
    clip_close(&c);
    RUN(a_stream_is_read_from_each_protocol);
    RUN(wrong_addresses_are_refused);
    RUN(a_silent_address_is_an_error_after_ten_seconds);
    RUN(a_cancelled_reader_stops_waiting);
    free((char *)path);
    return check_result();
}
