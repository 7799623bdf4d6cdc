/* Devices, lists, watchers, and every wrong argument of capture.h. */
#include "capture_support.h"

static void a_list_contains_the_test_source(void) {
    nalu_capture_device_list *list = NULL;
    REQUIRE_OK(nalu_capture_device_list_create(NALU_CAPTURE_TEST, &list));
    REQUIRE(nalu_capture_device_list_get_count(list) == 1);
    CHECK_PTR_EQ(nalu_capture_device_list_get_device(list, 1), NULL);
    CHECK_PTR_EQ(nalu_capture_device_list_retain(list), list);
    nalu_capture_device *device = nalu_capture_device_retain(nalu_capture_device_list_get_device(list, 0));
    nalu_capture_device_list_release(list);
    nalu_capture_device_list_release(list);
    CHECK_STR_EQ(nalu_capture_device_get_id(device), "test");
    CHECK_STR_EQ(nalu_capture_device_get_name(device), "Test source");
    CHECK_EQ(nalu_capture_device_get_kind(device), NALU_CAPTURE_TEST);
    REQUIRE(nalu_capture_device_get_format_count(device) == 3);
    nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
    CHECK_OK(nalu_capture_device_get_format(device, 0, &format));
    CHECK_EQ(format.media_type, NALU_CAPTURE_MEDIA_VIDEO);
    CHECK_EQ(format.pixel_format, NALU_PIXEL_FORMAT_420V);
    CHECK_EQ(format.minimum_width, 256);
    CHECK_EQ(format.minimum_height, 16);
    CHECK_EQ(format.maximum_width, NALU_MAX_DIMENSION);
    CHECK_EQ(nalu_time_compare(format.minimum_frame_duration, nalu_time_make(1, 1000)), 0);
    CHECK_EQ(nalu_time_compare(format.maximum_frame_duration, nalu_time_make(10, 1)), 0);
    CHECK_OK(nalu_capture_device_get_format(device, 2, &format));
    CHECK_EQ(format.media_type, NALU_CAPTURE_MEDIA_AUDIO);
    CHECK_EQ(format.sample_rate, 48000);
    CHECK_EQ(format.channel_count, 2);
    CHECK_EQ(format.maximum_width, 0);
    REFUSED(nalu_capture_device_get_format(device, 3, &format), NALU_STATUS_OUT_OF_RANGE, "index is 3", "less than 3");
    format.struct_size = 4;
    REFUSED(nalu_capture_device_get_format(device, 0, &format), NALU_STATUS_PARAMETER, "struct_size is 4");
    CHECK_STATUS(nalu_capture_device_get_format(device, 0, NULL), NALU_STATUS_PARAMETER);
    nalu_capture_device_release(device);
    REFUSED(nalu_capture_device_list_create(0, &list), NALU_STATUS_PARAMETER, "kinds is 0");
    REFUSED(nalu_capture_device_list_create(16, &list), NALU_STATUS_PARAMETER, "kinds is 16", "1 to 15");
    CHECK_STATUS(nalu_capture_device_list_create(NALU_CAPTURE_TEST, NULL), NALU_STATUS_PARAMETER);
}

static void an_unknown_device_is_refused_with_the_known_ones(void) {
    nalu_capture_device *device = STALE;
    REFUSED(nalu_capture_device_create_with_id("nonsense", &device), NALU_STATUS_VALUE_NOT_AVAILABLE, "nonsense", "test");
    CHECK_PTR_EQ(device, NULL);
    CHECK_STATUS(nalu_capture_device_create_with_id("test:audio-clock=7", &device), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_STATUS(nalu_capture_device_create_with_id("test:audio-clock=x", &device), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_STATUS(nalu_capture_device_create_with_id("", &device), NALU_STATUS_VALUE_NOT_AVAILABLE);
    REFUSED(nalu_capture_device_create_with_id(NULL, &device), NALU_STATUS_PARAMETER, "identifier is NULL");
    CHECK_STATUS(nalu_capture_device_create_with_id("test", NULL), NALU_STATUS_PARAMETER);
}

static void objects_of_another_kind_are_refused(void) {
    static zeros nothing;
    nalu_capture_device *device = device_named("test");
    nalu_capture_session *session = NULL;
    nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
    nalu_capture_statistics statistics = NALU_CAPTURE_STATISTICS_INIT;
    size_t size = 0;
    void *others[] = {NULL, &nothing, device};
    for (int i = 0; i < 3; i++) {
        const nalu_status status = others[i] ? NALU_STATUS_INVALID_HANDLE : NALU_STATUS_PARAMETER;
        nalu_capture_session *wrong = others[i];
        CHECK_STATUS(nalu_capture_session_start(wrong), status);
        if (wrong) CHECK_STATUS(nalu_capture_session_stop(wrong), status);
        CHECK_STATUS(nalu_capture_session_get_statistics(wrong, &statistics), status);
        CHECK_STATUS(nalu_capture_session_get_format(wrong, NALU_CAPTURE_MEDIA_VIDEO, &format), status);
        CHECK_STATUS(nalu_capture_session_copy_restore_token(wrong, NULL, 0, &size), status);
        CHECK_EQ(nalu_capture_session_is_running(wrong), 0);
        CHECK_PTR_EQ(nalu_capture_session_retain(wrong), wrong);
        nalu_capture_session_release(wrong);
        nalu_capture_device_watcher_release(nalu_capture_device_watcher_retain(others[i]));
        CHECK_EQ(nalu_capture_device_list_get_count(others[i]), 0);
        CHECK_PTR_EQ(nalu_capture_device_list_get_device(others[i], 0), NULL);
        nalu_capture_device_list_release(others[i]);
        if (i == 2) break;
        CHECK_PTR_EQ(nalu_capture_device_get_id(others[i]), NULL);
        CHECK_PTR_EQ(nalu_capture_device_get_name(others[i]), NULL);
        CHECK_EQ(nalu_capture_device_get_kind(others[i]), 0);
        CHECK_EQ(nalu_capture_device_get_format_count(others[i]), 0);
        CHECK_STATUS(nalu_capture_device_get_format(others[i], 0, &format), status);
        CHECK_STATUS(nalu_capture_session_create(others[i], NULL, &video_only, NULL, NULL, &session), status);
        nalu_capture_device_release(others[i]);
    }
    CHECK_OK(nalu_capture_session_stop(NULL));
    nalu_capture_device_release(device);
}

/* One wrong option: a change of the defaults, its status, and words of the message. */
typedef struct wrong_option {
    nalu_status status;
    const char *words;
    nalu_capture_options options;
} wrong_option;

#define SIZE .struct_size = sizeof(nalu_capture_options)

static void wrong_options_are_refused(void) {
    static char long_token[1025];
    memset(long_token, 'x', 1024);
    static const wrong_option wrong[] = {
        {NALU_STATUS_PARAMETER, "flags is 2", {SIZE, .flags = 2}},
        {NALU_STATUS_PARAMETER, "SHOW_CURSOR", {SIZE, .flags = NALU_CAPTURE_SHOW_CURSOR}},
        {NALU_STATUS_PARAMETER, "struct_size is 4", {.struct_size = 4}},
        {NALU_STATUS_INVALID_SIZE, "options.width is -1", {SIZE, .width = -1, .height = 100}},
        {NALU_STATUS_INVALID_SIZE, "options.height is 16385", {SIZE, .width = 256, .height = 16385}},
        {NALU_STATUS_INVALID_SIZE, "options.height is not given", {SIZE, .width = 256}},
        {NALU_STATUS_INVALID_SIZE, "options.width is not given", {SIZE, .height = 256}},
        {NALU_STATUS_INVALID_PIXEL_FORMAT, "pixel_format is 7", {SIZE, .pixel_format = 7}},
        {NALU_STATUS_PIXEL_TRANSFER_NOT_SUPPORTED, "'BGRA'", {SIZE, .pixel_format = NALU_PIXEL_FORMAT_BGRA}},
        {NALU_STATUS_OUT_OF_RANGE, "maximum_buffer_count is 3", {SIZE, .maximum_buffer_count = 3}},
        {NALU_STATUS_OUT_OF_RANGE, "4 to 256", {SIZE, .maximum_buffer_count = 257}},
        {NALU_STATUS_OUT_OF_RANGE, "frame_duration is 1/1001 s", {SIZE, .frame_duration = {1, 1001, 1, 0}}},
        {NALU_STATUS_OUT_OF_RANGE, "frame_duration is 101/10 s", {SIZE, .frame_duration = {101, 10, 1, 0}}},
        {NALU_STATUS_OUT_OF_RANGE, "frame_duration is 0/1 s", {SIZE, .frame_duration = {0, 1, 1, 0}}},
        {NALU_STATUS_OUT_OF_RANGE, "frame_duration is -1/30 s", {SIZE, .frame_duration = {-1, 30, 1, 0}}},
        {NALU_STATUS_OUT_OF_RANGE, "frame_duration", {SIZE, .frame_duration = {1, 30, 1, 1}}},
        {NALU_STATUS_INVALID_TIME, "frame_duration", {SIZE, .frame_duration = {1, 0, 1, 0}}},
        {NALU_STATUS_INVALID_TIME, "frame_duration", {SIZE, .frame_duration = {1, 30, 5, 0}}},
        {NALU_STATUS_INVALID_SIZE, "region is 0x5", {SIZE, .region_height = 5}},
        {NALU_STATUS_INVALID_SIZE, "at -1,0", {SIZE, .region_x = -1, .region_width = 5, .region_height = 5}},
        {NALU_STATUS_PARAMETER, "test is no screen", {SIZE, .region_width = 5, .region_height = 5}},
        {NALU_STATUS_PARAMETER, "options.restore_token is set, and test is no screen", {SIZE, .restore_token = ""}},
        {NALU_STATUS_OUT_OF_RANGE, "options.restore_token has 1024 bytes; expected at most 1023", {SIZE, .restore_token = long_token}},
        {NALU_STATUS_OUT_OF_RANGE, "sample_rate is 7999", {SIZE, .sample_rate = 7999}},
        {NALU_STATUS_OUT_OF_RANGE, "8000 to 192000", {SIZE, .sample_rate = 192001}},
        {NALU_STATUS_OUT_OF_RANGE, "channel_count is 9", {SIZE, .channel_count = 9}},
        {NALU_STATUS_OUT_OF_RANGE, "channel_count is -1", {SIZE, .channel_count = -1}},
        {NALU_STATUS_OUT_OF_RANGE, "start_timeout is 0.05", {SIZE, .start_timeout = 0.05}},
        {NALU_STATUS_OUT_OF_RANGE, "0.1 to 600", {SIZE, .start_timeout = INFINITY}},
        {NALU_STATUS_OUT_OF_RANGE, "start_timeout is nan", {SIZE, .start_timeout = NAN}},
    };
    nalu_capture_device *device = device_named("test");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        static capture_recorder it;
        nalu_capture_session *session = STALE;
        REFUSED(nalu_capture_session_create(device, &wrong[i].options, &video_only, &it, record_destruction, &session),
            wrong[i].status, wrong[i].words);
        CHECK_PTR_EQ(session, NULL);
        CHECK_EQ(atomic_load(&it.destroyed), 0);
    }
    nalu_capture_session *session = STALE;
    nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
    options.audio_device = (nalu_capture_device *)&(zeros){{0}};
    CHECK_STATUS(nalu_capture_session_create(device, &options, &video_only, NULL, NULL, &session), NALU_STATUS_INVALID_HANDLE);
    REFUSED(nalu_capture_session_create(device, NULL, NULL, NULL, NULL, &session), NALU_STATUS_PARAMETER, "callbacks is NULL");
    const nalu_capture_callbacks none = {sizeof none, 0, NULL, NULL, record_end};
    REFUSED(nalu_capture_session_create(device, NULL, &none, NULL, NULL, &session), NALU_STATUS_PARAMETER, "at least one");
    CHECK_STATUS(nalu_capture_session_create(device, NULL, &video_only, NULL, NULL, NULL), NALU_STATUS_PARAMETER);
    nalu_capture_device_release(device);
}

static void formats_and_statistics_need_a_start(void) {
    static capture_recorder it;
    nalu_capture_session *session = session_of("test", NULL, &video_only, &it);
    nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
    CHECK_STATUS(nalu_capture_session_get_format(session, NALU_CAPTURE_MEDIA_VIDEO, &format), NALU_STATUS_VALUE_NOT_AVAILABLE);
    REFUSED(nalu_capture_session_get_format(session, 5, &format), NALU_STATUS_PARAMETER, "media_type is 5");
    nalu_capture_statistics statistics = statistics_of(session);
    CHECK_EQ(statistics.captured_frames, 0);
    CHECK_EQ(statistics.capture.count, 0);
    CHECK(isnan(statistics.capture.mean) && isnan(statistics.wait.p95) && isnan(statistics.callback.most));
    CHECK(isnan(statistics.frame_rate));
    char token[4] = "old";
    size_t token_size = 9;
    CHECK_OK(nalu_capture_session_copy_restore_token(session, token, sizeof token, &token_size));
    CHECK_STR_EQ(token, "");
    CHECK_EQ(token_size, 1);
    REFUSED(nalu_capture_session_copy_restore_token(session, NULL, 0, NULL), NALU_STATUS_PARAMETER, "size_out");
    statistics.struct_size = 8;
    CHECK_STATUS(nalu_capture_session_get_statistics(session, &statistics), NALU_STATUS_PARAMETER);
    CHECK_OK(nalu_capture_session_stop(session));
    CHECK_EQ(nalu_capture_session_is_running(session), 0);
    nalu_capture_session_release(session);
    CHECK_EQ(atomic_load(&it.destroyed), 1);
}

/* The reports that a watcher has made. */
typedef struct sightings {
    atomic_int present, destroyed;
    nalu_capture_device_watcher *_Atomic watcher;
} sightings;

static void see(void *refcon, nalu_capture_device *device, int32_t is_present) {
    sightings *it = refcon;
    CHECK_STR_EQ(nalu_capture_device_get_id(device), "test");
    CHECK_EQ(is_present, 1);
    atomic_fetch_add(&it->present, 1);
    nalu_capture_device_watcher *own = atomic_exchange(&it->watcher, NULL);
    nalu_capture_device_watcher_release(own);
}

static void count_destruction(void *refcon) { atomic_fetch_add(&((sightings *)refcon)->destroyed, 1); }

static void a_watcher_reports_what_is_present(void) {
    for (int releases_inside = 0; releases_inside < 2; releases_inside++) {
        sightings it = {0};
        nalu_capture_device_watcher *watcher = NULL;
        CHECK_OK(nalu_capture_device_watcher_create(NALU_CAPTURE_TEST, see, &it, count_destruction, &watcher));
        CHECK_PTR_EQ(nalu_capture_device_watcher_retain(watcher), watcher);
        if (releases_inside) atomic_store(&it.watcher, watcher);
        WAIT_UNTIL(atomic_load(&it.present) == 1);
        /* The callback took the reference, or it is released here. */
        nalu_capture_device_watcher_release(atomic_exchange(&it.watcher, NULL));
        if (!releases_inside) nalu_capture_device_watcher_release(watcher);
        nalu_capture_device_watcher_release(watcher);
        WAIT_UNTIL(atomic_load(&it.destroyed) == 1);
        CHECK_EQ(atomic_load(&it.present), 1);
    }
    nalu_capture_device_watcher *watcher = STALE;
    CHECK_STATUS(nalu_capture_device_watcher_create(0, see, NULL, NULL, &watcher), NALU_STATUS_PARAMETER);
    CHECK_PTR_EQ(watcher, NULL);
    REFUSED(nalu_capture_device_watcher_create(NALU_CAPTURE_TEST, NULL, NULL, NULL, &watcher), NALU_STATUS_PARAMETER, "callback");
    CHECK_STATUS(nalu_capture_device_watcher_create(NALU_CAPTURE_TEST, see, NULL, NULL, NULL), NALU_STATUS_PARAMETER);
}

int main(void) {
    RUN(a_list_contains_the_test_source);
    RUN(an_unknown_device_is_refused_with_the_known_ones);
    RUN(objects_of_another_kind_are_refused);
    RUN(wrong_options_are_refused);
    RUN(formats_and_statistics_need_a_start);
    RUN(a_watcher_reports_what_is_present);
    return check_result();
}
