/* Replaces libswiftCore: installs the handlers that the Swift runtime installs when it is loaded. */
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

void needed_by_libnalu(void);
void needed_by_libnalu(void) {}

static void handle(int number, siginfo_t *info, void *context) {
    (void)number, (void)info, (void)context;
    _exit(99);
}

__attribute__((constructor)) static void take(void) {
    static const int signals[] = {SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = handle;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &action, NULL);
    stack_t stack = {.ss_flags = 0, .ss_size = (size_t)sysconf(_SC_SIGSTKSZ) + 16384};
    stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, NULL);
}
