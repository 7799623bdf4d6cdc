/* nalu_publisher: arguments, receivers that refuse or never answer, callbacks, the end, and a stream to FFmpeg. */
#include "media_support.h"

#include <arpa/inet.h>
#include <nalu/media/publisher.h>
#include <pthread.h>
#include <sys/socket.h>

static clip movie;

typedef struct events {
    int connected, disconnected, dropped, ended, destroyed, reentrant;
    int releases; /* whether the callback releases the publisher */
    nalu_publisher *publisher;
    pthread_mutex_t lock;
} events;

static void take_event(void *refcon, nalu_publisher_event event, const nalu_publisher_statistics *statistics) {
    events *it = (events *)refcon;
    CHECK_EQ(statistics->struct_size, sizeof *statistics);
    pthread_mutex_lock(&it->lock);
    it->connected += event == NALU_PUBLISHER_EVENT_CONNECTED;
    it->disconnected += event == NALU_PUBLISHER_EVENT_DISCONNECTED;
    it->dropped += event == NALU_PUBLISHER_EVENT_DROPPED;
    it->ended += event == NALU_PUBLISHER_EVENT_ENDED;
    nalu_publisher *publisher = it->publisher;
    if (it->releases) it->publisher = NULL;
    pthread_mutex_unlock(&it->lock);
    if (!publisher) return;
    it->reentrant += nalu_publisher_finish(publisher, 1) == NALU_STATUS_REENTRANT &&
        nalu_publisher_invalidate(publisher) == NALU_STATUS_REENTRANT &&
        nalu_publisher_wait_until_connected(publisher, 0) == NALU_STATUS_REENTRANT;
    if (it->releases) nalu_publisher_release(publisher);
}

static void destroy(void *refcon) { __atomic_fetch_add(&((events *)refcon)->destroyed, 1, __ATOMIC_SEQ_CST); }

static int read_count(events *it, const int *count) {
    pthread_mutex_lock(&it->lock);
    const int value = *count;
    pthread_mutex_unlock(&it->lock);
    return value;
}

/* Opens a TCP listener that accepts nothing. Returns its descriptor, and its port. */
static int open_listener(int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(made >= 0 && bind(made, (struct sockaddr *)&address, sizeof address) == 0 && listen(made, 8) == 0);
    REQUIRE(getsockname(made, (struct sockaddr *)&address, &length) == 0);
    *port = ntohs(address.sin_port);
    return made;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void test_arguments(void) {
    nalu_publisher *publisher = (nalu_publisher *)&movie;
    static const char *const wrong[] = {"", "out.mp4", "ftp://host/x", "srt://host", "udp://:1", "http://host/x.mp4",
        "srt://127.0.0.1:9?nothing=1", "rtmp://host:0/a/b", "srt://127.0.0.1:9?mode=listener"};
    CHECK_STATUS(nalu_publisher_create(NULL, NULL, NULL, NULL, NULL, &publisher), NALU_STATUS_PARAMETER);
    CHECK(!publisher);
    CHECK_STATUS(nalu_publisher_create("udp://127.0.0.1:9", NULL, NULL, NULL, NULL, NULL), NALU_STATUS_PARAMETER);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_STATUS(nalu_publisher_create(wrong[i], NULL, NULL, NULL, NULL, &publisher), NALU_STATUS_PARAMETER);
        CHECK(strstr(nalu_last_error_message(), "expected"));
    }
    nalu_publisher_options options = NALU_PUBLISHER_OPTIONS_INIT;
    options.flags = 1u << 31;
    CHECK_STATUS(nalu_publisher_create("udp://127.0.0.1:9", &options, NULL, NULL, NULL, &publisher), NALU_STATUS_PARAMETER);
    options.flags = 0, options.maximum_delay = NAN;
    CHECK_STATUS(nalu_publisher_create("udp://127.0.0.1:9", &options, NULL, NULL, NULL, &publisher), NALU_STATUS_OUT_OF_RANGE);
    options.maximum_delay = 0, options.attempt_limit = INT32_MIN;
    CHECK_STATUS(nalu_publisher_create("udp://127.0.0.1:9", &options, NULL, NULL, NULL, &publisher), NALU_STATUS_OUT_OF_RANGE);
    options.attempt_limit = 0, options.minimum_bit_rate = INT64_MAX;
    CHECK_STATUS(nalu_publisher_create("udp://127.0.0.1:9", &options, NULL, NULL, NULL, &publisher), NALU_STATUS_OUT_OF_RANGE);

    REQUIRE_OK(nalu_publisher_create("udp://127.0.0.1:9", NULL, NULL, NULL, NULL, &publisher));
    nalu_publisher_statistics statistics = {.struct_size = 4};
    CHECK_STATUS(nalu_publisher_get_statistics(publisher, &statistics), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_publisher_write_sample(publisher, 0, NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_publisher_write_sample(publisher, 0, movie.samples[0]), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_publisher_write_sample(publisher, 0, (nalu_sample *)publisher), NALU_STATUS_INVALID_HANDLE);
    CHECK_STATUS(nalu_publisher_wait_until_connected(publisher, NAN), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_publisher_finish(publisher, -1), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_publisher_prepare_frame(publisher, NULL, NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_publisher_prepare_frame(publisher, (nalu_compression_session *)publisher, NULL), NALU_STATUS_PARAMETER);
    CHECK_OK(nalu_publisher_invalidate(publisher));
    CHECK_OK(nalu_publisher_invalidate(publisher));
    CHECK_STATUS(nalu_publisher_write_sample(publisher, 0, movie.samples[0]), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(nalu_publisher_wait_until_connected(publisher, 1), NALU_STATUS_INVALID_SESSION);
    nalu_publisher_release(publisher);
    CHECK_OK(nalu_publisher_invalidate(NULL));
    nalu_publisher_release(NULL);
    CHECK(!nalu_publisher_retain(NULL));
}

static void test_refused(void) {
    events it = {.lock = PTHREAD_MUTEX_INITIALIZER};
    nalu_publisher_options options = NALU_PUBLISHER_OPTIONS_INIT;
    options.attempt_limit = 2, options.reconnect_delay = 0.05;
    nalu_publisher *publisher = NULL;
    int port;
    char url[64], message[256];
    close(open_listener(&port));
    snprintf(url, sizeof url, "rtmp://127.0.0.1:%d/live/secret", port);
    REQUIRE_OK(nalu_publisher_create(url, &options, take_event, &it, destroy, &publisher));
    CHECK_STATUS(nalu_publisher_wait_until_connected(publisher, 60), NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(nalu_last_error_message(), "refused") && !strstr(nalu_last_error_message(), "secret"));
    while (!read_count(&it, &it.ended)) usleep(1000);
    CHECK_EQ(it.disconnected, 1);
    CHECK_STATUS(nalu_publisher_write_sample(publisher, 0, movie.samples[0]), NALU_STATUS_INPUT_OUTPUT);
    CHECK_OK(nalu_publisher_copy_last_error(publisher, message, sizeof message, &(size_t){0}));
    CHECK(strstr(message, "refused"));
    CHECK_STATUS(nalu_publisher_finish(publisher, 1), NALU_STATUS_INPUT_OUTPUT);
    nalu_publisher_release(publisher);
    CHECK_EQ(it.destroyed, 1);
    CHECK_EQ(it.ended, 1);
}

/* The receiver's system accepts the connection, and the receiver never reads or answers. */
static void test_silent_receiver(void) {
    events it = {.lock = PTHREAD_MUTEX_INITIALIZER};
    nalu_publisher_options options = NALU_PUBLISHER_OPTIONS_INIT;
    options.connect_timeout = 0.5, options.attempt_limit = 1;
    nalu_publisher *publisher = NULL;
    int port, listener = open_listener(&port);
    char url[64];
    snprintf(url, sizeof url, "rtmp://127.0.0.1:%d/live/stream", port);
    REQUIRE_OK(nalu_publisher_create(url, &options, take_event, &it, destroy, &publisher));
    CHECK_OK(nalu_publisher_add_track(publisher, nalu_sample_get_format_description(movie.samples[0]), NULL));
    for (int i = 0; i < movie.count; i++) CHECK_OK(nalu_publisher_write_sample(publisher, 0, movie.samples[i]));
    CHECK_STATUS(nalu_publisher_wait_until_connected(publisher, 60), NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(nalu_last_error_message(), "no connection within 0.5 s"));
    while (!read_count(&it, &it.ended)) usleep(1000);
    CHECK_EQ(it.dropped, 1);
    nalu_publisher_statistics statistics = {.struct_size = sizeof statistics};
    CHECK_OK(nalu_publisher_get_statistics(publisher, &statistics));
    CHECK_EQ(statistics.dropped_samples, movie.count);
    CHECK_EQ(statistics.sent_samples, 0);
    nalu_publisher_release(publisher);

    /* The last release does not wait for the connection. */
    options.connect_timeout = 60;
    REQUIRE_OK(nalu_publisher_create(url, &options, NULL, NULL, NULL, &publisher));
    usleep(50000);
    const double start = seconds();
    nalu_publisher_release(publisher);
    CHECK(seconds() - start < 10);
    close(listener);
}

static void test_callbacks(void) {
    for (int releases = 0; releases < 2; releases++) {
        events it = {.lock = PTHREAD_MUTEX_INITIALIZER, .releases = releases};
        nalu_publisher *publisher = NULL;
        pthread_mutex_lock(&it.lock);
        REQUIRE_OK(nalu_publisher_create("udp://127.0.0.1:9", NULL, take_event, &it, destroy, &publisher));
        it.publisher = publisher;
        pthread_mutex_unlock(&it.lock);
        while (!read_count(&it, &it.connected)) usleep(1000);
        if (!releases) nalu_publisher_release(publisher);
        while (!__atomic_load_n(&it.destroyed, __ATOMIC_SEQ_CST)) usleep(1000);
        CHECK(it.reentrant >= 1);
        CHECK_EQ(it.connected, 1);
        CHECK_EQ(it.destroyed, 1);
    }
}

/* Starts an FFmpeg that listens and prints a line for each frame of a track ("v" or "a"), and a publisher to it. */
static nalu_publisher *connect_to_ffmpeg(const char *track, FILE **receiver) {
    nalu_publisher *publisher = NULL;
    nalu_publisher_options options = NALU_PUBLISHER_OPTIONS_INIT;
    int port;
    char url[64], command[512];
    options.reconnect_delay = 0.05, options.maximum_reconnect_delay = 0.1, options.maximum_delay = 10;
    close(open_listener(&port));
    snprintf(url, sizeof url, "rtmp://127.0.0.1:%d/live/stream", port);
    snprintf(command, sizeof command, "timeout 60 ffmpeg -nostdin -v error -listen 1 -i %s -map 0:%s -fps_mode passthrough"
        " -f framemd5 - | grep -vc '^#'", url, track);
    *receiver = popen(command, "r");
    REQUIRE(*receiver);
    REQUIRE_OK(nalu_publisher_create(url, &options, NULL, NULL, NULL, &publisher));
    while (nalu_publisher_wait_until_connected(publisher, 1) != NALU_STATUS_OK) usleep(10000);
    return publisher;
}

static int count_received(FILE *receiver) {
    char line[64] = "";
    CHECK(fgets(line, sizeof line, receiver));
    CHECK_EQ(pclose(receiver), 0);
    return atoi(line);
}

static void test_stream_to_ffmpeg(void) {
    FILE *receiver;
    nalu_publisher *publisher = connect_to_ffmpeg("v", &receiver);
    nalu_publisher_advice advice = NALU_PUBLISHER_ADVICE_INIT;
    CHECK_OK(nalu_publisher_prepare_frame(publisher, NULL, &advice));
    CHECK_EQ(advice.frame_flags, NALU_FRAME_FORCE_KEY_FRAME);
    CHECK_EQ(advice.acknowledged_ltr_token, -1);
    CHECK_STATUS(nalu_publisher_prepare_frame(publisher, movie.session, &advice), NALU_STATUS_CONFLICT);
    CHECK_OK(nalu_publisher_add_track(publisher, nalu_sample_get_format_description(movie.samples[0]), NULL));
    for (int i = 0; i < movie.count; i++) CHECK_OK(nalu_publisher_write_sample(publisher, 0, movie.samples[i]));
    CHECK_OK(nalu_publisher_finish(publisher, 60));
    CHECK_OK(nalu_publisher_finish(publisher, 60));
    CHECK_STATUS(nalu_publisher_write_sample(publisher, 0, movie.samples[0]), NALU_STATUS_OUT_OF_ORDER);
    nalu_publisher_statistics statistics = {.struct_size = sizeof statistics};
    CHECK_OK(nalu_publisher_get_statistics(publisher, &statistics));
    CHECK_EQ(statistics.state, NALU_PUBLISHER_ENDED);
    CHECK_EQ(statistics.sent_samples, movie.count);
    CHECK_EQ(statistics.dropped_samples, 0);
    nalu_publisher_release(publisher);
    CHECK_EQ(count_received(receiver), movie.count);
}

/* The audio of a file is copied beside its video. */
static void test_audio_of_a_file(void) {
    FILE *receiver;
    nalu_reader *reader = NULL;
    nalu_sample *sample = NULL;
    const char *path = test_path("sound.mp4");
    int status;
    media_run(&status, "ffmpeg -nostdin -v error -y -f lavfi -i testsrc=s=160x120:d=1 -f lavfi -i sine=d=1"
        " -c:v libx264 -bf 0 -c:a aac '%s'", path);
    REQUIRE(status == 0);
    REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    nalu_publisher *publisher = connect_to_ffmpeg("a", &receiver);
    uint32_t video, audio = 0;
    CHECK_OK(nalu_publisher_add_track(publisher, nalu_reader_get_format_description(reader, 0), &video));
    CHECK_STATUS(nalu_publisher_add_track_from_reader(publisher, reader, 0, NULL), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK_STATUS(nalu_publisher_add_track_from_reader(publisher, reader, 9, NULL), NALU_STATUS_OUT_OF_RANGE);
    CHECK_OK(nalu_publisher_add_track_from_reader(publisher, reader, 1, &audio));
    CHECK(audio != video);
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK && sample) {
        CHECK_OK(nalu_publisher_write_sample(publisher, video, sample));
        nalu_sample_release(sample);
    }
    CHECK_OK(nalu_publisher_finish(publisher, 60));
    nalu_publisher_release(publisher);
    nalu_reader_release(reader);
    /* AAC frames of 1024 samples at 44100 Hz; the last ones are not read before the last video sample. */
    CHECK(count_received(receiver) > 35);
}

static nalu_publisher_statistics statistics_of(nalu_publisher *publisher) {
    nalu_publisher_statistics statistics = {.struct_size = sizeof statistics};
    CHECK_OK(nalu_publisher_get_statistics(publisher, &statistics));
    return statistics;
}

static uint64_t sent_samples(nalu_publisher *publisher) { return statistics_of(publisher).sent_samples; }
static uint64_t queued_bytes(nalu_publisher *publisher) { return statistics_of(publisher).queued_bytes; }

/* Ends the encoder's audio and passes all of it to the publisher. */
static void write_audio(nalu_publisher *publisher, uint32_t track, nalu_audio_encoder *encoder) {
    nalu_sample *sample = NULL;
    CHECK_OK(nalu_audio_encoder_finish(encoder));
    while (nalu_audio_encoder_next_sample(encoder, &sample) == NALU_STATUS_OK && sample) {
        CHECK_OK(nalu_publisher_write_sample(publisher, track, sample));
        nalu_sample_release(sample);
    }
}

/* The audio device of a live stream delivers nothing, and then its late audio. */
static void test_video_does_not_wait_for_audio(void) {
    static const float silence[2 * 4800];
    FILE *receiver;
    nalu_publisher *publisher = connect_to_ffmpeg("v", &receiver);
    nalu_audio_encoder *encoder = NULL;
    uint32_t video, audio;
    REQUIRE_OK(nalu_audio_encoder_create(48000, 2, NULL, &encoder));
    CHECK_OK(nalu_publisher_add_track(publisher, nalu_sample_get_format_description(movie.samples[0]), &video));
    CHECK_OK(nalu_publisher_add_track(publisher, nalu_audio_encoder_get_format_description(encoder), &audio));
    /* One second. Samples wait for at most half a second of video. */
    for (int i = 0; i < movie.count; i++) CHECK_OK(nalu_publisher_write_sample(publisher, video, movie.samples[i]));
    WAIT_UNTIL(sent_samples(publisher) >= 12);
    CHECK(sent_samples(publisher) < 20);
    for (int i = 0; i < 10; i++)
        CHECK_OK(nalu_audio_encoder_encode(encoder, silence, 4800, NALU_AUDIO_FLOAT32,
            (nalu_time){i, 10, NALU_TIME_VALID, 0}));
    write_audio(publisher, audio, encoder);
    CHECK_OK(nalu_publisher_finish(publisher, 60));
    nalu_publisher_release(publisher);
    nalu_audio_encoder_release(encoder);
    CHECK_EQ(count_received(receiver), movie.count);
}

/* A session that delays its frames: the audio of the first second precedes all video. */
static void test_audio_waits_for_delayed_video(void) {
    static const float silence[2 * 48000];
    FILE *receiver;
    nalu_publisher *publisher = connect_to_ffmpeg("v", &receiver);
    nalu_audio_encoder *encoder = NULL;
    uint32_t video, audio;
    REQUIRE_OK(nalu_audio_encoder_create(48000, 2, NULL, &encoder));
    CHECK_OK(nalu_publisher_add_track(publisher, nalu_sample_get_format_description(movie.samples[0]), &video));
    CHECK_OK(nalu_publisher_add_track(publisher, nalu_audio_encoder_get_format_description(encoder), &audio));
    CHECK_OK(nalu_audio_encoder_encode(encoder, silence, 48000, NALU_AUDIO_FLOAT32, nalu_time_zero()));
    write_audio(publisher, audio, encoder);
    CHECK_OK(nalu_publisher_write_sample(publisher, video, movie.samples[0]));
    WAIT_UNTIL(sent_samples(publisher) > 0 && queued_bytes(publisher) == 0);
    /* The first frame, and the audio before it. */
    CHECK(sent_samples(publisher) <= 4);
    for (int i = 1; i < movie.count; i++) CHECK_OK(nalu_publisher_write_sample(publisher, video, movie.samples[i]));
    CHECK_OK(nalu_publisher_finish(publisher, 60));
    nalu_publisher_release(publisher);
    nalu_audio_encoder_release(encoder);
    CHECK_EQ(count_received(receiver), movie.count);
}

int main(void) {
    clip_open(&movie, 160, 120);
    REQUIRE_OK(nalu_session_set_int64(movie.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 10));
    clip_encode_all(&movie, 30);
    RUN(test_arguments);
    RUN(test_refused);
    RUN(test_silent_receiver);
    RUN(test_callbacks);
    RUN(test_stream_to_ffmpeg);
    RUN(test_audio_of_a_file);
    RUN(test_video_does_not_wait_for_audio);
    RUN(test_audio_waits_for_delayed_video);
    clip_close(&movie);
    return check_result();
}
