/* The signal dispositions of a process, and programs that inspect them. */
#ifndef NALU_TESTS_DISPOSITIONS_H
#define NALU_TESTS_DISPOSITIONS_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SIGNAL_COUNT = 65,
    /* The C library's own flag SA_RESTORER, which its first sigaction call for a signal sets. */
    C_LIBRARYS_FLAG = 0x04000000
};

typedef struct dispositions {
    struct sigaction actions[SIGNAL_COUNT];
    stack_t stack; /* alternate stack of the calling thread */
    sigset_t mask; /* signal mask of the calling thread */
} dispositions;

static inline dispositions dispositions_now(void) {
    dispositions now;
    memset(&now, 0, sizeof now);
    for (int number = 1; number < SIGNAL_COUNT; number++) {
        sigaction(number, NULL, &now.actions[number]);
        now.actions[number].sa_flags &= ~C_LIBRARYS_FLAG;
    }
    sigaltstack(NULL, &now.stack);
    pthread_sigmask(SIG_SETMASK, NULL, &now.mask);
    return now;
}

/* Returns how many dispositions differ. Each is named on stderr. */
static inline int dispositions_differ(const dispositions *a, const dispositions *b) {
    int count = 0;
    for (int number = 1; number < SIGNAL_COUNT; number++) {
        if (a->actions[number].sa_handler != b->actions[number].sa_handler
            || a->actions[number].sa_flags != b->actions[number].sa_flags) {
            fprintf(stderr, "signal %d (%s) has another handler\n", number, strsignal(number));
            count++;
        }
        if (sigismember(&a->mask, number) != sigismember(&b->mask, number)) {
            fprintf(stderr, "signal %d (%s) is blocked differently\n", number, strsignal(number));
            count++;
        }
    }
    if (a->stack.ss_sp != b->stack.ss_sp || a->stack.ss_size != b->stack.ss_size
        || a->stack.ss_flags != b->stack.ss_flags) {
        fprintf(stderr, "the alternate stack has %zu bytes; it had %zu\n", b->stack.ss_size, a->stack.ss_size);
        count++;
    }
    return count;
}

/* Returns the number of signals with a handler, plus 1 for an alternate stack. exec preserves neither of them. */
static inline int dispositions_taken(const dispositions *now) {
    int count = 0;
    for (int number = 1; number < SIGNAL_COUNT; number++) {
        if (now->actions[number].sa_handler != SIG_DFL && now->actions[number].sa_handler != SIG_IGN) {
            fprintf(stderr, "signal %d (%s) has a handler\n", number, strsignal(number));
            count++;
        }
    }
    if (!(now->stack.ss_flags & SS_DISABLE)) {
        fprintf(stderr, "there is an alternate stack of %zu bytes\n", now->stack.ss_size);
        count++;
    }
    return count;
}

/* Values of the Swift runtime's variable SWIFT_BACKTRACE: unset, enabled with another program, and disabled. */
static const char *const backtrace_settings[] = {NULL, "enable=yes,swift-backtrace=/bin/true", "enable=no"};
enum { BACKTRACE_SETTING_COUNT = sizeof backtrace_settings / sizeof backtrace_settings[0] };

/* Runs a program to its end, for at most two minutes, and returns its exit status; -1 if it does not exit by
 * itself. */
static inline int run_program(const char *const arguments[], const char *backtrace_setting) {
    pid_t child = fork();
    if (child == 0) {
        if (backtrace_setting)
            setenv("SWIFT_BACKTRACE", backtrace_setting, 1);
        else
            unsetenv("SWIFT_BACKTRACE");
        execv(arguments[0], (char *const *)(size_t)arguments);
        _exit(127);
    }
    int status = 0;
    for (int i = 0; i < 12000; i++) {
        pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (done < 0) return -1;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

#endif
