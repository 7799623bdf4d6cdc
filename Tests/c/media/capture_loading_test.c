/* A device whose library is missing: the error message names the library and its package, and nothing else fails. */
#include "capture_support.h"
#include "missing_library.h"

typedef struct missing {
    const char *library, *device, *package, *variable;
} missing;

static const missing cases[] = {
    {"libpipewire-0.3.so.0", "camera", "libpipewire-0.3-0", NULL},
    {"libpipewire-0.3.so.0", "microphone", "libpipewire-0.3-0", NULL},
    {"libdbus-1.so.3", "screen", "libdbus-1-3", "WAYLAND_DISPLAY"},
    {"libdbus-1.so.3", "portal", "libdbus-1-3", NULL},
    {"libxcb.so.1", "screen", "libxcb1", "DISPLAY"},
};

/* Runs in a process in which one library cannot be loaded. */
static void without_the_library(const missing *it) {
    nalu_capture_device *device = NULL;
    nalu_status status = nalu_capture_device_create_with_id(it->device, &device);
    if (status == NALU_STATUS_OK) {
        /* A device that is no part of a list fails when it is opened. */
        static capture_recorder recorder;
        nalu_capture_session *session = session_of(it->device, NULL, &video_only, &recorder);
        status = nalu_capture_session_start(session);
        CHECK_STATUS(status, NALU_STATUS_COULD_NOT_CREATE_INSTANCE);
        CHECK(strstr(nalu_last_error_message(), it->package) != NULL);
        nalu_capture_session_release(session);
        nalu_capture_device_release(device);
    } else {
        CHECK_STATUS(status, NALU_STATUS_VALUE_NOT_AVAILABLE);
    }
    CHECK(strstr(nalu_last_error_message(), it->library) != NULL);
    CHECK(strstr(nalu_last_error_message(), "cannot be loaded") != NULL);
    CHECK(strstr(nalu_last_error_message(), it->package) != NULL);
    nalu_capture_device_list *list = NULL;
    REQUIRE_OK(nalu_capture_device_list_create(NALU_CAPTURE_SCREEN | NALU_CAPTURE_MICROPHONE | NALU_CAPTURE_TEST, &list));
    CHECK(nalu_capture_device_list_get_count(list) >= 1);
    nalu_capture_device_list_release(list);
}

static void a_missing_library_is_named_with_its_package(void) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char environment[100];
        snprintf(environment, sizeof environment, "-u DISPLAY -u WAYLAND_DISPLAY %s%s",
                 cases[i].variable ? cases[i].variable : "", cases[i].variable ? "=:0" : "");
        check_without_libraries(&cases[i].library, 1, i, environment);
    }
}

int main(void) {
    if (is_without_libraries()) without_the_library(&cases[missing_library_case()]);
    else RUN(a_missing_library_is_named_with_its_package);
    return check_result();
}
