/*
 * Makes one allocation fail, or that allocation and all later ones. The caller's address selects allocations of
 * FFmpeg's libraries and of Nalu's. Allocations of the Swift runtime succeed, because it ends the process
 * otherwise. A program includes this file once; it replaces the C library's allocation functions. Works with
 * glibc. A sanitizer replaces the functions itself, so FAILING_HEAP_WORKS is 0 there and nothing fails.
 */
#ifndef NALU_TESTS_FAILING_HEAP_H
#define NALU_TESTS_FAILING_HEAP_H

#include "sanitized.h"

#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FAILING_HEAP_WORKS (!IS_SANITIZED)

enum { FAILING_HEAP_DEPTH = 24, FAILING_HEAP_LIBRARIES = 16 };

static struct {
    atomic_bool is_on;
    atomic_long count;            /* allocations of these libraries since failing_heap_start */
    long first, last;             /* the allocations from `first` to `last` fail */
    struct { uintptr_t begin, end; } libraries[FAILING_HEAP_LIBRARIES];
    int library_count;
    void *trace[FAILING_HEAP_DEPTH]; /* call stack of the first failed allocation */
    int depth;
} failing_heap;

static inline int failing_heap_add_library(struct dl_phdr_info *info, size_t size, void *context) {
    static const char *const names[] = {"/libavformat.so", "/libavcodec.so", "/libswresample.so", "/libavutil.so", "/libnalu.so"};
    (void)size, (void)context;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strstr(info->dlpi_name, names[i])) continue;
        for (int k = 0; k < info->dlpi_phnum && failing_heap.library_count < FAILING_HEAP_LIBRARIES; k++) {
            if (info->dlpi_phdr[k].p_type != PT_LOAD || !(info->dlpi_phdr[k].p_flags & PF_X)) continue;
            const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
            failing_heap.libraries[failing_heap.library_count].begin = begin;
            failing_heap.libraries[failing_heap.library_count++].end = begin + info->dlpi_phdr[k].p_memsz;
        }
    }
    return 0;
}

/* Finds the libraries whose allocations can fail. To be called before the first failing_heap_start. */
static inline void failing_heap_prepare(void) {
    void *trace[2];
    dl_iterate_phdr(failing_heap_add_library, NULL);
    (void)backtrace(trace, 2); /* the first call of backtrace allocates memory */
}

/* Makes the allocations from `first` to `last` fail, counted from 1; none if `first` is 0. */
static inline void failing_heap_start(long first, long last) {
    atomic_store(&failing_heap.count, 0);
    failing_heap.first = first;
    failing_heap.last = last;
    failing_heap.depth = 0;
    atomic_store(&failing_heap.is_on, true);
}

/* Stops the failures and returns the number of allocations. */
static inline long failing_heap_stop(void) {
    atomic_store(&failing_heap.is_on, false);
    return atomic_load(&failing_heap.count);
}

#if FAILING_HEAP_WORKS

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static bool failing_heap_fails(const void *caller) {
    const uintptr_t address = (uintptr_t)caller;
    bool is_inside = false;
    if (!atomic_load(&failing_heap.is_on)) return false;
    for (int i = 0; i < failing_heap.library_count; i++)
        is_inside |= address >= failing_heap.libraries[i].begin && address < failing_heap.libraries[i].end;
    if (!is_inside) return false;
    const long number = atomic_fetch_add(&failing_heap.count, 1) + 1;
    if (!failing_heap.first || number < failing_heap.first || number > failing_heap.last) return false;
    if (number == failing_heap.first) failing_heap.depth = backtrace(failing_heap.trace, FAILING_HEAP_DEPTH);
    errno = ENOMEM;
    return true;
}

#define FAILING_HEAP_FAILS failing_heap_fails(__builtin_return_address(0))

void *malloc(size_t size) { return FAILING_HEAP_FAILS ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) { return FAILING_HEAP_FAILS ? NULL : __libc_calloc(count, size); }

void *realloc(void *block, size_t size) { return FAILING_HEAP_FAILS ? NULL : __libc_realloc(block, size); }

void *memalign(size_t alignment, size_t size) { return FAILING_HEAP_FAILS ? NULL : __libc_memalign(alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) {
    return FAILING_HEAP_FAILS ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = FAILING_HEAP_FAILS ? NULL : __libc_memalign(alignment, size);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}

#endif
#endif
