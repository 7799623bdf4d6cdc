/*
 * A margin behind each small aligned block of the heap, with a pattern that shows writes beyond the block. A program includes
 * this file once; it replaces posix_memalign and free. Works with glibc. A sanitizer replaces the functions itself, so
 * GUARDED_HEAP_WORKS is 0 there and nothing is found.
 */
#ifndef NALU_TESTS_GUARDED_HEAP_H
#define NALU_TESTS_GUARDED_HEAP_H

#include "sanitized.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GUARDED_HEAP_WORKS (!IS_SANITIZED)

enum { GUARDED_HEAP_MARGIN = 64, GUARDED_HEAP_MOST = 4096, GUARDED_HEAP_BYTE = 0xa7, GUARDED_HEAP_LARGEST = 4096 };

static struct {
    pthread_mutex_t lock;
    struct { uint8_t *block; size_t size; } blocks[GUARDED_HEAP_MOST];
    int used, all, overruns;
} guarded_heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns 1 if the margin has changed. Only with the lock. */
static inline int guarded_heap_is_overrun(int index) {
    for (int i = 0; i < GUARDED_HEAP_MARGIN; i++)
        if (guarded_heap.blocks[index].block[guarded_heap.blocks[index].size + (size_t)i] != GUARDED_HEAP_BYTE) return 1;
    return 0;
}

/* Returns the number of blocks so far with writes beyond their end. */
static inline int guarded_heap_overruns(void) {
    pthread_mutex_lock(&guarded_heap.lock);
    int found = guarded_heap.overruns;
    for (int i = 0; i < guarded_heap.used; i++) found += guarded_heap_is_overrun(i);
    pthread_mutex_unlock(&guarded_heap.lock);
    return found;
}

/* Returns the number of blocks so far with a margin. */
static inline int guarded_heap_count(void) {
    pthread_mutex_lock(&guarded_heap.lock);
    const int count = guarded_heap.all;
    pthread_mutex_unlock(&guarded_heap.lock);
    return count;
}

#if GUARDED_HEAP_WORKS

extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

int posix_memalign(void **block, size_t alignment, size_t size) {
    const int is_guarded = size <= GUARDED_HEAP_LARGEST;
    uint8_t *made = (uint8_t *)__libc_memalign(alignment, size + (is_guarded ? GUARDED_HEAP_MARGIN : 0));
    if (!made) return ENOMEM;
    *block = made;
    pthread_mutex_lock(&guarded_heap.lock);
    if (is_guarded && guarded_heap.used < GUARDED_HEAP_MOST) {
        memset(made + size, GUARDED_HEAP_BYTE, GUARDED_HEAP_MARGIN);
        guarded_heap.blocks[guarded_heap.used].block = made;
        guarded_heap.blocks[guarded_heap.used++].size = size;
        guarded_heap.all++;
    }
    pthread_mutex_unlock(&guarded_heap.lock);
    return 0;
}

void free(void *block) {
    pthread_mutex_lock(&guarded_heap.lock);
    for (int i = guarded_heap.used - 1; i >= 0; i--) {
        if (guarded_heap.blocks[i].block != block) continue;
        guarded_heap.overruns += guarded_heap_is_overrun(i);
        guarded_heap.blocks[i] = guarded_heap.blocks[--guarded_heap.used];
        break;
    }
    pthread_mutex_unlock(&guarded_heap.lock);
    __libc_free(block);
}

#endif
#endif
