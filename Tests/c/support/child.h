/* Runs test code in a forked child with a time limit. */
#ifndef NALU_TESTS_CHILD_H
#define NALU_TESTS_CHILD_H

#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Limits the size of the files that this process writes, in place of a full disk. Ends the process if that fails. */
static inline void limit_file_size(size_t bytes) {
    char command[100];
    signal(SIGXFSZ, SIG_IGN);
    snprintf(command, sizeof command, "prlimit --fsize=%zu --pid %d", bytes, (int)getpid());
    if (system(command) != 0) _exit(2);
}

/* Runs `body` in a child. Fails if a check in the child fails or the child runs for more than two minutes. */
static inline void check_child(void (*body)(void *context), void *context) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        check_failures = 0;
        body(context);
        _exit(check_failures ? 1 : 0);
    }
    REQUIRE(child > 0);
    int status = 0;
    for (int i = 0; i < 12000; i++) {
        if (waitpid(child, &status, WNOHANG) == child) {
            CHECK(WIFEXITED(status));
            CHECK_EQ(WEXITSTATUS(status), 0);
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    CHECK(!"the child hangs");
}

#endif
