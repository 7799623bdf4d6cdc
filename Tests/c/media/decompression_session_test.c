/* Every wrong argument of decompression_session.h gives a status and an error message. */
#include <dirent.h>
#include <sched.h>

#include "decode_support.h"
#include "refusal.h"

static clip movie;

static void ignore(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                   nalu_pixel_buffer *image, nalu_time time, nalu_time duration) {
    (void)refcon, (void)frame_refcon, (void)status, (void)flags, (void)image, (void)time, (void)duration;
}

#define CREATE(format, specification, attributes) \
    (session = STALE, nalu_decompression_session_create(format, specification, attributes, ignore, NULL, NULL, &session))

static void wrong_arguments_of_create_are_refused(void) {
    nalu_decompression_session *session = NULL;
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    nalu_destination_attributes attributes = NALU_DESTINATION_ATTRIBUTES_INIT;
    nalu_format_description *format = clip_format(&movie);
    CHECK_STATUS(nalu_decompression_session_create(format, NULL, NULL, ignore, NULL, NULL, NULL), NALU_STATUS_PARAMETER);
    REFUSED(CREATE(NULL, NULL, NULL), NALU_STATUS_PARAMETER, "format", "NULL");
    CHECK(session == NULL);
    REFUSED(CREATE((nalu_format_description *)movie.session, NULL, NULL), NALU_STATUS_INVALID_HANDLE, "format");
    CHECK(session == NULL);
    REFUSED(nalu_decompression_session_create(format, NULL, NULL, NULL, NULL, NULL, &session), NALU_STATUS_PARAMETER,
            "callback", "NULL");
    specification.struct_size = 8;
    REFUSED(CREATE(format, &specification, NULL), NALU_STATUS_PARAMETER, "specification", "struct_size", "8");
    specification = (nalu_decoder_specification)NALU_DECODER_SPECIFICATION_INIT;
    specification.flags = 8;
    REFUSED(CREATE(format, &specification, NULL), NALU_STATUS_PARAMETER, "specification.flags", "8");
    specification.flags = 0;
    specification.require_hardware_accelerated_video_decoder = 1;
    REFUSED(CREATE(format, &specification, NULL), NALU_STATUS_COULD_NOT_FIND_VIDEO_DECODER, "hardware");
    specification.require_hardware_accelerated_video_decoder = 0;
    for (int i = 0; i < 2; i++) {
        specification.thread_count = i ? 65 : -1;
        REFUSED(CREATE(format, &specification, NULL), NALU_STATUS_OUT_OF_RANGE, "thread_count", i ? "65" : "-1", "64");
    }
    attributes.struct_size = 4;
    REFUSED(CREATE(format, NULL, &attributes), NALU_STATUS_PARAMETER, "destination_attributes", "struct_size");
    attributes = (nalu_destination_attributes)NALU_DESTINATION_ATTRIBUTES_INIT;
    attributes.pixel_format = NALU_FOURCC('a', 'b', 'c', 'd');
    REFUSED(CREATE(format, NULL, &attributes), NALU_STATUS_INVALID_PIXEL_FORMAT, "pixel_format");
    attributes.pixel_format = 0;
    for (int i = 0; i < 4; i++) {
        attributes.width = i & 1 ? 16385 : -1;
        attributes.height = 0;
        if (i & 2) attributes.height = attributes.width, attributes.width = 0;
        REFUSED(CREATE(format, NULL, &attributes), NALU_STATUS_INVALID_SIZE, i & 2 ? "height" : "width",
                i & 1 ? "16385" : "-1");
    }
    struct {
        nalu_decoder_specification known;
        uint64_t unknown;
    } newer = {NALU_DECODER_SPECIFICATION_INIT, 1};
    newer.known.struct_size = sizeof newer;
    REFUSED(CREATE(format, &newer.known, NULL), NALU_STATUS_UNSUPPORTED_OPTION, "specification");
    newer.unknown = 0;
    CHECK_OK(CREATE(format, &newer.known, NULL));
    nalu_decompression_session_release(session);
}

enum { MOST_THREADS = 256 };

/* Lists the thread IDs of the process. */
static int list_threads(long numbers[MOST_THREADS]) {
    int count = 0;
    DIR *directory = opendir("/proc/self/task");
    for (struct dirent *entry; directory && count < MOST_THREADS && (entry = readdir(directory));)
        if (entry->d_name[0] != '.') numbers[count++] = strtol(entry->d_name, NULL, 10);
    if (directory) closedir(directory);
    return count;
}

/* Returns how many threads a session with frame threads creates. Ended threads can be listed for a while, so
 * only new ones are counted. */
static int threads_of(int32_t thread_count) {
    static long before[MOST_THREADS], after[MOST_THREADS];
    nalu_decompression_session *session = NULL;
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    specification.thread_count = thread_count;
    const int count_before = list_threads(before);
    REQUIRE_OK(CREATE(clip_format(&movie), &specification, NULL));
    for (int i = 0; i < 4; i++) CHECK_OK(decode_sample(session, &movie, i, ASYNCHRONOUS));
    CHECK_OK(wait_all(session));
    int made = list_threads(after);
    for (int i = made - 1; i >= 0; i--)
        for (int k = 0; k < count_before; k++) made -= after[i] == before[k];
    CHECK_OK(nalu_decompression_session_invalidate(session));
    nalu_decompression_session_release(session);
    return made;
}

/* If the process may use only one processor, a session has one thread for decoding. */
static void a_session_uses_the_processors_of_the_process(void) {
    cpu_set_t all, one;
    REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    const int alone = threads_of(1);
    CHECK(threads_of(2) > alone);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK_EQ(threads_of(0), alone);
    REQUIRE(sched_setaffinity(0, sizeof all, &all) == 0);
    if (CPU_COUNT(&all) > 1) CHECK(threads_of(0) > alone);
}

static void wrong_handles_are_refused(void) {
    static zeros nothing;
    nalu_decompression_session *none = (nalu_decompression_session *)&nothing, *session = NULL;
    nalu_decompression_session *writer = (nalu_decompression_session *)movie.session;
    size_t size = 0;
    CHECK_OK(CREATE(clip_format(&movie), NULL, NULL));
    CHECK(nalu_decompression_session_retain(NULL) == NULL);
    nalu_decompression_session_release(NULL);
    nalu_decompression_session_release(none);
    nalu_decompression_session_release(writer);
    CHECK_OK(nalu_decompression_session_invalidate(NULL));
    REFUSED(nalu_decompression_session_invalidate(none), NALU_STATUS_INVALID_HANDLE, "session", "decompression");
    REFUSED(nalu_decompression_session_invalidate(writer), NALU_STATUS_INVALID_HANDLE, "session");
    REFUSED(wait_all(NULL), NALU_STATUS_PARAMETER, "session");
    REFUSED(wait_all(none), NALU_STATUS_INVALID_HANDLE, "session");
    REFUSED(nalu_decompression_session_finish_delayed_frames(NULL), NALU_STATUS_PARAMETER, "session");
    REFUSED(nalu_decompression_session_finish_delayed_frames(none), NALU_STATUS_INVALID_HANDLE, "session");
    REFUSED(decode_sample(NULL, &movie, 0, 0), NALU_STATUS_PARAMETER, "session");
    REFUSED(decode_sample(none, &movie, 0, 0), NALU_STATUS_INVALID_HANDLE, "session");
    REFUSED(nalu_decompression_session_decode_frame(session, NULL, 0, NULL, NULL), NALU_STATUS_PARAMETER, "sample");
    REFUSED(nalu_decompression_session_decode_frame(session, (nalu_sample *)&nothing, 0, NULL, NULL),
            NALU_STATUS_INVALID_HANDLE, "sample");
    REFUSED(decode_sample(session, &movie, 0, 16), NALU_STATUS_PARAMETER, "flags", "16");
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(NULL, clip_format(&movie)), 0);
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(none, clip_format(&movie)), 0);
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(session, NULL), 0);
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(session, (nalu_format_description *)&nothing), 0);
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(session, clip_format(&movie)), 1);
    REFUSED(nalu_decompression_session_copy_last_error(session, NULL, 0, NULL), NALU_STATUS_PARAMETER, "size_out");
    REFUSED(nalu_decompression_session_copy_last_error(none, NULL, 0, &size), NALU_STATUS_INVALID_HANDLE, "session");
    nalu_decompression_session_release(session);
}

static void the_last_error_is_copied(void) {
    nalu_decompression_session *session = NULL;
    char text[300] = "x";
    size_t size = 0;
    CHECK_OK(CREATE(clip_format(&movie), NULL, NULL));
    CHECK_OK(nalu_decompression_session_copy_last_error(session, text, sizeof text, &size));
    CHECK_STR_EQ(text, "");
    CHECK_EQ(size, 1);
    CHECK_OK(decode_sample(session, &movie, 1, 0));
    CHECK_OK(nalu_decompression_session_copy_last_error(session, NULL, 0, &size));
    CHECK(size > 1 && size < sizeof text);
    REFUSED(nalu_decompression_session_copy_last_error(session, text, size - 1, &size), NALU_STATUS_BUFFER_TOO_SMALL,
            "capacity");
    REFUSED(nalu_decompression_session_copy_last_error(session, NULL, 5, &size), NALU_STATUS_PARAMETER, "buffer");
    CHECK_OK(nalu_decompression_session_copy_last_error(session, text, size, &size));
    CHECK_EQ(strlen(text) + 1, size);
    CHECK(strstr(text, "key frame"));
    nalu_decompression_session_release(session);
}

static void statuses_have_names(void) {
    CHECK_STR_EQ(nalu_status_string(NALU_STATUS_COULD_NOT_FIND_VIDEO_DECODER), "COULD_NOT_FIND_VIDEO_DECODER");
    CHECK_STR_EQ(nalu_status_string(NALU_STATUS_DECODER_MALFUNCTION), "DECODER_MALFUNCTION");
    CHECK_STR_EQ(nalu_status_string(NALU_STATUS_REFERENCE_MISSING), "REFERENCE_MISSING");
}

/* The struct layouts on which bindings rely. */
_Static_assert(sizeof(nalu_decoder_specification) == 24 && offsetof(nalu_decoder_specification, struct_size) == 0
    && offsetof(nalu_decoder_specification, require_hardware_accelerated_video_decoder) == 4
    && offsetof(nalu_decoder_specification, flags) == 8 && offsetof(nalu_decoder_specification, thread_count) == 12
    && offsetof(nalu_decoder_specification, maximum_pixel_count) == 16, "");
_Static_assert(sizeof(nalu_destination_attributes) == 16 && offsetof(nalu_destination_attributes, struct_size) == 0
    && offsetof(nalu_destination_attributes, pixel_format) == 4 && offsetof(nalu_destination_attributes, width) == 8
    && offsetof(nalu_destination_attributes, height) == 12, "");

int main(void) {
    make_clip(&movie, 12, true);
    RUN(wrong_arguments_of_create_are_refused);
    RUN(a_session_uses_the_processors_of_the_process);
    RUN(wrong_handles_are_refused);
    RUN(the_last_error_is_copied);
    RUN(statuses_have_names);
    clip_close(&movie);
    return check_result();
}
