/* Ends the process of the Swift tests if they exceed their time limit. All waits in the tests rely on this
 * limit. */
#include "time_limit.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* Makes SIGALRM end the process even if the parent has ignored or blocked it. */
__attribute__((constructor)) static void limit_time(void) {
    sigset_t set;
    signal(SIGALRM, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    alarm(nalu_tests_time_limit);
}
