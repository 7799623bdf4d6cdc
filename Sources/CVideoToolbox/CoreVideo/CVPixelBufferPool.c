#include "../Support/property_list.h"
#include "buffer.h"

#include "../Support/constant.h"

#include <CoreVideo/CVHostTime.h>
#include <CoreVideo/CVPixelBufferPool.h>
#include <stdlib.h>

NALU_CONSTANT(kCVPixelBufferPoolMinimumBufferCountKey, "MinimumBufferCount");
NALU_CONSTANT(kCVPixelBufferPoolMaximumBufferAgeKey, "MaximumBufferAge");
NALU_CONSTANT(kCVPixelBufferPoolAllocationThresholdKey, "AllocationThreshold");
NALU_CONSTANT(kCVPixelBufferPoolFreeBufferNotification, "CVPixelBufferPoolFreeBufferNotification");

/* A block of memory for one buffer. */
typedef struct block {
    struct block *next;
    uint64_t since;
    void *memory;
} block;

/* The memory of a pool, which the pool and its buffers share. It is freed with the last of them. */
typedef struct store {
    pthread_mutex_t lock;
    size_t references; /* one for the pool, and one for each block in use */
    size_t in_use;
    size_t free_count;
    block *free_blocks; /* most recently used first */
    size_t minimum_count;
    uint64_t maximum_age; /* in nanoseconds; UINT64_MAX: no limit */
    bool closed;          /* true once the pool is freed */
    nalu_buffer_shape shape;
} store;

struct __CVPixelBufferPool {
    CFRuntimeBase base;
    store *store;
    CFDictionaryRef attributes;
    CFDictionaryRef buffer_attributes;
    nalu_pixel_attributes read; /* read from `buffer_attributes`, which retains the objects in it */
};

/* ---- The store ------------------------------------------------------------------------------ */

/* Removes the free blocks that are too old, or all of them, for the caller to free. Needs the lock. */
static block *take_excess(store *store, bool everything) {
    const uint64_t now = CVGetCurrentHostTime();
    block **place = &store->free_blocks, *excess = NULL;
    while (*place) {
        block *candidate = *place;
        const bool old = now - candidate->since > store->maximum_age &&
                         store->in_use + store->free_count > store->minimum_count;
        if (!everything && !old) {
            place = &candidate->next;
            continue;
        }
        *place = candidate->next;
        candidate->next = excess;
        excess = candidate;
        store->free_count--;
    }
    return excess;
}

static void free_blocks(block *blocks) {
    while (blocks) {
        block *next = blocks->next;
        free(blocks->memory);
        free(blocks);
        blocks = next;
    }
}

/* Drops one reference to the store, and frees the store if it was the last. Must be called with the lock held; releases
 * the lock. */
static void leave(store *store) {
    const bool last = --store->references == 0;
    block *excess = take_excess(store, store->closed);
    pthread_mutex_unlock(&store->lock);
    free_blocks(excess);
    if (!last) return;
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static void give_back(store *store, block *used) {
    pthread_mutex_lock(&store->lock);
    used->since = CVGetCurrentHostTime();
    used->next = store->free_blocks;
    store->free_blocks = used;
    store->free_count++;
    store->in_use--;
    leave(store);
}

/* Takes a free block or allocates one. Sets *block_out only if the call succeeds. */
static CVReturn take(store *store, size_t threshold, block **block_out) {
    pthread_mutex_lock(&store->lock);
    if (store->in_use >= threshold) {
        pthread_mutex_unlock(&store->lock);
        return kCVReturnWouldExceedAllocationThreshold;
    }
    block *taken = store->free_blocks;
    if (taken) {
        store->free_blocks = taken->next;
        store->free_count--;
    }
    store->in_use++;
    store->references++;
    block *excess = take_excess(store, false);
    pthread_mutex_unlock(&store->lock);
    free_blocks(excess);
    if (!taken) {
        taken = calloc(1, sizeof *taken);
        if (taken) taken->memory = nalu_buffer_memory_create(&store->shape);
        if (!taken || !taken->memory) {
            free(taken);
            pthread_mutex_lock(&store->lock);
            store->in_use--;
            leave(store);
            return kCVReturnPoolAllocationFailed;
        }
    }
    *block_out = taken;
    return kCVReturnSuccess;
}

/* ---- The pool ------------------------------------------------------------------------------- */

static void finalize(CFTypeRef object) {
    CVPixelBufferPoolRef pool = (CVPixelBufferPoolRef)object;
    if (pool->store) {
        pthread_mutex_lock(&pool->store->lock);
        pool->store->closed = true;
        leave(pool->store);
    }
    nalu_object_release_held(pool->attributes);
    nalu_object_release_held(pool->buffer_attributes);
}

static nalu_class pool_class = {.runtime = {.className = "CVPixelBufferPool", .finalize = finalize}};

CFTypeID CVPixelBufferPoolGetTypeID(void) { return nalu_class_type(&pool_class); }

CVPixelBufferPoolRef CVPixelBufferPoolRetain(CVPixelBufferPoolRef pixelBufferPool) {
    return pixelBufferPool ? (CVPixelBufferPoolRef)CFRetain(pixelBufferPool) : NULL;
}

void CVPixelBufferPoolRelease(CVPixelBufferPoolRef pixelBufferPool) {
    if (pixelBufferPool) CFRelease(pixelBufferPool);
}

static bool read_pool_attributes(CFDictionaryRef attributes, store *store) {
    int64_t count = 0;
    double age = 1;
    if (attributes && CFGetTypeID(attributes) != CFDictionaryGetTypeID()) return false;
    if (nalu_dictionary_integer(attributes, kCVPixelBufferPoolMinimumBufferCountKey, &count) < 0 || count < 0 ||
        nalu_dictionary_double(attributes, kCVPixelBufferPoolMaximumBufferAgeKey, &age) < 0 || !(age >= 0))
        return false;
    store->minimum_count = (size_t)count;
    store->maximum_age = age > 0 && age < 1e9 ? (uint64_t)(age * 1e9) : UINT64_MAX;
    return true;
}

CVReturn CVPixelBufferPoolCreate(CFAllocatorRef allocator, CFDictionaryRef poolAttributes,
                                 CFDictionaryRef pixelBufferAttributes, CVPixelBufferPoolRef *poolOut) {
    nalu_pixel_attributes attributes;
    if (!poolOut) return kCVReturnInvalidArgument;
    *poolOut = NULL;
    CVReturn status = nalu_pixel_attributes_read(pixelBufferAttributes, &attributes);
    if (status) return status;
    if (!attributes.width || !attributes.height || !attributes.names_formats)
        return kCVReturnInvalidPixelBufferAttributes;
    if (!attributes.format) return kCVReturnInvalidPixelFormat;
    store *new_store = calloc(1, sizeof *new_store);
    if (!new_store) return kCVReturnAllocationFailed;
    if (!read_pool_attributes(poolAttributes, new_store)) status = kCVReturnInvalidPoolAttributes;
    else
        status = nalu_buffer_shape_make(attributes.format, attributes.width, attributes.height, &attributes,
                                        &new_store->shape);
    CVPixelBufferPoolRef pool = status ? NULL : nalu_object_create(&pool_class, allocator, sizeof *pool);
    if (!pool) {
        free(new_store);
        return status ? status : kCVReturnAllocationFailed;
    }
    pthread_mutex_init(&new_store->lock, NULL);
    new_store->references = 1;
    pool->store = new_store;
    pool->attributes = nalu_dictionary_copy(NULL, poolAttributes);
    pool->buffer_attributes = nalu_pixel_attributes_complete(NULL, pixelBufferAttributes, attributes.width,
                                                             attributes.height, attributes.format->type);
    if (!pool->attributes || !pool->buffer_attributes) {
        CFRelease(pool);
        return kCVReturnAllocationFailed;
    }
    (void)nalu_pixel_attributes_read(pool->buffer_attributes, &pool->read);
    *poolOut = pool;
    return kCVReturnSuccess;
}

CFDictionaryRef CVPixelBufferPoolGetAttributes(CVPixelBufferPoolRef pool) {
    return nalu_object_is(pool, &pool_class) ? pool->attributes : NULL;
}

CFDictionaryRef CVPixelBufferPoolGetPixelBufferAttributes(CVPixelBufferPoolRef pool) {
    return nalu_object_is(pool, &pool_class) ? pool->buffer_attributes : NULL;
}

void CVPixelBufferPoolFlush(CVPixelBufferPoolRef pool, CVPixelBufferPoolFlushFlags options) {
    if (!nalu_object_is(pool, &pool_class)) return;
    pthread_mutex_lock(&pool->store->lock);
    block *excess = take_excess(pool->store, options & kCVPixelBufferPoolFlushExcessBuffers);
    pthread_mutex_unlock(&pool->store->lock);
    free_blocks(excess);
}

/* ---- Buffers of a pool ---------------------------------------------------------------------- */

/* A buffer's share of its pool: the store, and the block that holds the pixels. */
typedef struct lease {
    store *store;
    block *block;
} lease;

static void release_lease(CVPixelBufferRef buffer) {
    lease *held = buffer->owner;
    give_back(held->store, held->block);
    free(held);
}

CVReturn CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(CFAllocatorRef allocator,
                                                             CVPixelBufferPoolRef pixelBufferPool,
                                                             CFDictionaryRef auxAttributes,
                                                             CVPixelBufferRef *pixelBufferOut) {
    int64_t threshold = INT64_MAX;
    if (!pixelBufferOut) return kCVReturnInvalidArgument;
    *pixelBufferOut = NULL;
    if (!nalu_object_is(pixelBufferPool, &pool_class)) return kCVReturnInvalidArgument;
    if (auxAttributes && CFGetTypeID(auxAttributes) != CFDictionaryGetTypeID()) return kCVReturnInvalidPoolAttributes;
    if (nalu_dictionary_integer(auxAttributes, kCVPixelBufferPoolAllocationThresholdKey, &threshold) < 0 ||
        threshold < 0)
        return kCVReturnInvalidPoolAttributes;
    store *shared = pixelBufferPool->store;
    lease *held = calloc(1, sizeof *held);
    if (!held) return kCVReturnAllocationFailed;
    block *taken = NULL;
    const CVReturn status = take(shared, (size_t)threshold, &taken);
    if (status) {
        free(held);
        return status;
    }
    CVPixelBufferRef buffer =
        nalu_buffer_create(allocator, shared->shape.format, shared->shape.width, shared->shape.height);
    if (!buffer) {
        give_back(shared, taken);
        free(held);
        return kCVReturnAllocationFailed;
    }
    *held = (lease){shared, taken};
    buffer->owner = held;
    buffer->release = release_lease;
    nalu_buffer_set_memory(buffer, &shared->shape, taken->memory);
    buffer->attributes = CFRetain(pixelBufferPool->buffer_attributes);
    buffer->attributes_complete = true;
    nalu_buffer_attach(buffer, &pixelBufferPool->read);
    *pixelBufferOut = buffer;
    return kCVReturnSuccess;
}

CVReturn CVPixelBufferPoolCreatePixelBuffer(CFAllocatorRef allocator, CVPixelBufferPoolRef pixelBufferPool,
                                            CVPixelBufferRef *pixelBufferOut) {
    return CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(allocator, pixelBufferPool, NULL, pixelBufferOut);
}
