/*
 * Checks for calls that must fail: the status, and that the thread's error message contains each of the words.
 *
 *     REFUSED(nalu_session_set_int64(session, "Quality", 7), NALU_STATUS_OUT_OF_RANGE, "Quality", "7", "0.0 to 1.0");
 */
#ifndef NALU_TESTS_REFUSAL_H
#define NALU_TESTS_REFUSAL_H

#include "check.h"

int check_refused(nalu_status is, nalu_status expected, const char *const *words, const char *file,
                  int line, const char *what);

/* The words must occur in the error message: the argument, its value and the expected values. */
#define REFUSED(call, status, ...) \
    check_refused((call), (status), (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__, #call)

/* An arbitrary pointer, for out-arguments that must become NULL. */
#define STALE ((void *)(uintptr_t)0x5a5a5a50u)

/* Zeroed memory that is no object, aligned like one. */
typedef struct zeros {
    _Alignas(16) unsigned char bytes[256];
} zeros;

#endif
