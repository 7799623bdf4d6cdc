/*
 * Cameras and microphones by PipeWire. The test starts a server of its own, and GStreamer as the camera and the
 * microphone. GStreamer's camera stops after some readers, so each test has its own.
 */
#include "capture_support.h"
#include "test_directory.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Programs ------------------------------------------------------------------------------------------------------ */

/* Starts a program, which ends with the test. Its output goes to a file. */
static pid_t start(const char *const arguments[]) {
    const char *log = test_path("log");
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child > 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    FILE *file = freopen(log, "a", stderr);
    if (!file || dup2(fileno(file), 1) < 0) _exit(126);
    execvp(arguments[0], (char *const *)arguments);
    _exit(127);
}

static void stop(pid_t *child) {
    if (*child <= 0) return;
    kill(*child, SIGKILL);
    waitpid(*child, NULL, 0);
    *child = 0;
}

static pid_t server, manager;

static void start_server(void) {
    server = start((const char *const[]){"pipewire", NULL});
    const char *socket = test_path("pipewire-0");
    WAIT_UNTIL(access(socket, F_OK) == 0);
    manager = start((const char *const[]){"wireplumber", NULL});
}

static void stop_server(void) {
    stop(&manager);
    stop(&server);
    unlink(test_path("pipewire-0"));
    unlink(test_path("pipewire-0.lock"));
}

static pid_t start_camera(const char *name, const char *format) {
    char caps[128], properties[256];
    snprintf(caps, sizeof caps, "video/x-raw,format=%s,width=322,height=242,framerate=30/1", format);
    snprintf(properties, sizeof properties,
        "stream-properties=props,media.class=Video/Source,node.name=%s,node.description=Test-Camera", name);
    return start((const char *const[]){"gst-launch-1.0", "videotestsrc", "is-live=true", "pattern=white", "!", caps, "!",
        "pipewiresink", "mode=provide", properties, NULL});
}

/* A microphone whose samples are all zero. PipeWire itself runs it. */
static pid_t start_microphone(const char *name) {
    char properties[512];
    snprintf(properties, sizeof properties, "{ factory.name=support.null-audio-sink node.name=%s "
        "node.description=Test-Microphone media.class=Audio/Source/Virtual object.linger=1 audio.position=[FL FR] }", name);
    return start((const char *const[]){"pw-cli", "create-node", "adapter", properties, NULL});
}

static bool is_listed(const char *identifier, uint32_t kinds) {
    nalu_capture_device_list *list = NULL;
    REQUIRE_OK(nalu_capture_device_list_create(kinds, &list));
    bool is_found = false;
    for (size_t i = 0; i < nalu_capture_device_list_get_count(list); i++)
        is_found |= !strcmp(nalu_capture_device_get_id(nalu_capture_device_list_get_device(list, i)), identifier);
    nalu_capture_device_list_release(list);
    return is_found;
}

/* Starts a session with a device of PipeWire as soon as the device is listed. `options` may be NULL. */
static nalu_capture_session *start_session(const char *identifier, const nalu_capture_options *options, bool is_camera,
                                           capture_recorder *it) {
    WAIT_UNTIL(is_listed(identifier, is_camera ? NALU_CAPTURE_CAMERA : NALU_CAPTURE_MICROPHONE));
    nalu_capture_session *session = session_of(identifier, options, is_camera ? &video_only : &audio_only, it);
    REQUIRE_OK(nalu_capture_session_start(session));
    return session;
}

/* ---- Tests --------------------------------------------------------------------------------------------------------- */

static void without_a_server_there_are_no_devices(void) {
    nalu_capture_device_list *list = NULL;
    nalu_capture_device *device = NULL;
    CHECK_OK(nalu_capture_device_list_create(NALU_CAPTURE_MICROPHONE, &list));
    CHECK_EQ(nalu_capture_device_list_get_count(list), 0);
    nalu_capture_device_list_release(list);
    CHECK_STATUS(nalu_capture_device_create_with_id("microphone", &device), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK(strstr(nalu_last_error_message(), "start pipewire and wireplumber"));
}

static int middle_of(const nalu_pixel_buffer *buffer, int plane) {
    const uint8_t *bytes = nalu_pixel_buffer_get_plane_base_address(buffer, plane);
    return bytes[nalu_pixel_buffer_get_plane_stride(buffer, plane) * 60 + 81];
}

static void check_white(capture_recorder *it, nalu_pixel_buffer *buffer) {
    *(int *)it->extra += middle_of(buffer, 0) > 220 && abs(middle_of(buffer, 1) - 128) < 4;
}

static void a_camera_delivers_its_pictures(void) {
    static const struct { const char *name, *format; nalu_pixel_format is; } cameras[] = {
        {"camera-nv12", "NV12", NALU_PIXEL_FORMAT_420V}, {"camera-i420", "I420", NALU_PIXEL_FORMAT_Y420},
        {"camera-yuy2", "YUY2", NALU_PIXEL_FORMAT_YUVS}, {"camera-bgrx", "BGRx", NALU_PIXEL_FORMAT_BGRA},
    };
    for (size_t i = 0; i < sizeof cameras / sizeof cameras[0]; i++) {
        char identifier[64];
        snprintf(identifier, sizeof identifier, "pipewire:%s", cameras[i].name);
        pid_t camera = start_camera(cameras[i].name, cameras[i].format);
        WAIT_UNTIL(is_listed(identifier, NALU_CAPTURE_CAMERA));
        nalu_capture_device *device = device_named(identifier);
        CHECK_EQ(nalu_capture_device_get_kind(device), NALU_CAPTURE_CAMERA);
        CHECK_STR_EQ(nalu_capture_device_get_name(device), "Test-Camera");
        nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
        CHECK_OK(nalu_capture_device_get_format(device, 0, &format));
        CHECK_EQ(format.pixel_format, cameras[i].is);
        CHECK_EQ(format.minimum_width, 322);
        CHECK_EQ(format.maximum_width, 322);
        CHECK_EQ(format.maximum_height, 242);
        CHECK_NEAR(nalu_time_get_seconds(format.minimum_frame_duration), 1 / 30.0, 1e-9);
        nalu_capture_device_release(device);

        /* As it is, and converted and scaled. */
        int white = 0;
        capture_recorder it = {.act = check_white, .extra = &white};
        nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
        if (i % 2 == 1) options.width = 640, options.height = 480, options.pixel_format = NALU_PIXEL_FORMAT_420V;
        nalu_capture_session *session = session_of(identifier, &options, &video_only, &it);
        const int64_t begin = nalu_capture_get_host_time().value;
        REQUIRE_OK(nalu_capture_session_start(session));
        WAIT_UNTIL(atomic_load(&it.frames) >= 5);
        const int64_t end = nalu_capture_get_host_time().value;
        CHECK_OK(nalu_capture_session_stop(session));
        CHECK_EQ(it.width, i % 2 ? 640 : 322);
        CHECK_EQ(it.height, i % 2 ? 480 : 242);
        CHECK_EQ(it.format, i % 2 ? NALU_PIXEL_FORMAT_420V : cameras[i].is);
        if (i < 2) CHECK(white >= 5);
        for (int n = 0; n < 5; n++) {
            CHECK(it.time[n] >= begin - 1000000000 && it.time[n] <= end);
            if (n > 0) CHECK(it.time[n] > it.time[n - 1]);
        }
        nalu_capture_session_release(session);
        CHECK_EQ(atomic_load(&it.ends), 0);
        stop(&camera);
    }
}

static void a_microphone_delivers_audio_on_the_host_clock(void) {
    pid_t program = start_microphone("microphone-a");
    capture_recorder it = {0};
    nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
    options.sample_rate = 44100;
    options.channel_count = 1;
    nalu_capture_session *session = start_session("pipewire:microphone-a", &options, false, &it);
    WAIT_UNTIL(atomic_load(&it.blocks) >= 40);
    const int64_t end = nalu_capture_get_host_time().value;
    CHECK_OK(nalu_capture_session_stop(session));
    nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
    CHECK_OK(nalu_capture_session_get_format(session, NALU_CAPTURE_MEDIA_AUDIO, &format));
    CHECK_EQ(format.sample_rate, 44100);
    CHECK_EQ(format.channel_count, 1);
    CHECK(it.audio_end <= end && it.audio_end > end - 2000000000);
    /* The times of the blocks match the number of frames. */
    const double seconds = (double)(it.audio_end - it.audio_start) / 1e9;
    CHECK_NEAR((double)it.audio_frames / 44100, seconds, 0.15);
    nalu_capture_session_release(session);
    stop(&program);
}

/* The shortest time from the end of a block to its callback since it was set to INT64_MAX, in nanoseconds. */
static _Atomic int64_t shortest_delay;

static void time_audio(capture_recorder *it, const nalu_capture_audio_block *block) {
    (void)it;
    const int64_t end = nanoseconds(block->time) + (int64_t)block->frame_count * 1000000000 / block->sample_rate;
    const int64_t delay = nanoseconds(nalu_capture_get_host_time()) - end;
    if (delay < shortest_delay) shortest_delay = delay;
}

/* While the test is stopped, as a busy machine stops it, PipeWire drops the audio for which there are no buffers. */
static void times_are_right_after_audio_was_lost(void) {
    pid_t program = start_microphone("microphone-lost");
    capture_recorder it = {.hear = time_audio};
    nalu_capture_session *session = start_session("pipewire:microphone-lost", NULL, false, &it);
    for (int i = 0; i < 3; i++) {
        int blocks = atomic_load(&it.blocks), breaks = atomic_load(&it.discontinuities);
        WAIT_UNTIL(atomic_load(&it.blocks) >= blocks + 20);
        const pid_t test = getpid(), child = fork();
        if (child == 0) {
            kill(test, SIGSTOP);
            usleep(400000);
            kill(test, SIGCONT);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        WAIT_UNTIL(atomic_load(&it.discontinuities) > breaks);
        shortest_delay = INT64_MAX;
        blocks = atomic_load(&it.blocks);
        WAIT_UNTIL(atomic_load(&it.blocks) >= blocks + 20);
        /* Audio that is timed too early by what was lost would seem to arrive 400 ms late. */
        CHECK(shortest_delay >= 0);
        CHECK(shortest_delay < 150000000);
    }
    CHECK(statistics_of(session).lost_audio_frames >= 3 * 48000 / 5);
    nalu_capture_session_release(session);
    stop(&program);
}

static void a_camera_that_vanishes_ends_the_session(void) {
    pid_t camera = start_camera("camera-gone", "NV12");
    capture_recorder it = {0};
    nalu_capture_session *session = start_session("pipewire:camera-gone", NULL, true, &it);
    WAIT_UNTIL(atomic_load(&it.frames) >= 1);
    stop(&camera);
    WAIT_UNTIL(atomic_load(&it.ends) == 1);
    CHECK_EQ(it.end_status, NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(it.end_message, "the camera camera-gone stopped: the device was removed"));
    WAIT_UNTIL(!is_listed("pipewire:camera-gone", NALU_CAPTURE_CAMERA));
    CHECK_STATUS(nalu_capture_session_start(session), NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(nalu_last_error_message(), "PipeWire has no device camera-gone any more"));
    nalu_capture_session_release(session);
    nalu_capture_device *device = NULL;
    CHECK_STATUS(nalu_capture_device_create_with_id("pipewire:camera-gone", &device), NALU_STATUS_VALUE_NOT_AVAILABLE);
}

static void the_time_of_a_picture_is_that_of_its_header(void) {
    pid_t camera = start((const char *const[]){CAMERA_PROGRAM, "camera-late", NULL});
    capture_recorder it = {0};
    nalu_capture_session *session = start_session("pipewire:camera-late", NULL, true, &it);
    WAIT_UNTIL(atomic_load(&it.frames) >= 10);
    CHECK_OK(nalu_capture_session_stop(session));
    /* The camera sends each picture 100 ms after the time in its header. */
    const nalu_capture_statistics statistics = statistics_of(session);
    CHECK(statistics.capture.least >= 0.1);
    CHECK(statistics.capture.least < 0.2);
    for (int n = 1; n < 10; n++) CHECK(it.time[n] > it.time[n - 1]);
    nalu_capture_session_release(session);
    stop(&camera);
}

/* Pictures of another size would be squeezed into the size of the first ones. */
static void a_camera_that_changes_the_size_of_its_pictures_ends_the_session(void) {
    pid_t camera = start((const char *const[]){CAMERA_PROGRAM, "camera-turning", "turning", NULL});
    capture_recorder it = {0};
    nalu_capture_session *session = start_session("pipewire:camera-turning", NULL, true, &it);
    WAIT_UNTIL(atomic_load(&it.ends) == 1);
    CHECK_EQ(it.end_status, NALU_STATUS_INPUT_OUTPUT);
    if (!CHECK(strstr(it.end_message, "the pictures have changed from 320x240 to 240x320"))) fprintf(stderr, "%s\n", it.end_message);
    CHECK_EQ(it.width, 320);
    CHECK_EQ(it.height, 240);
    nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
    CHECK_OK(nalu_capture_session_get_format(session, NALU_CAPTURE_MEDIA_VIDEO, &format));
    CHECK_EQ(format.minimum_width, 320);
    nalu_capture_session_release(session);
    stop(&camera);
}

static void pictures_in_full_range_have_its_format(void) {
    pid_t camera = start((const char *const[]){CAMERA_PROGRAM, "camera-full", "full", NULL});
    capture_recorder it = {0};
    nalu_capture_session *session = start_session("pipewire:camera-full", NULL, true, &it);
    WAIT_UNTIL(atomic_load(&it.frames) >= 1);
    CHECK_OK(nalu_capture_session_stop(session));
    CHECK_EQ(it.format, NALU_PIXEL_FORMAT_420F);
    nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
    CHECK_OK(nalu_capture_session_get_format(session, NALU_CAPTURE_MEDIA_VIDEO, &format));
    CHECK_EQ(format.ycbcr_matrix, 6);
    nalu_capture_session_release(session);
    stop(&camera);
}

static void a_camera_without_a_first_picture_ends_the_session(void) {
    static const struct { const char *name, *mode; nalu_status status; const char *cause, *remedy; } cameras[] = {
        {"camera-dma-buf", "dma-buf", NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "graphics processor (DMA-BUF)", "choose shared memory"},
        {"camera-silent", "silent", NALU_STATUS_INPUT_OUTPUT, "although the stream runs", "see if another program"},
    };
    for (size_t i = 0; i < sizeof cameras / sizeof cameras[0]; i++) {
        char identifier[64], name[64];
        snprintf(identifier, sizeof identifier, "pipewire:%s", cameras[i].name);
        snprintf(name, sizeof name, "the camera %s stopped: no picture has arrived in 5 seconds", cameras[i].name);
        pid_t camera = start((const char *const[]){CAMERA_PROGRAM, cameras[i].name, cameras[i].mode, NULL});
        capture_recorder it = {0};
        nalu_capture_session *session = start_session(identifier, NULL, true, &it);
        const int64_t begin = nalu_capture_get_host_time().value;
        WAIT_UNTIL(atomic_load(&it.ends) == 1);
        CHECK(nalu_capture_get_host_time().value - begin >= 4500000000);
        if (!CHECK_EQ(it.end_status, cameras[i].status)) fprintf(stderr, "%s: %s\n", cameras[i].name, it.end_message);
        CHECK(strstr(it.end_message, name));
        CHECK(strstr(it.end_message, cameras[i].cause));
        CHECK(strstr(it.end_message, cameras[i].remedy));
        CHECK_EQ(atomic_load(&it.frames), 0);
        nalu_capture_session_release(session);
        stop(&camera);
    }
}

static void watched(void *refcon, nalu_capture_device *device, int32_t is_present) {
    atomic_int *changes = refcon;
    if (!strcmp(nalu_capture_device_get_id(device), "pipewire:camera-watched"))
        atomic_fetch_add(changes, is_present ? 1 : 100);
}

static void devices_that_arrive_and_leave_are_reported(void) {
    atomic_int changes = 0;
    nalu_capture_device_watcher *watcher = NULL;
    REQUIRE_OK(nalu_capture_device_watcher_create(NALU_CAPTURE_CAMERA, watched, &changes, NULL, &watcher));
    pid_t camera = start_camera("camera-watched", "NV12");
    WAIT_UNTIL(atomic_load(&changes) == 1);
    stop(&camera);
    WAIT_UNTIL(atomic_load(&changes) == 101);
    nalu_capture_device_watcher_release(watcher);
}

static void a_server_that_ends_ends_the_session_and_may_return(void) {
    pid_t camera = start_camera("camera-server", "NV12");
    capture_recorder it = {0};
    nalu_capture_session *session = start_session("pipewire:camera-server", NULL, true, &it);
    WAIT_UNTIL(atomic_load(&it.frames) >= 1);
    stop_server();
    WAIT_UNTIL(atomic_load(&it.ends) == 1);
    CHECK_EQ(it.end_status, NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(it.end_message, "PipeWire's server has ended"));
    stop(&camera);
    start_server();
    camera = start_camera("camera-server", "NV12");
    WAIT_UNTIL(is_listed("pipewire:camera-server", NALU_CAPTURE_CAMERA));
    const int before = atomic_load(&it.frames);
    REQUIRE_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.frames) > before);
    nalu_capture_session_release(session);
    stop(&camera);
}

int main(int count, char **arguments) {
    (void)count;
    /* WirePlumber needs a session bus. */
    if (!getenv("NALU_TEST_HAS_BUS")) {
        setenv("NALU_TEST_HAS_BUS", "1", 1);
        execlp("dbus-run-session", "dbus-run-session", "--", arguments[0], (char *)NULL);
        REQUIRE(!"dbus-run-session is missing: run scripts/setup");
    }
    const char *log = test_path("log");
    char directory[512];
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(log, '/') - log), log);
    setenv("XDG_RUNTIME_DIR", directory, 1);
    setenv("XDG_STATE_HOME", directory, 1);
    setenv("XDG_CONFIG_HOME", directory, 1);
    RUN(without_a_server_there_are_no_devices);
    start_server();
    RUN(a_camera_delivers_its_pictures);
    RUN(a_microphone_delivers_audio_on_the_host_clock);
    RUN(times_are_right_after_audio_was_lost);
    RUN(a_camera_that_vanishes_ends_the_session);
    RUN(the_time_of_a_picture_is_that_of_its_header);
    RUN(a_camera_that_changes_the_size_of_its_pictures_ends_the_session);
    RUN(pictures_in_full_range_have_its_format);
    RUN(a_camera_without_a_first_picture_ends_the_session);
    RUN(devices_that_arrive_and_leave_are_reported);
    RUN(a_server_that_ends_ends_the_session_and_may_return);
    stop_server();
    return check_result();
}
