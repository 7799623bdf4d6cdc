/* nalu_publisher with servers that refuse the stream after they have accepted the connection, or acknowledge nothing. */
#include "media_support.h"
#include "odd_server.h"

#include <nalu/media/publisher.h>

static clip movie;

static nalu_publisher *create(const odd_server *server, const char *form, const nalu_publisher_options *options) {
    nalu_publisher *publisher = NULL;
    char url[128];
    snprintf(url, sizeof url, form, server->port);
    REQUIRE_OK(nalu_publisher_create(url, options, NULL, NULL, NULL, &publisher));
    return publisher;
}

static nalu_publisher_statistics statistics_of(nalu_publisher *publisher) {
    nalu_publisher_statistics statistics = {.struct_size = sizeof statistics};
    CHECK_OK(nalu_publisher_get_statistics(publisher, &statistics));
    return statistics;
}

static void write_movie(nalu_publisher *publisher) {
    CHECK_OK(nalu_publisher_add_track(publisher, nalu_sample_get_format_description(movie.samples[0]), NULL));
    for (int i = 0; i < movie.count; i++) CHECK_OK(nalu_publisher_write_sample(publisher, 0, movie.samples[i]));
}

/* Sends the clip by PUT to a server of this kind. Returns the status of nalu_publisher_finish. */
static nalu_status put(odd_server *server, odd_kind kind, const char *text, char message[512]) {
    nalu_publisher_options options = NALU_PUBLISHER_OPTIONS_INIT;
    options.stall_timeout = kind == ODD_PUT_SILENT ? 0.5 : 60;
    odd_start(server, kind, text);
    nalu_publisher *publisher = create(server, "http://127.0.0.1:%d/x.ts?key=secret", &options);
    CHECK_OK(nalu_publisher_wait_until_connected(publisher, 60));
    write_movie(publisher);
    const nalu_status status = nalu_publisher_finish(publisher, 60);
    snprintf(message, 512, "%s", nalu_last_error_message());
    const nalu_publisher_statistics statistics = statistics_of(publisher);
    CHECK_EQ(statistics.state, NALU_PUBLISHER_ENDED);
    nalu_publisher_release(publisher);
    odd_stop(server);
    if (kind == ODD_PUT_AT_END) CHECK_EQ(server->body, statistics.sent_bytes);
    return status;
}

static void test_answers_after_the_stream(void) {
    static const struct {
        const char *text;
        const char *words[2]; /* of the error message; NULL for an accepted stream */
    } cases[] = {
        {"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", {NULL, NULL}},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 204\r\n\r\n", {NULL, NULL}},
        {"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\n\r\n", {"401 Unauthorized", "USER:PASSWORD"}},
        {"HTTP/1.1 307 Moved\r\nlocation: http://host/y?key=secret\r\n\r\n", {"307 Moved", "http://host/y"}},
        {"HTTP/1.1 500 Internal Server Error\r\n\r\nfull", {"500 Internal Server Error", "log"}},
        {"HTTP/1.1 507 Insufficient Storage\r\n\r\n", {"507 Insufficient Storage", "room"}},
        {"nonsense\r\n\r\n", {"not HTTP", "expected an HTTP server"}},
        {"", {"closed the connection without an answer", "127.0.0.1"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        odd_server server;
        char message[512];
        const nalu_status status = put(&server, ODD_PUT_AT_END, cases[i].text, message);
        CHECK_EQ(server.connections, 1);
        if (!cases[i].words[0]) {
            CHECK_STATUS(status, NALU_STATUS_OK);
            continue;
        }
        CHECK_STATUS(status, NALU_STATUS_INPUT_OUTPUT);
        CHECK(strstr(message, cases[i].words[0]) && strstr(message, cases[i].words[1]));
        CHECK(strstr(message, "http://127.0.0.1:") && !strstr(message, "secret"));
    }
}

static void test_no_answer(void) {
    odd_server server;
    char message[512];
    CHECK_STATUS(put(&server, ODD_PUT_SILENT, "", message), NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(message, "has not answered within 0.5 s"));
}

/* Connections that end before the stream has passed for stall_timeout are failed attempts. */
static void test_refusing_servers_reach_the_attempt_limit(void) {
    static const struct {
        odd_kind kind;
        const char *form, *text, *words;
    } cases[] = {
        {ODD_PUT_AT_ONCE, "http://127.0.0.1:%d/x", "HTTP/1.1 403 Forbidden\r\n\r\n", "403 Forbidden"},
        {ODD_CLOSE, "http://127.0.0.1:%d/x", "", "closed the connection"},
        {ODD_RTMP_CLOSES, "rtmp://127.0.0.1:%d/live/x", "", "closed the connection"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nalu_publisher_options options = NALU_PUBLISHER_OPTIONS_INIT;
        options.attempt_limit = 3, options.reconnect_delay = 0.05;
        odd_server server;
        odd_start(&server, cases[i].kind, cases[i].text);
        nalu_publisher *publisher = create(&server, cases[i].form, &options);
        while (statistics_of(publisher).state != NALU_PUBLISHER_ENDED) usleep(1000);
        char message[512];
        CHECK_OK(nalu_publisher_copy_last_error(publisher, message, sizeof message, &(size_t){0}));
        CHECK(strstr(message, cases[i].words) && strstr(message, "expected"));
        CHECK_STATUS(nalu_publisher_finish(publisher, 60), NALU_STATUS_INPUT_OUTPUT);
        nalu_publisher_release(publisher);
        odd_stop(&server);
        CHECK_EQ(server.connections, 3);
    }
}

static void test_reasons(void) {
    static const struct {
        odd_kind kind;
        const char *form, *words;
    } cases[] = {
        {ODD_RTMP_REFUSES, "rtmp://127.0.0.1:%d/live/x", "rejected the connection; expected an application"},
        {ODD_RTMP_NAME, "rtmp://127.0.0.1:%d/live/x", "refused to publish; expected a stream name or key"},
        {ODD_CLOSE, "rtmp://127.0.0.1:%d/live/x", "closed the connection; expected"},
        {ODD_CLOSE, "rtmp://nosuchhost.invalid:%d/live/x", "the name of the host cannot be resolved"},
        {ODD_CLOSE, "http://nosuchhost.invalid:%d/x", "the name of the host cannot be resolved"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nalu_publisher_options options = NALU_PUBLISHER_OPTIONS_INIT;
        options.attempt_limit = 1, options.connect_timeout = 60;
        odd_server server;
        odd_start(&server, cases[i].kind, NULL);
        nalu_publisher *publisher = create(&server, cases[i].form, &options);
        CHECK_STATUS(nalu_publisher_wait_until_connected(publisher, 60), NALU_STATUS_INPUT_OUTPUT);
        CHECK(strstr(nalu_last_error_message(), cases[i].words));
        nalu_publisher_release(publisher);
        odd_stop(&server);
    }
}

/* The server acknowledges a part of the stream, and the system of the server keeps the connection. */
static void test_unacknowledged_end(void) {
    nalu_publisher_options options = NALU_PUBLISHER_OPTIONS_INIT;
    options.stall_timeout = 2.5;
    odd_server server;
    odd_start(&server, ODD_RTMP_STOPS, NULL);
    nalu_publisher *publisher = create(&server, "rtmp://127.0.0.1:%d/live/secret", &options);
    CHECK_OK(nalu_publisher_wait_until_connected(publisher, 60));
    write_movie(publisher);
    CHECK_STATUS(nalu_publisher_finish(publisher, 60), NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(nalu_last_error_message(), "has taken nothing for 2.5 s"));
    CHECK(statistics_of(publisher).dropped_samples > 0);
    nalu_publisher_release(publisher);
    odd_stop(&server);
}

int main(void) {
    media_open(&movie, 320, 240);
    clip_encode(&movie, 30);
    clip_finish(&movie);
    RUN(test_answers_after_the_stream);
    RUN(test_no_answer);
    RUN(test_refusing_servers_reach_the_attempt_limit);
    RUN(test_unacknowledged_end);
    RUN(test_reasons);
    clip_close(&movie);
    return check_result();
}
