/* Ends the process of the Swift tests when they take far longer than they should: every wait has that limit. */
#include "time_limit.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* Whatever the process that starts the tests has ignored or blocked. */
__attribute__((constructor)) static void limit_time(void) {
    sigset_t set;
    signal(SIGALRM, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    alarm(nalu_tests_time_limit);
}
