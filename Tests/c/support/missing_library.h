/*
 * Runs a test again in a process that cannot load some libraries.
 *
 *     int main(void) {
 *         if (is_without_libraries()) without_the_library();
 *         else RUN(a_missing_library_is_named_with_its_package);
 *         return check_result();
 *     }
 */
#ifndef NALU_TESTS_MISSING_LIBRARY_H
#define NALU_TESTS_MISSING_LIBRARY_H

#include "test_directory.h"

/* Runs this program in a process in which the loader finds an empty file, which is no library, in place of each of the
 * libraries. `number` is for the case in that process. `environment` are further arguments of env. Fails if a check there
 * fails. */
void check_without_libraries(const char *const *libraries, size_t count, size_t number, const char *environment);

/* Whether this is such a process. */
static inline int is_without_libraries(void) { return getenv("NALU_TEST_CASE") != NULL; }

/* Returns the number of the case in such a process. */
static inline size_t missing_library_case(void) { return (size_t)atoi(getenv("NALU_TEST_CASE")); }

#endif
