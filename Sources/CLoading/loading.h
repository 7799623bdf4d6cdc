/*
 * Loading of optional shared libraries at their first use, with an error message that names the
 * package.
 *
 *     static const char names[] = "xcb_connect\0" "xcb_disconnect\0";
 *     static const nalu_library library = {"libxcb.so.1", "libxcb1", names};
 *     static void *functions[2];
 *     ...
 *     if (nalu_libraries_load(&library, 1, functions, &is_loaded, message, capacity) != 0) ...
 */
#ifndef NALU_CLOADING_LOADING_H
#define NALU_CLOADING_LOADING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One library. */
typedef struct nalu_library {
    const char *file;    /* the name for dlopen */
    const char *package; /* the package's name in Debian */
    const char *names;   /* the names of its functions, each followed by a NUL; one NUL more at the end */
} nalu_library;

/*
 * fork waits until no thread holds this lock. Otherwise the child has a copy of the dynamic loader's
 * unfinished state, and dlopen crashes in the child. Loading runs the libraries' constructors, which
 * can fork, load, or wait for a thread that does. So a thread may acquire the lock several times, and
 * continues without the lock after 5 seconds. Returns whether the lock was acquired.
 */
bool nalu_loading_lock(void);
void nalu_loading_unlock(void);

/* Returns the number of names. */
int nalu_loading_count(const char *names);

/* Writes the addresses of a library's functions. Returns the name of the first function that the
 * library lacks, or NULL. */
const char *nalu_loading_resolve(void *handle, const char *names, void **addresses);

/*
 * Opens libraries in the order of their dependencies and writes the addresses of all functions,
 * unless `*is_loaded` is set already. Returns 0, or -1 with a message that names the missing library
 * and its package. Opened libraries stay open, and the next call tries again. Any thread may call
 * this function.
 */
int32_t nalu_libraries_load(const nalu_library *libraries, int count, void **addresses, bool *is_loaded,
                            char *message, size_t capacity);

#endif
