/* The library writes nothing to the terminal, and leaves the process's signals and locale alone. */
#include "loading.h"
#include "session_support.h"

#include <fcntl.h>
#include <locale.h>
#include <unistd.h>

static recorder all = RECORDER_INIT;

/* A session's life, with everything in it that an encoder likes to talk about. */
static void live(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    CHECK_STATUS(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "nonsense=1"), NALU_STATUS_OUT_OF_RANGE);
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 1000));
    CHECK_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "bframes=16:ref=16:threads=128"));
    for (unsigned i = 0; i < 40; i++) CHECK_OK(encode_picture(session, i));
    CHECK_STATUS(encode_picture(session, 0), NALU_STATUS_INVALID_TIME);
    CHECK_OK(complete_all(session));
    check_all_encoded(&all, 40);
    nalu_compression_session_release(session);
    recorder_clear(&all);
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

static void no_signal_gets_another_handler(void) {
    const dispositions before = dispositions_now();
    live();
    const dispositions after = dispositions_now();
    CHECK_EQ(dispositions_differ(&before, &after), 0);
}

static void a_linked_program_begins_with_signals_as_it_was_given_them(void) {
    check_linked_program();
}

static void loading_the_library_changes_no_signal(void) {
    check_loading_program(NALU_LIBRARY);
}

/* With the runtime inside there is nothing that a program in Swift would share with the library. */
static void a_program_in_swift_keeps_its_handlers(void) {
#ifdef SWIFT_LIBRARY
    const char *const arguments[] = {HOST_PROGRAM, NALU_LIBRARY, "swift", SWIFT_LIBRARY, NULL};
    CHECK_EQ(run_program(arguments, "enable=yes,swift-backtrace=/bin/true"), 0);
#endif
}

static void the_locale_stays_as_it_is(void) {
    char before[256] = "";
    snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
    live();
    CHECK_STR_EQ(setlocale(LC_ALL, NULL), before);
}

int main(int count, char **arguments) {
    if (is_started_to_look(count, arguments)) return look_at_signals();
    RUN(nothing_is_written_to_standard_output_or_error);
    RUN(no_signal_gets_another_handler);
    RUN(a_linked_program_begins_with_signals_as_it_was_given_them);
    RUN(loading_the_library_changes_no_signal);
    RUN(a_program_in_swift_keeps_its_handlers);
    RUN(the_locale_stays_as_it_is);
    return check_result();
}
