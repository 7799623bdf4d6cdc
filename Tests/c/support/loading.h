/* Checks for libnalu and libVideoToolbox that loading them leaves the process's signals alone. */
#ifndef NALU_TESTS_LOADING_H
#define NALU_TESTS_LOADING_H

#include "check.h"
#include "dispositions.h"
#include "sanitized.h"

/* Returns 1 if the program was started to print the signal dispositions at the start of main. */
static inline int is_started_to_look(int count, char **arguments) {
    return count == 2 && strcmp(arguments[1], "look") == 0;
}

static inline int look_at_signals(void) {
    const dispositions now = dispositions_now();
    return dispositions_taken(&now) ? 1 : 0;
}

/* Checks a program that is linked with the library. A sanitizer would install its own handlers in such a
 * program. */
static inline void check_linked_program(void) {
    if (IS_SANITIZED) return;
    char self[4096] = "";
    REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    const char *const arguments[] = {self, "look", NULL};
    for (int i = 0; i < BACKTRACE_SETTING_COUNT; i++) CHECK_EQ(run_program(arguments, backtrace_settings[i]), 0);
}

static inline void check_loading_program(const char *library) {
    const char *const ways[] = {"plain", "own", "late"};
    if (IS_SANITIZED) {
        /* AddressSanitizer gives each thread an alternate stack, and at the end it mistakes the program's stack
         * for its own. */
        char options[1024];
        const char *given = getenv("ASAN_OPTIONS");
        snprintf(options, sizeof options, "%s use_sigaltstack=0", given ? given : "");
        setenv("ASAN_OPTIONS", options, 1);
    }
    for (int way = 0; way < 3; way++) {
        const char *const arguments[] = {HOST_PROGRAM, library, ways[way], NULL};
        for (int i = 0; i < BACKTRACE_SETTING_COUNT; i++) {
            if (!CHECK_EQ(run_program(arguments, backtrace_settings[i]), 0))
                fprintf(stderr, "way %s, SWIFT_BACKTRACE=%s\n", ways[way],
                        backtrace_settings[i] ? backtrace_settings[i] : "(unset)");
        }
    }
}

#endif
