/* The test's own directory for files, which is removed at exit. */
#ifndef NALU_TESTS_TEST_DIRECTORY_H
#define NALU_TESTS_TEST_DIRECTORY_H

#include "check.h"

#include <unistd.h>

/* The directory's path. Empty before the first call of test_path. */
extern char test_directory[256];

/* Returns a path in the directory. The last eight paths stay valid. */
const char *test_path(const char *name);

/* Writes a file in the directory, and returns its path. */
const char *test_file(const char *name, const void *bytes, size_t size);

#endif
