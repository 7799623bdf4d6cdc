/*
 * Counts the heap allocations of a program in all threads and libraries. A program includes this file once; it
 * replaces the C library's allocation functions by functions that count while heap_counter_is_on is set. Works
 * with glibc. A sanitizer replaces the functions itself, so HEAP_COUNTER_WORKS is 0 there and nothing is
 * counted.
 */
#ifndef NALU_TESTS_HEAP_COUNTER_H
#define NALU_TESTS_HEAP_COUNTER_H

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEAP_COUNTER_WORKS 0
#endif
#endif
#ifndef HEAP_COUNTER_WORKS
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define HEAP_COUNTER_WORKS 0
#else
#define HEAP_COUNTER_WORKS 1
#endif
#endif

static atomic_int heap_counter_is_on;
static atomic_llong heap_allocations; /* calls that returned a new block */
static atomic_llong heap_live_bytes;  /* bytes allocated minus bytes freed */
static atomic_llong heap_peak_bytes;  /* the maximum of heap_live_bytes */

static inline void heap_counter_start(void) {
    atomic_store(&heap_allocations, 0);
    atomic_store(&heap_live_bytes, 0);
    atomic_store(&heap_peak_bytes, 0);
    atomic_store(&heap_counter_is_on, 1);
}

static inline void heap_counter_stop(void) {
    atomic_store(&heap_counter_is_on, 0);
}

#if HEAP_COUNTER_WORKS

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static void *heap_counter_took(void *block) {
    if (block && atomic_load_explicit(&heap_counter_is_on, memory_order_relaxed)) {
        long long size = (long long)malloc_usable_size(block);
        long long live = atomic_fetch_add(&heap_live_bytes, size) + size;
        long long peak = atomic_load(&heap_peak_bytes);
        atomic_fetch_add(&heap_allocations, 1);
        while (live > peak && !atomic_compare_exchange_weak(&heap_peak_bytes, &peak, live)) {
        }
    }
    return block;
}

static void heap_counter_gave(void *block) {
    if (block && atomic_load_explicit(&heap_counter_is_on, memory_order_relaxed))
        atomic_fetch_sub(&heap_live_bytes, (long long)malloc_usable_size(block));
}

void *malloc(size_t size) {
    return heap_counter_took(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return heap_counter_took(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size) {
    heap_counter_gave(block);
    return heap_counter_took(__libc_realloc(block, size));
}

void *memalign(size_t alignment, size_t size) {
    return heap_counter_took(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
    return heap_counter_took(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = heap_counter_took(__libc_memalign(alignment, size));
    return *block ? 0 : ENOMEM;
}

void free(void *block) {
    heap_counter_gave(block);
    __libc_free(block);
}

#endif
#endif
