/* The library writes nothing to the terminal, and leaves the process's signals and locale alone. */
#include "session_support.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
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
    struct sigaction before[65], after;
    sigset_t mask_before, mask_after;
    memset(before, 0, sizeof before);
    for (int number = 1; number < 65; number++) sigaction(number, NULL, &before[number]);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
    live();
    for (int number = 1; number < 65; number++) {
        memset(&after, 0, sizeof after);
        sigaction(number, NULL, &after);
        CHECK(after.sa_handler == before[number].sa_handler);
    }
    pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    for (int number = 1; number < 65; number++)
        CHECK_EQ(sigismember(&mask_before, number), sigismember(&mask_after, number));
}

static void the_locale_stays_as_it_is(void) {
    char before[256] = "";
    snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
    live();
    CHECK_STR_EQ(setlocale(LC_ALL, NULL), before);
}

int main(void) {
    RUN(nothing_is_written_to_standard_output_or_error);
    RUN(no_signal_gets_another_handler);
    RUN(the_locale_stays_as_it_is);
    return check_result();
}
