#include "check.h"

int check_failures = 0;

__attribute__((constructor)) void check_limit_time(void) {
    const char *asked = getenv("NALU_TEST_LIMIT");
    sigset_t set;
    signal(SIGALRM, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    alarm(asked && atoi(asked) > 0 ? (unsigned)atoi(asked) : 600);
}

int check_that(int holds, const char *file, int line, const char *what, const char *values) {
    if (holds) return 1;
    __atomic_fetch_add(&check_failures, 1, __ATOMIC_SEQ_CST);
    fprintf(stderr, "%s:%d: failed: %s%s%s (last error: \"%s\")\n", file, line, what, values[0] ? ": " : "", values,
            nalu_last_error_message());
    return 0;
}

int check_integers(long long a, long long b, const char *file, int line, const char *what) {
    char values[64];
    snprintf(values, sizeof values, "%lld, not %lld", a, b);
    return check_that(a == b, file, line, what, values);
}

int check_statuses(nalu_status a, nalu_status b, const char *file, int line, const char *what) {
    char values[128];
    snprintf(values, sizeof values, "%s (%d), not %s (%d)", nalu_status_string(a), (int)a, nalu_status_string(b), (int)b);
    return check_that(a == b, file, line, what, values);
}

int check_doubles(double a, double b, double tolerance, const char *file, int line, const char *what) {
    char values[128];
    snprintf(values, sizeof values, "%.17g, not %.17g", a, b);
    return check_that(fabs(a - b) <= tolerance, file, line, what, values);
}

int check_strings(const char *a, const char *b, const char *file, int line, const char *what) {
    char values[512];
    snprintf(values, sizeof values, "\"%s\", not \"%s\"", a ? a : "(null)", b ? b : "(null)");
    return check_that(a && b && strcmp(a, b) == 0, file, line, what, values);
}

int check_pointers(const void *a, const void *b, const char *file, int line, const char *what) {
    char values[64];
    snprintf(values, sizeof values, "%p, not %p", (void *)(uintptr_t)a, (void *)(uintptr_t)b);
    return check_that(a == b, file, line, what, values);
}

int check_bytes(const void *a, const void *b, size_t size, const char *file, int line, const char *what) {
    const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
    char values[64] = "";
    size_t i = 0;
    while (i < size && p[i] == q[i]) i++;
    if (i < size) snprintf(values, sizeof values, "byte %zu is %02x, not %02x", i, p[i], q[i]);
    return check_that(i == size, file, line, what, values);
}

void check_pause(void) {
    struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

int check_result(void) {
    int failures = __atomic_load_n(&check_failures, __ATOMIC_SEQ_CST);
    printf("%s: %d failed checks\n", failures ? "FAILED" : "ok", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
