/* The libraries that this process has loaded. A program that includes this header interposes dlopen: it defines
 * `library_to_load`, which decides what is loaded in place of a file. */
#ifndef NALU_TESTS_MAPPED_H
#define NALU_TESTS_MAPPED_H

#include "check.h"

#include <dlfcn.h>
#include <stdbool.h>

/* Returns the file that dlopen loads if it is asked for `file`, which may be NULL. */
static const char *library_to_load(const char *file);

void *dlopen(const char *file, int mode) {
    void *(*next)(const char *, int) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&next, &symbol, sizeof next);
    return next(library_to_load(file), mode);
}

/* Returns true if a mapped file has `name` in its path. */
static inline bool is_mapped(const char *name) {
    char line[4096];
    bool is = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    REQUIRE(maps);
    while (fgets(line, sizeof line, maps)) is |= strstr(line, name) != NULL;
    fclose(maps);
    return is;
}

#endif
