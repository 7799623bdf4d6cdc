/* The library writes nothing to the terminal, and does not change the process's signals, locale and floating-point
 * environment. */
#include "loading.h"
#include "session_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <unistd.h>

static recorder all = RECORDER_INIT;

/* The life of a session, with everything that makes an encoder print messages. */
static void live(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    CHECK_STATUS(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "nonsense=1"), NALU_STATUS_OUT_OF_RANGE);
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 1000));
    CHECK_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "bframes=16:ref=16:threads=128"));
    encode_pictures(session, 40);
    CHECK_STATUS(encode_picture(session, 0), NALU_STATUS_INVALID_TIME);
    complete_and_check(session, &all, 40);
    end_session(session, &all);
}

static void nothing_is_written_to_standard_output_or_error(void) {
    char path[] = "/tmp/nalu-manners-XXXXXX";
    int file = mkstemp(path);
    REQUIRE(file >= 0);
    unlink(path);
    fflush(stdout);
    int output = dup(STDOUT_FILENO), error = dup(STDERR_FILENO), failures_before = check_failures;
    REQUIRE(output >= 0 && error >= 0);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    live();
    fflush(stdout);
    dup2(output, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    close(output);
    close(error);
    char text[512] = "";
    lseek(file, 0, SEEK_SET);
    ssize_t written = read(file, text, sizeof text - 1);
    close(file);
    CHECK_EQ(check_failures, failures_before);
    if (!CHECK_EQ(written, 0)) fprintf(stderr, "%s\n", text);
}

static void no_signal_handler_changes(void) {
    const dispositions before = dispositions_now();
    live();
    const dispositions after = dispositions_now();
    CHECK_EQ(dispositions_differ(&before, &after), 0);
}

/* Lists the thread IDs of the process, at most `capacity`. */
static size_t list_threads(long *numbers, size_t capacity) {
    size_t count = 0;
    DIR *directory = opendir("/proc/self/task");
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] != '.' && count < capacity) numbers[count++] = strtol(entry->d_name, NULL, 10);
    }
    if (directory) closedir(directory);
    return count;
}

enum { FAULTS = 6 };
static const int faults[FAULTS] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};

/* Returns the signals that a thread blocks; bit 0 is signal 1. */
static unsigned long long read_blocked(long thread) {
    char path[64], line[256];
    unsigned long long blocked = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", thread);
    FILE *status = fopen(path, "r");
    while (status && fgets(line, sizeof line, status)) {
        if (!strncmp(line, "SigBlk:", 7)) blocked = strtoull(line + 7, NULL, 16);
    }
    if (status) fclose(status);
    return blocked;
}

/* Returns the blocked signals once the thread has started: the C library starts it with every signal blocked. */
static unsigned long long blocked_in(long thread) {
    unsigned long long blocked = read_blocked(thread);
    for (int i = 0; i < 60000 && blocked >> (SIGSEGV - 1) & 1; i++) {
        sleep_milliseconds(1);
        blocked = read_blocked(thread);
    }
    return blocked;
}

/* Returns the number of threads that are not in `before`. Checks that each blocks the signals sent to the
 * process, and no fault signal. */
static int check_new_threads(const long *before, size_t before_count) {
    long threads[256];
    const size_t count = list_threads(threads, 256);
    int found = 0;
    for (size_t i = 0; i < count; i++) {
        int is_new = 1;
        for (size_t j = 0; j < before_count; j++) is_new &= threads[i] != before[j];
        const unsigned long long blocked = is_new ? blocked_in(threads[i]) : 0;
        if (!is_new) continue;
        found++;
        for (int number = 1; number <= 31; number++) {
            if (number == SIGKILL || number == SIGSTOP) continue;
            int expected = 1;
            for (int k = 0; k < FAULTS; k++) expected &= number != faults[k];
            if (!CHECK_EQ(blocked >> (number - 1) & 1, expected))
                fprintf(stderr, "thread %ld, signal %d (%s)\n", threads[i], number, strsignal(number));
        }
    }
    return found;
}

/* x264 has threads for frames and its lookahead, or for slices. The session has one thread. */
static void no_thread_of_the_library_receives_the_clients_signals(void) {
    static const char *const threads[] = {"threads=3", "threads=3:sliced-threads=1"};
    if (access("/proc/self/task", R_OK) != 0) return;
    for (int i = 0; i < 2; i++) {
        long before[256];
        const size_t before_count = list_threads(before, 256);
        const dispositions own = dispositions_now();
        nalu_compression_session *session = NULL;
        REQUIRE_OK(nalu_compression_session_create(320, 240, NALU_CODEC_H264, NULL, NULL, record_result, &all,
                                                   NULL, &session));
        CHECK_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, threads[i]));
        CHECK_OK(nalu_compression_session_prepare(session));
        CHECK(check_new_threads(before, before_count) >= 4);
        const dispositions now = dispositions_now();
        CHECK_EQ(dispositions_differ(&own, &now), 0);
        nalu_compression_session_release(session);
    }
}

static void a_linked_program_keeps_its_inherited_signals(void) {
    check_linked_program();
}

static void loading_the_library_changes_no_signal(void) {
    check_loading_program(NALU_LIBRARY);
}

/* If the Swift runtime is linked statically, the library shares nothing with a Swift program, and the test is
 * empty. */
static void a_program_in_swift_keeps_its_handlers(void) {
#ifdef SWIFT_LIBRARY
    const char *const arguments[] = {HOST_PROGRAM, NALU_LIBRARY, "swift", SWIFT_LIBRARY, NULL};
    CHECK_EQ(run_program(arguments, "enable=yes,swift-backtrace=/bin/true"), 0);
#endif
}

static void the_locale_does_not_change(void) {
    char before[256] = "";
    snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
    live();
    CHECK_STR_EQ(setlocale(LC_ALL, NULL), before);
}

/* Programs of some languages trap floating-point exceptions, and encoders rely on infinities and NaN. The result does not
 * depend on the environment of the thread that creates the session. */
static void the_floating_point_environment_stays_the_clients(void) {
    static const struct {
        nalu_four_char_code codec;
        const char *encoder_id, *rate;
    } encoders[] = {{NALU_CODEC_H264, "org.videolan.x264", "AverageBitRate=300000"},
        {NALU_CODEC_H264, "org.openh264.openh264", "AverageBitRate=300000"},
        /* Threads of x265 can delay a frame by one more, after which the rate control chooses other QPs. */
        {NALU_CODEC_HEVC, "org.videolan.x265", "Quality=0.5"}};
    for (int i = 0; i < 3; i++) {
        uint64_t bytes[2];
        for (int traps = 0; traps < 2; traps++) {
            if (traps) {
                CHECK(feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW) >= 0);
                CHECK_EQ(fesetround(FE_UPWARD), 0);
            }
            nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
            specification.encoder_id = encoders[i].encoder_id;
            nalu_compression_session *session = NULL;
            REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, encoders[i].codec, &specification, NULL,
                                                       record_result, &all, NULL, &session));
            CHECK_OK(nalu_session_set_properties_from_text(session, encoders[i].rate));
            CHECK_OK(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 29.97));
            encode_pictures(session, 30);
            complete_and_check(session, &all, 30);
            nalu_session_statistics statistics = {.struct_size = sizeof statistics};
            CHECK_OK(nalu_compression_session_get_statistics(session, &statistics));
            bytes[traps] = statistics.bytes;
            end_session(session, &all);
            if (!traps) continue;
            CHECK_EQ(fegetexcept(), FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
            CHECK_EQ(fegetround(), FE_UPWARD);
            fesetenv(FE_DFL_ENV);
        }
        if (!CHECK_EQ(bytes[0], bytes[1])) fprintf(stderr, "%s\n", encoders[i].encoder_id);
    }
}

/* Functions that compute with numbers beyond the largest double, on the client's thread. */
static void numbers_beyond_the_largest_double_do_not_trap(void) {
    nalu_timebase *clock = NULL, *slow = NULL;
    nalu_compression_session *session = make_session(record_result, &all);
    REQUIRE_OK(nalu_timebase_create_manual_clock(nalu_time_make(5, 1), &clock));
    REQUIRE_OK(nalu_timebase_create(clock, &slow));
    CHECK(feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW) >= 0);
    CHECK_STATUS(nalu_session_set_properties_from_text(session, "Quality=1e999"), NALU_STATUS_OUT_OF_RANGE);
    CHECK_OK(nalu_timebase_set_rate(slow, 0x1p-1074));
    const nalu_time time = nalu_timebase_convert_time(nalu_time_make(7, 1), slow, clock);
    CHECK_EQ(fegetexcept(), FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    fesetenv(FE_DFL_ENV);
    CHECK(time.flags & NALU_TIME_VALID);
    nalu_timebase_release(slow);
    nalu_timebase_release(clock);
    nalu_compression_session_release(session);
}

int main(int count, char **arguments) {
    if (is_started_to_look(count, arguments)) return look_at_signals();
    RUN(nothing_is_written_to_standard_output_or_error);
    RUN(no_signal_handler_changes);
    RUN(no_thread_of_the_library_receives_the_clients_signals);
    RUN(a_linked_program_keeps_its_inherited_signals);
    RUN(loading_the_library_changes_no_signal);
    RUN(a_program_in_swift_keeps_its_handlers);
    RUN(the_locale_does_not_change);
    RUN(the_floating_point_environment_stays_the_clients);
    RUN(numbers_beyond_the_largest_double_do_not_trap);
    return check_result();
}
