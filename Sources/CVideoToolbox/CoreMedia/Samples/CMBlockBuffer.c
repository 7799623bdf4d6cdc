#include <CoreMedia/CMBlockBuffer.h>

#include "../../Support/attachments.h"
#include "../../Support/object.h"
#include "bearer.h"

#include <stdlib.h>
#include <string.h>

/* A block of memory; several buffers may use parts of it. */
struct memory {
    _Atomic uint32_t references;
    _Atomic(char *) bytes; /* NULL until the memory is allocated; never replaced after that */
    size_t length;
    CFAllocatorRef allocator;              /* retained */
    CMBlockBufferCustomBlockSource source; /* valid if `custom` is true; `allocator` is NULL then */
    bool custom;
};

struct segment {
    struct memory *memory;
    size_t offset, length;
    CFTypeRef referent; /* the buffer of a reference that CMBlockBufferDontOptimizeDepthFlag made; retained; or NULL */
};

struct opaqueCMBlockBuffer {
    CFRuntimeBase base;
    nalu_attachments attachments;
    struct segment *segments;
    size_t count, capacity;
    size_t length; /* the sum of the segments' lengths, in bytes */
};

/* ---- Blocks ---- */

static void memory_free_bytes(struct memory *memory, char *bytes) {
    if (!memory->custom) {
        CFAllocatorDeallocate(memory->allocator, bytes);
    } else if (memory->source.FreeBlock) {
        memory->source.FreeBlock(memory->source.refCon, bytes, memory->length);
    }
}

static void memory_release(struct memory *memory) {
    if (atomic_fetch_sub_explicit(&memory->references, 1, memory_order_acq_rel) != 1) return;
    char *bytes = atomic_load_explicit(&memory->bytes, memory_order_acquire);
    if (bytes) memory_free_bytes(memory, bytes);
    if (memory->allocator) CFRelease(memory->allocator);
    free(memory);
}

/* If several threads allocate at the same time, the first block is used, and the others are freed. So no lock is held
 * while the client's allocator runs. */
static OSStatus memory_assure(struct memory *memory) {
    if (atomic_load_explicit(&memory->bytes, memory_order_acquire)) return kCMBlockBufferNoErr;
    char *bytes = memory->custom ? memory->source.AllocateBlock(memory->source.refCon, memory->length)
                                 : CFAllocatorAllocate(memory->allocator, (CFIndex)memory->length, 0);
    if (!bytes) return kCMBlockBufferBlockAllocationFailedErr;
    char *none = NULL;
    if (!atomic_compare_exchange_strong(&memory->bytes, &none, bytes)) memory_free_bytes(memory, bytes);
    return kCMBlockBufferNoErr;
}

/* Creates a block of memory. `bytes` belongs to the new block only if the call succeeds. */
static OSStatus memory_create(void *bytes, size_t length, CFAllocatorRef allocator,
    const CMBlockBufferCustomBlockSource *source, CMBlockBufferFlags flags, struct memory **out) {
    if (source && (source->version != kCMBlockBufferCustomBlockSourceVersion || (!bytes && !source->AllocateBlock))) {
        return kCMBlockBufferBadCustomBlockSourceErr;
    }
    if (length == 0 || length > PTRDIFF_MAX) return kCMBlockBufferBadLengthParameterErr;
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory) return kCMBlockBufferStructureAllocationFailedErr;
    atomic_init(&memory->references, 1);
    atomic_init(&memory->bytes, (char *)bytes);
    memory->length = length;
    if (source) {
        memory->source = *source;
        memory->custom = true;
    } else {
        memory->allocator = (CFAllocatorRef)CFRetain(allocator ? allocator : CFAllocatorGetDefault());
    }
    const OSStatus status = (flags & kCMBlockBufferAssureMemoryNowFlag) ? memory_assure(memory) : kCMBlockBufferNoErr;
    if (status != kCMBlockBufferNoErr) memory_release(memory);
    else *out = memory;
    return status;
}

/* ---- Segments ---- */

static OSStatus reserve(CMBlockBufferRef buffer, size_t count) {
    if (count <= buffer->capacity) return kCMBlockBufferNoErr;
    if (count > SIZE_MAX / 2 / sizeof *buffer->segments) return kCMBlockBufferStructureAllocationFailedErr;
    const size_t capacity = count > 2 * buffer->capacity ? count : 2 * buffer->capacity;
    struct segment *segments = realloc(buffer->segments, capacity * sizeof *segments);
    if (!segments) return kCMBlockBufferStructureAllocationFailedErr;
    buffer->segments = segments;
    buffer->capacity = capacity;
    return kCMBlockBufferNoErr;
}

/* Appends a segment. The caller has reserved its place. Retains `referent`, and takes over the caller's reference to
 * `memory`. */
static void add(CMBlockBufferRef buffer, struct memory *memory, size_t offset, size_t length, CFTypeRef referent) {
    struct segment *segment = &buffer->segments[buffer->count++];
    *segment = (struct segment){memory, offset, length, referent ? CFRetain(referent) : NULL};
    buffer->length += length;
}

/* The beginning of a range: a segment, and the offset of the range in that segment. */
struct place {
    size_t segment, offset;
};

/* Checks a range and finds its beginning. A length of 0 stands for everything from `offset` to the end. */
static OSStatus find(CMBlockBufferRef buffer, size_t offset, size_t *length, struct place *place) {
    if (!buffer) return kCMBlockBufferBadPointerParameterErr;
    if (buffer->length == 0) return kCMBlockBufferEmptyBBufErr;
    if (offset >= buffer->length) return kCMBlockBufferBadOffsetParameterErr;
    if (*length == 0) *length = buffer->length - offset;
    if (*length > buffer->length - offset) return kCMBlockBufferBadLengthParameterErr;
    size_t segment = 0;
    while (offset >= buffer->segments[segment].length) offset -= buffer->segments[segment++].length;
    *place = (struct place){segment, offset};
    return kCMBlockBufferNoErr;
}

/* Returns the number of contiguous bytes from `place` on. Later segments count if they continue in the same block. */
static size_t piece(CMBlockBufferRef buffer, struct place place) {
    const struct segment *segment = &buffer->segments[place.segment];
    size_t length = segment->length - place.offset;
    size_t end = segment->offset + segment->length;
    for (size_t i = place.segment + 1; i < buffer->count; i++) {
        const struct segment *next = &buffer->segments[i];
        if (next->length && (next->memory != segment->memory || next->offset != end)) break;
        length += next->length;
        end += next->length;
    }
    return length;
}

static char *bytes_at(CMBlockBufferRef buffer, struct place place) {
    const struct segment *segment = &buffer->segments[place.segment];
    char *bytes = atomic_load_explicit(&segment->memory->bytes, memory_order_acquire);
    return bytes ? bytes + segment->offset + place.offset : NULL;
}

/* Calls `body` with the bytes of each segment in a range that `find` has checked. Stops at memory that is not
 * allocated. */
typedef void part_body(void *context, char *bytes, size_t length);

static OSStatus for_each_part(CMBlockBufferRef buffer, struct place place, size_t length, void *context,
    part_body *body) {
    for (; length; place = (struct place){place.segment + 1, 0}) {
        size_t part = buffer->segments[place.segment].length - place.offset;
        if (part > length) part = length;
        if (part == 0) continue;
        char *bytes = bytes_at(buffer, place);
        if (!bytes) return kCMBlockBufferUnallocatedBlockErr;
        body(context, bytes, part);
        length -= part;
    }
    return kCMBlockBufferNoErr;
}

/* ---- Type ---- */

static void finalize(CFTypeRef object) {
    CMBlockBufferRef buffer = (CMBlockBufferRef)object;
    for (size_t i = 0; i < buffer->count; i++) {
        memory_release(buffer->segments[i].memory);
        nalu_object_release_held(buffer->segments[i].referent);
    }
    free(buffer->segments);
    nalu_attachments_destroy(&buffer->attachments);
}

static nalu_class block_class = {.runtime = {.className = "CMBlockBuffer", .finalize = finalize}};

CFTypeID CMBlockBufferGetTypeID(void) { return nalu_class_type(&block_class); }

nalu_attachments *nalu_block_buffer_attachments(CMBlockBufferRef buffer) { return &buffer->attachments; }

/* ---- Creation ---- */

OSStatus CMBlockBufferCreateEmpty(CFAllocatorRef structureAllocator, uint32_t subBlockCapacity,
    CMBlockBufferFlags flags, CMBlockBufferRef *blockBufferOut) {
    (void)flags;
    if (!blockBufferOut) return kCMBlockBufferBadPointerParameterErr;
    *blockBufferOut = NULL;
    CMBlockBufferRef buffer = nalu_object_create(&block_class, structureAllocator, sizeof *buffer);
    if (!buffer) return kCMBlockBufferStructureAllocationFailedErr;
    nalu_attachments_init(&buffer->attachments);
    /* The capacity is only a hint, so a very large number from a client must not cost memory. */
    const OSStatus status = reserve(buffer, subBlockCapacity < 64 ? subBlockCapacity : 64);
    if (status != kCMBlockBufferNoErr) CFRelease(buffer);
    else *blockBufferOut = buffer;
    return status;
}

/* Stores `buffer` in `out` if `status` is no error; otherwise releases the buffer. */
static OSStatus give(CMBlockBufferRef buffer, OSStatus status, CMBlockBufferRef *out) {
    if (status == kCMBlockBufferNoErr) *out = buffer;
    else CFRelease(buffer);
    return status;
}

OSStatus CMBlockBufferCreateWithMemoryBlock(CFAllocatorRef structureAllocator, void *memoryBlock, size_t blockLength,
    CFAllocatorRef blockAllocator, const CMBlockBufferCustomBlockSource *customBlockSource, size_t offsetToData,
    size_t dataLength, CMBlockBufferFlags flags, CMBlockBufferRef *blockBufferOut) {
    CMBlockBufferRef buffer;
    if (!blockBufferOut) return kCMBlockBufferBadPointerParameterErr;
    *blockBufferOut = NULL;
    const OSStatus status = CMBlockBufferCreateEmpty(structureAllocator, 1, 0, &buffer);
    if (status != kCMBlockBufferNoErr) return status;
    return give(buffer, CMBlockBufferAppendMemoryBlock(buffer, memoryBlock, blockLength, blockAllocator,
                            customBlockSource, offsetToData, dataLength, flags),
        blockBufferOut);
}

OSStatus CMBlockBufferCreateWithBufferReference(CFAllocatorRef structureAllocator, CMBlockBufferRef bufferReference,
    size_t offsetToData, size_t dataLength, CMBlockBufferFlags flags, CMBlockBufferRef *blockBufferOut) {
    CMBlockBufferRef buffer;
    if (!blockBufferOut) return kCMBlockBufferBadPointerParameterErr;
    *blockBufferOut = NULL;
    const OSStatus status = CMBlockBufferCreateEmpty(structureAllocator, 1, 0, &buffer);
    if (status != kCMBlockBufferNoErr) return status;
    return give(buffer,
        CMBlockBufferAppendBufferReference(buffer, bufferReference, offsetToData, dataLength, flags), blockBufferOut);
}

OSStatus CMBlockBufferCreateContiguous(CFAllocatorRef structureAllocator, CMBlockBufferRef sourceBuffer,
    CFAllocatorRef blockAllocator, const CMBlockBufferCustomBlockSource *customBlockSource, size_t offsetToData,
    size_t dataLength, CMBlockBufferFlags flags, CMBlockBufferRef *blockBufferOut) {
    struct place place;
    if (!blockBufferOut) return kCMBlockBufferBadPointerParameterErr;
    *blockBufferOut = NULL;
    OSStatus status = find(sourceBuffer, offsetToData, &dataLength, &place);
    if (status != kCMBlockBufferNoErr) return status;
    if (!(flags & kCMBlockBufferAlwaysCopyDataFlag) && piece(sourceBuffer, place) >= dataLength) {
        return CMBlockBufferCreateWithBufferReference(
            structureAllocator, sourceBuffer, offsetToData, dataLength, flags, blockBufferOut);
    }
    CMBlockBufferRef buffer;
    status = CMBlockBufferCreateWithMemoryBlock(structureAllocator, NULL, dataLength, blockAllocator, customBlockSource,
        0, dataLength, flags | kCMBlockBufferAssureMemoryNowFlag, &buffer);
    if (status != kCMBlockBufferNoErr) return status;
    status = CMBlockBufferCopyDataBytes(
        sourceBuffer, offsetToData, dataLength, bytes_at(buffer, (struct place){0, 0}));
    return give(buffer, status, blockBufferOut);
}

/* ---- Growing ---- */

OSStatus CMBlockBufferAppendMemoryBlock(CMBlockBufferRef theBuffer, void *memoryBlock, size_t blockLength,
    CFAllocatorRef blockAllocator, const CMBlockBufferCustomBlockSource *customBlockSource, size_t offsetToData,
    size_t dataLength, CMBlockBufferFlags flags) {
    struct memory *memory;
    if (!theBuffer) return kCMBlockBufferBadPointerParameterErr;
    if (offsetToData > blockLength) return kCMBlockBufferBadOffsetParameterErr;
    if (dataLength > blockLength - offsetToData || dataLength > SIZE_MAX / 2 - theBuffer->length) {
        return kCMBlockBufferBadLengthParameterErr;
    }
    OSStatus status = reserve(theBuffer, theBuffer->count + 1);
    if (status == kCMBlockBufferNoErr) {
        status = memory_create(memoryBlock, blockLength, blockAllocator, customBlockSource, flags, &memory);
    }
    if (status == kCMBlockBufferNoErr) add(theBuffer, memory, offsetToData, dataLength, NULL);
    return status;
}

OSStatus CMBlockBufferAppendBufferReference(CMBlockBufferRef theBuffer, CMBlockBufferRef targetBBuf,
    size_t offsetToData, size_t dataLength, CMBlockBufferFlags flags) {
    struct place place;
    if (!theBuffer) return kCMBlockBufferBadPointerParameterErr;
    OSStatus status = find(targetBBuf, offsetToData, &dataLength, &place);
    if (status == kCMBlockBufferEmptyBBufErr && (flags & kCMBlockBufferPermitEmptyReferenceFlag)) {
        return offsetToData == 0 && dataLength == 0 ? kCMBlockBufferNoErr : kCMBlockBufferBadLengthParameterErr;
    }
    if (status != kCMBlockBufferNoErr) return status;
    if (dataLength > SIZE_MAX / 2 - theBuffer->length) return kCMBlockBufferBadLengthParameterErr;
    /* A buffer may refer to itself. Then `reserve` moves the segments that the loop below reads, and the loop adds to
     * them. */
    status = reserve(theBuffer, theBuffer->count + targetBBuf->count);
    if (status != kCMBlockBufferNoErr) return status;
    /* A buffer that retained itself would never be freed. */
    const bool keep = (flags & kCMBlockBufferDontOptimizeDepthFlag) && targetBBuf != theBuffer;
    while (dataLength) {
        const struct segment segment = targetBBuf->segments[place.segment++];
        size_t length = segment.length - place.offset;
        if (length > dataLength) length = dataLength;
        if (length) {
            atomic_fetch_add_explicit(&segment.memory->references, 1, memory_order_relaxed);
            add(theBuffer, segment.memory, segment.offset + place.offset, length, keep ? targetBBuf : segment.referent);
        }
        place.offset = 0;
        dataLength -= length;
    }
    return kCMBlockBufferNoErr;
}

OSStatus CMBlockBufferAssureBlockMemory(CMBlockBufferRef theBuffer) {
    if (!theBuffer) return kCMBlockBufferBadPointerParameterErr;
    if (theBuffer->count == 0) return kCMBlockBufferEmptyBBufErr;
    OSStatus status = kCMBlockBufferNoErr;
    for (size_t i = 0; i < theBuffer->count && status == kCMBlockBufferNoErr; i++) {
        status = memory_assure(theBuffer->segments[i].memory);
    }
    return status;
}

/* ---- Bytes ---- */

struct cursor {
    char *bytes;
};

static void copy_out(void *context, char *bytes, size_t length) {
    struct cursor *destination = context;
    memcpy(destination->bytes, bytes, length);
    destination->bytes += length;
}

static void copy_in(void *context, char *bytes, size_t length) {
    struct cursor *source = context;
    memcpy(bytes, source->bytes, length);
    source->bytes += length;
}

static void fill(void *context, char *bytes, size_t length) { memset(bytes, *(char *)context, length); }

OSStatus CMBlockBufferAccessDataBytes(CMBlockBufferRef theBuffer, size_t offset, size_t length, void *temporaryBlock,
    char **returnedPointerOut) {
    struct place place;
    if (!returnedPointerOut) return kCMBlockBufferBadPointerParameterErr;
    *returnedPointerOut = NULL;
    /* A length of 0 does not stand for the rest of the buffer here: temporaryBlock would have no room for that. */
    if (theBuffer && length == 0) return kCMBlockBufferBadLengthParameterErr;
    OSStatus status = find(theBuffer, offset, &length, &place);
    if (status != kCMBlockBufferNoErr) return status;
    if (piece(theBuffer, place) >= length) {
        *returnedPointerOut = bytes_at(theBuffer, place);
        return *returnedPointerOut ? kCMBlockBufferNoErr : kCMBlockBufferUnallocatedBlockErr;
    }
    if (!temporaryBlock) return kCMBlockBufferBadPointerParameterErr;
    struct cursor destination = {temporaryBlock};
    status = for_each_part(theBuffer, place, length, &destination, copy_out);
    if (status == kCMBlockBufferNoErr) *returnedPointerOut = temporaryBlock;
    return status;
}

OSStatus CMBlockBufferCopyDataBytes(CMBlockBufferRef theSourceBuffer, size_t offsetToData, size_t dataLength,
    void *destination) {
    struct place place;
    if (!theSourceBuffer || !destination) return kCMBlockBufferBadPointerParameterErr;
    if (dataLength == 0) return kCMBlockBufferNoErr;
    const OSStatus status = find(theSourceBuffer, offsetToData, &dataLength, &place);
    if (status != kCMBlockBufferNoErr) return status;
    struct cursor cursor = {destination};
    return for_each_part(theSourceBuffer, place, dataLength, &cursor, copy_out);
}

OSStatus CMBlockBufferReplaceDataBytes(const void *sourceBytes, CMBlockBufferRef destinationBuffer,
    size_t offsetIntoDestination, size_t dataLength) {
    struct place place;
    if (!destinationBuffer || !sourceBytes) return kCMBlockBufferBadPointerParameterErr;
    if (dataLength == 0) return kCMBlockBufferNoErr;
    OSStatus status = find(destinationBuffer, offsetIntoDestination, &dataLength, &place);
    if (status == kCMBlockBufferNoErr) status = CMBlockBufferAssureBlockMemory(destinationBuffer);
    if (status != kCMBlockBufferNoErr) return status;
    struct cursor source = {(char *)sourceBytes};
    return for_each_part(destinationBuffer, place, dataLength, &source, copy_in);
}

OSStatus CMBlockBufferFillDataBytes(char fillByte, CMBlockBufferRef destinationBuffer, size_t offsetIntoDestination,
    size_t dataLength) {
    struct place place;
    OSStatus status = find(destinationBuffer, offsetIntoDestination, &dataLength, &place);
    if (status == kCMBlockBufferNoErr) status = CMBlockBufferAssureBlockMemory(destinationBuffer);
    if (status != kCMBlockBufferNoErr) return status;
    return for_each_part(destinationBuffer, place, dataLength, &fillByte, fill);
}

OSStatus CMBlockBufferGetDataPointer(CMBlockBufferRef theBuffer, size_t offset, size_t *lengthAtOffsetOut,
    size_t *totalLengthOut, char **dataPointerOut) {
    struct place place;
    size_t length = 0;
    if (lengthAtOffsetOut) *lengthAtOffsetOut = 0;
    if (totalLengthOut) *totalLengthOut = theBuffer ? theBuffer->length : 0;
    if (dataPointerOut) *dataPointerOut = NULL;
    const OSStatus status = find(theBuffer, offset, &length, &place);
    if (status != kCMBlockBufferNoErr) return status;
    char *bytes = bytes_at(theBuffer, place);
    if (!bytes) return kCMBlockBufferUnallocatedBlockErr;
    if (lengthAtOffsetOut) *lengthAtOffsetOut = piece(theBuffer, place);
    if (dataPointerOut) *dataPointerOut = bytes;
    return kCMBlockBufferNoErr;
}

size_t CMBlockBufferGetDataLength(CMBlockBufferRef theBuffer) { return theBuffer ? theBuffer->length : 0; }

Boolean CMBlockBufferIsRangeContiguous(CMBlockBufferRef theBuffer, size_t offset, size_t length) {
    struct place place;
    return find(theBuffer, offset, &length, &place) == kCMBlockBufferNoErr && piece(theBuffer, place) >= length;
}

Boolean CMBlockBufferIsEmpty(CMBlockBufferRef theBuffer) { return !theBuffer || theBuffer->length == 0; }
