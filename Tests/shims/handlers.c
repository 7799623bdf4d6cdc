/* Tests CHandlers in a program that is linked with a library named like libnalu, which needs one named like the
 * Swift runtime. The signal handlers and the alternate stack must be unchanged. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    static const int signals[] = {SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    int failures = 0;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL) continue;
        fprintf(stderr, "shims: failed: signal %d has a handler\n", signals[i]);
        failures++;
    }
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE)) {
        fprintf(stderr, "shims: failed: the thread has an alternate stack\n");
        failures++;
    }
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
