/* Cameras of the kernel. stand_ins/v4l2_camera.c, with which this program is linked, is the camera /dev/nalu-camera. */
#include "capture_support.h"
#include "media_support.h"

#include <stdbool.h>

static const char *const identifier = "v4l2:/dev/nalu-camera";

/* Describes the camera to the stand-in. `path` is a file with a picture; NULL for a camera that delivers none. */
static void set_camera(const char *code, const char *path) {
    setenv("NALU_CAMERA_CODE", code, 1);
    setenv("NALU_CAMERA_SIZE", "320x240", 1);
    if (path) setenv("NALU_CAMERA_PICTURE", path, 1);
    else unsetenv("NALU_CAMERA_PICTURE");
}

/* Makes a red picture. Returns the path of its file. */
static const char *red_picture(const char *name, const char *options) {
    const char *path = test_path(name);
    int status = 0;
    const char *output = media_run(&status,
        "ffmpeg -nostdin -v error -y -f lavfi -i color=red:size=320x240 -frames:v 1 %s '%s' 2>&1", options, path);
    if (!CHECK_EQ(status, 0)) fprintf(stderr, "%s\n", output);
    return path;
}

static int value_in_the_middle(const nalu_pixel_buffer *buffer, int plane, int64_t column) {
    const uint8_t *bytes = nalu_pixel_buffer_get_plane_base_address(buffer, plane);
    return bytes[nalu_pixel_buffer_get_plane_stride(buffer, plane) * (plane ? 60 : 120) + column];
}

/* Counts red pictures in 4:2:0 with two planes. The luma of red is 76 in full range and 81 in video range, and its Cr is 255
 * and 240. */
static void count_red(capture_recorder *it, nalu_pixel_buffer *buffer) {
    const int luma = value_in_the_middle(buffer, 0, 160);
    const int cb = value_in_the_middle(buffer, 1, 160), cr = value_in_the_middle(buffer, 1, 161);
    const int is_full = nalu_pixel_buffer_get_pixel_format(buffer) == NALU_PIXEL_FORMAT_420F;
    *(int *)it->extra += abs(luma - 79) < 6 && abs(cb - 88) < 6 && abs(cr - (is_full ? 255 : 240)) < 4;
}

static void pictures_have_their_format_and_colour(void) {
    static const struct { const char *code, *range, *name, *options; nalu_pixel_format is, wanted; } cameras[] = {
        {"NV12", NULL, "raw.nv12", "-pix_fmt nv12 -f rawvideo", NALU_PIXEL_FORMAT_420V, 0},
        {"NV12", "full", "full.nv12", "-vf scale=out_range=full -pix_fmt nv12 -f rawvideo", NALU_PIXEL_FORMAT_420F, 0},
        {"NV12", "full", "full.nv12", "-vf scale=out_range=full -pix_fmt nv12 -f rawvideo", NALU_PIXEL_FORMAT_420V,
            NALU_PIXEL_FORMAT_420V},
        {"YU12", "full", "full.i420", "-vf scale=out_range=full -pix_fmt yuv420p -f rawvideo", NALU_PIXEL_FORMAT_420F,
            NALU_PIXEL_FORMAT_420F},
        /* No format of 4:2:2 in one plane is in full range. */
        {"YUYV", "full", "full.yuyv", "-vf scale=out_range=full -pix_fmt yuyv422 -f rawvideo", NALU_PIXEL_FORMAT_420F, 0},
        {"UYVY", "full", "full.uyvy", "-vf scale=out_range=full -pix_fmt uyvy422 -f rawvideo", NALU_PIXEL_FORMAT_420V,
            NALU_PIXEL_FORMAT_420V},
        {"MJPG", NULL, "420.jpg", "-pix_fmt yuvj420p -f mjpeg", NALU_PIXEL_FORMAT_420F, 0},
        /* The subsampling of most cameras. */
        {"MJPG", NULL, "422.jpg", "-pix_fmt yuvj422p -f mjpeg", NALU_PIXEL_FORMAT_420F, 0},
    };
    for (size_t i = 0; i < sizeof cameras / sizeof cameras[0]; i++) {
        set_camera(cameras[i].code, red_picture(cameras[i].name, cameras[i].options));
        if (cameras[i].range) setenv("NALU_CAMERA_RANGE", cameras[i].range, 1);
        nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
        options.pixel_format = cameras[i].wanted;
        int red = 0;
        capture_recorder it = {.act = count_red, .extra = &red};
        nalu_capture_session *session = session_of(identifier, &options, &video_only, &it);
        REQUIRE_OK(nalu_capture_session_start(session));
        WAIT_UNTIL(atomic_load(&it.frames) >= 3);
        CHECK_OK(nalu_capture_session_stop(session));
        unsetenv("NALU_CAMERA_RANGE");
        CHECK_EQ(it.width, 320);
        CHECK_EQ(it.height, 240);
        CHECK_EQ(it.format, cameras[i].is);
        nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
        CHECK_OK(nalu_capture_session_get_format(session, NALU_CAPTURE_MEDIA_VIDEO, &format));
        CHECK_EQ(format.ycbcr_matrix, 6);
        if (!CHECK(red >= 3)) fprintf(stderr, "%s\n", cameras[i].name);
        CHECK_EQ(statistics_of(session).starved_frames, 0);
        nalu_capture_session_release(session);
    }
}

static void a_start_without_a_first_picture_fails_in_time(void) {
    const char *path = red_picture("picture.nv12", "-pix_fmt nv12 -f rawvideo");
    set_camera("NV12", NULL);
    capture_recorder it = {0};
    nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
    options.start_timeout = 0.4;
    nalu_capture_session *session = session_of(identifier, &options, &video_only, &it);
    const int64_t begin = nalu_capture_get_host_time().value;
    CHECK_STATUS(nalu_capture_session_start(session), NALU_STATUS_INPUT_OUTPUT);
    CHECK(nalu_capture_get_host_time().value - begin >= 400000000);
    const char *message = nalu_last_error_message();
    CHECK(strstr(message, "the camera /dev/nalu-camera is open and has delivered no picture within 0.4 seconds"));
    CHECK(strstr(message, "see if another program"));
    CHECK(strstr(message, "start_timeout"));
    CHECK_EQ(nalu_capture_session_is_running(session), 0);
    CHECK_EQ(atomic_load(&it.frames) + atomic_load(&it.ends), 0);
    nalu_capture_session_release(session);

    /* The camera was closed, and works when it delivers. */
    set_camera("NV12", path);
    options.start_timeout = 0;
    session = session_of(identifier, &options, &video_only, &it);
    REQUIRE_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.frames) >= 1);
    nalu_capture_session_release(session);
}

/* Errors of the times of four successive pictures, in milliseconds. Pictures are 33 ms apart. */
static void times_increase_if_those_of_the_driver_do_not(void) {
    static const char *const errors[] = {
        "0,0,0,-34",       /* repeated */
        "0,0,0,-100",      /* earlier than those of several pictures before */
        "-50,1000,-50,1000", /* every second one in the future */
        "-50,-9000,-50,0", /* every fourth one too old */
    };
    const char *path = red_picture("times.nv12", "-pix_fmt nv12 -f rawvideo");
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        set_camera("NV12", path);
        setenv("NALU_CAMERA_ERRORS", errors[i], 1);
        static capture_recorder it;
        memset(&it, 0, sizeof it);
        nalu_capture_session *session = session_of(identifier, NULL, &video_only, &it);
        REQUIRE_OK(nalu_capture_session_start(session));
        WAIT_UNTIL(atomic_load(&it.frames) >= 12);
        CHECK_OK(nalu_capture_session_stop(session));
        unsetenv("NALU_CAMERA_ERRORS");
        const int count = atomic_load(&it.frames);
        for (int j = 1; j < count && j < MOST_FRAMES; j++) {
            /* At least a microsecond, so that the times differ in units of a stream too. */
            CHECK(it.time[j] - it.time[j - 1] >= 1000);
        }
        CHECK(it.time[count - 1] <= nalu_capture_get_host_time().value);
        CHECK_EQ(it.ends, 0);
        const nalu_capture_statistics statistics = statistics_of(session);
        CHECK(statistics.repaired_times >= 2);
        CHECK_EQ(statistics.delivered_frames, count);
        nalu_capture_session_release(session);
    }
}

int main(void) {
    RUN(pictures_have_their_format_and_colour);
    RUN(times_increase_if_those_of_the_driver_do_not);
    RUN(a_start_without_a_first_picture_fails_in_time);
    return check_result();
}
