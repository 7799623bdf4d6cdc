/*
 * A program that is not linked with Nalu and loads a library, as a virtual machine or an interpreter does. It
 * exits with 0 if the signal dispositions are unchanged, and with 1 otherwise.
 * usage: host LIBRARY plain|own|late|swift OTHER
 *   own: the program has its own handler and alternate stack, of the same size as the Swift runtime's
 *   late: another thread with such a stack loads the library
 *   swift: OTHER, which itself needs the Swift runtime, is loaded first, and its handlers must stay
 */
#include "dispositions.h"

#include <dlfcn.h>
#include <pthread.h>

static void report(int number) {
    (void)number;
    _exit(42);
}

static void take_own(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = report;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    const size_t size = (size_t)sysconf(_SC_SIGSTKSZ) + 16384;
    stack_t stack = {.ss_sp = malloc(size), .ss_size = size, .ss_flags = 0};
    sigaltstack(&stack, NULL);
}

static int load(const char *library) {
    const dispositions before = dispositions_now();
    if (!dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    const dispositions after = dispositions_now();
    return dispositions_differ(&before, &after) ? 1 : 0;
}

static void *load_late(void *library) {
    take_own();
    return (void *)(size_t)load(library);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    const char *way = arguments[2];
    if (strcmp(way, "own") == 0) take_own();
    if (strcmp(way, "late") == 0) {
        pthread_t thread;
        void *result = NULL;
        if (pthread_create(&thread, NULL, load_late, arguments[1]) != 0) return 2;
        pthread_join(thread, &result);
        return (int)(size_t)result;
    }
    if (strcmp(way, "swift") == 0) {
        if (count < 4 || load(arguments[3]) != 1) return 2;
    }
    return load(arguments[1]);
}
