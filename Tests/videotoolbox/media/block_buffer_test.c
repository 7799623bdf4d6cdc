/* CMBlockBuffer: memory and who frees it, several blocks, references, ranges, wrong arguments. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>
#include <pthread.h>

struct count {
    _Atomic int allocated, freed;
    _Atomic size_t bytes; /* allocated and not freed */
};

static void *allocate(void *context, size_t size) {
    struct count *count = context;
    count->allocated++;
    count->bytes += size;
    return malloc(size);
}

static void release(void *context, void *block, size_t size) {
    struct count *count = context;
    count->freed++;
    count->bytes -= size;
    free(block);
}

static void *refuse(void *context, size_t size) {
    (void)context, (void)size;
    return NULL;
}

static CMBlockBufferCustomBlockSource source_of(struct count *count) {
    return (CMBlockBufferCustomBlockSource){kCMBlockBufferCustomBlockSourceVersion, allocate, release, count};
}

/* A buffer of "0123456789" in three blocks of 3, 3 and 4 bytes. */
static CMBlockBufferRef create_digits(struct count *count) {
    const CMBlockBufferCustomBlockSource source = source_of(count);
    CMBlockBufferRef buffer = NULL;
    REQUIRE(CMBlockBufferCreateEmpty(NULL, 0, 0, &buffer) == noErr);
    CHECK(CMBlockBufferIsEmpty(buffer));
    REQUIRE(CMBlockBufferAppendMemoryBlock(buffer, NULL, 3, NULL, &source, 0, 3, 0) == noErr);
    /* The middle block has further bytes before and after those that the buffer contains. */
    REQUIRE(CMBlockBufferAppendMemoryBlock(buffer, NULL, 9, NULL, &source, 2, 3, 0) == noErr);
    REQUIRE(CMBlockBufferAppendMemoryBlock(buffer, NULL, 4, NULL, &source, 0, 4, 0) == noErr);
    CHECK_EQ(count->allocated, 0);
    CHECK_EQ(CMBlockBufferReplaceDataBytes("0123456789", buffer, 0, 10), noErr);
    CHECK_EQ(count->allocated, 3);
    return buffer;
}

static void test_memory_is_allocated_when_needed(void) {
    struct count count = {0};
    const CMBlockBufferCustomBlockSource source = source_of(&count);
    char *bytes = (char *)&count;
    size_t total = 0;
    CMBlockBufferRef buffer = NULL;
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, NULL, 100, NULL, &source, 10, 50, 0, &buffer) == noErr);
    CHECK_EQ(CFGetTypeID(buffer), CMBlockBufferGetTypeID());
    CHECK_EQ(CMBlockBufferGetDataLength(buffer), 50);
    CHECK_EQ(CMBlockBufferGetDataPointer(buffer, 0, NULL, &total, &bytes), kCMBlockBufferUnallocatedBlockErr);
    CHECK(bytes == NULL && total == 50);
    char read[50];
    CHECK_EQ(CMBlockBufferCopyDataBytes(buffer, 0, 50, read), kCMBlockBufferUnallocatedBlockErr);
    CHECK_EQ(count.allocated, 0);
    CHECK_EQ(CMBlockBufferAssureBlockMemory(buffer), noErr);
    CHECK_EQ(CMBlockBufferAssureBlockMemory(buffer), noErr);
    CHECK_EQ(count.allocated, 1);
    CHECK_EQ(count.bytes, 100);
    CHECK_EQ(CMBlockBufferFillDataBytes('x', buffer, 0, 0), noErr);
    CHECK_EQ(CMBlockBufferCopyDataBytes(buffer, 0, 50, read), noErr);
    CHECK(read[0] == 'x' && read[49] == 'x');
    CFRelease(buffer);
    CHECK_EQ(count.freed, 1);
    CHECK_EQ(count.bytes, 0);

    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, NULL, 10, kCFAllocatorDefault, NULL, 0, 10,
                kCMBlockBufferAssureMemoryNowFlag, &buffer) == noErr);
    CHECK_EQ(CMBlockBufferGetDataPointer(buffer, 0, NULL, NULL, &bytes), noErr);
    CHECK(bytes != NULL);
    CFRelease(buffer);
    /* Memory that is never allocated is never freed. */
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, NULL, 10, NULL, &source, 0, 10, 0, &buffer) == noErr);
    CFRelease(buffer);
    CHECK_EQ(count.allocated, 1);
    CHECK_EQ(count.freed, 1);
}

static void test_memory_of_the_caller(void) {
    char bytes[8] = "abcdefg";
    char *pointer = NULL;
    CMBlockBufferRef buffer = NULL;
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(
                NULL, bytes, 8, kCFAllocatorNull, NULL, 2, 4, 0, &buffer) == noErr);
    CHECK_EQ(CMBlockBufferGetDataPointer(buffer, 1, NULL, NULL, &pointer), noErr);
    CHECK(pointer == bytes + 3);
    CHECK_EQ(CMBlockBufferReplaceDataBytes("XY", buffer, 1, 2), noErr);
    CHECK(strcmp(bytes, "abcXYfg") == 0);
    CFRelease(buffer);

    /* Memory of the default allocator, which the buffer then owns. */
    char *given = malloc(16);
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, given, 16, NULL, NULL, 0, 16, 0, &buffer) == noErr);
    CFRelease(buffer);

    struct count count = {.bytes = 16};
    CMBlockBufferCustomBlockSource source = source_of(&count);
    source.AllocateBlock = NULL;
    given = malloc(16);
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(NULL, given, 16, NULL, &source, 0, 17, 0, &buffer),
        kCMBlockBufferBadLengthParameterErr);
    CHECK_EQ(count.freed, 0);
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, given, 16, NULL, &source, 0, 16, 0, &buffer) == noErr);
    CFRelease(buffer);
    CHECK_EQ(count.freed, 1);
    CHECK_EQ(count.bytes, 0);
}

/* Behaviour 29: data may consist of several blocks, which a client visits by offsets. */
static void test_walk_over_blocks(void) {
    struct count count = {0};
    CMBlockBufferRef buffer = create_digits(&count);
    static const size_t lengths[10] = {3, 2, 1, 3, 2, 1, 4, 3, 2, 1};
    for (size_t i = 0; i < 10; i++) {
        size_t length = 0, total = 0;
        char *bytes = NULL;
        CHECK_EQ(CMBlockBufferGetDataPointer(buffer, i, &length, &total, &bytes), noErr);
        CHECK_EQ(length, lengths[i]);
        CHECK_EQ(total, 10);
        CHECK_EQ(*bytes, "0123456789"[i]);
        *bytes = "abcdefghij"[i];
    }
    char copy[11] = {0};
    CHECK_EQ(CMBlockBufferCopyDataBytes(buffer, 0, 10, copy), noErr);
    CHECK(strcmp(copy, "abcdefghij") == 0);

    for (size_t from = 0; from < 10; from++) {
        for (size_t length = 1; from + length <= 10; length++) {
            const bool one = (from < 3) == (from + length <= 3) && (from < 6) == (from + length <= 6);
            CHECK_EQ(CMBlockBufferIsRangeContiguous(buffer, from, length), one);
            char temporary[10];
            char *access = NULL;
            CHECK_EQ(CMBlockBufferAccessDataBytes(buffer, from, length, temporary, &access), noErr);
            CHECK_EQ(access == temporary, !one);
            CHECK(memcmp(access, &"abcdefghij"[from], length) == 0);
        }
    }
    /* Length 0 stands for all bytes up to the end. */
    CHECK(!CMBlockBufferIsRangeContiguous(buffer, 0, 0));
    CHECK(!CMBlockBufferIsRangeContiguous(buffer, 5, 0));
    CHECK(CMBlockBufferIsRangeContiguous(buffer, 6, 0));
    CFRelease(buffer);
    CHECK_EQ(count.freed, 3);
}

static void test_references(void) {
    struct count count = {0};
    CMBlockBufferRef digits = create_digits(&count), part = NULL, parts = NULL;
    REQUIRE(CMBlockBufferCreateWithBufferReference(NULL, digits, 2, 6, 0, &part) == noErr);
    REQUIRE(CMBlockBufferCreateEmpty(NULL, 1, 0, &parts) == noErr);
    CHECK_EQ(CMBlockBufferAppendBufferReference(parts, part, 1, 0, kCMBlockBufferDontOptimizeDepthFlag), noErr);
    CHECK_EQ(CMBlockBufferAppendBufferReference(parts, digits, 0, 2, 0), noErr);
    CHECK_EQ(CMBlockBufferAppendBufferReference(parts, parts, 0, 0, kCMBlockBufferDontOptimizeDepthFlag), noErr);
    CHECK_EQ(CMBlockBufferGetDataLength(parts), 14);
    CFRelease(part);
    CHECK_EQ(CMBlockBufferReplaceDataBytes("X", digits, 4, 1), noErr);
    CFRelease(digits);
    CHECK_EQ(count.freed, 0);
    char copy[15] = {0};
    CHECK_EQ(CMBlockBufferCopyDataBytes(parts, 0, 14, copy), noErr);
    CHECK(strcmp(copy, "3X567013X56701") == 0);
    CFRelease(parts);
    CHECK_EQ(count.freed, 3);

    /* Adjacent ranges of one block are contiguous. */
    CMBlockBufferRef whole = NULL;
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, copy, 14, kCFAllocatorNull, NULL, 0, 14, 0, &whole) == noErr);
    REQUIRE(CMBlockBufferCreateWithBufferReference(NULL, whole, 0, 5, 0, &parts) == noErr);
    CHECK_EQ(CMBlockBufferAppendBufferReference(parts, whole, 5, 5, 0), noErr);
    CHECK(CMBlockBufferIsRangeContiguous(parts, 0, 0));
    CHECK_EQ(CMBlockBufferAppendBufferReference(parts, whole, 11, 1, 0), noErr);
    CHECK(!CMBlockBufferIsRangeContiguous(parts, 0, 0));
    CHECK(CMBlockBufferIsRangeContiguous(parts, 3, 7));
    CFRelease(whole);
    CFRelease(parts);
}

static void test_contiguous(void) {
    struct count count = {0}, copies = {0};
    const CMBlockBufferCustomBlockSource source = source_of(&copies);
    CMBlockBufferRef digits = create_digits(&count), one = NULL;
    char *bytes = NULL, *original = NULL;
    size_t length = 0;
    REQUIRE(CMBlockBufferCreateContiguous(NULL, digits, NULL, &source, 1, 0, 0, &one) == noErr);
    CHECK_EQ(copies.allocated, 1);
    CHECK_EQ(CMBlockBufferGetDataPointer(one, 0, &length, NULL, &bytes), noErr);
    CHECK_EQ(length, 9);
    CHECK(memcmp(bytes, "123456789", 9) == 0);
    CFRelease(one);
    CHECK_EQ(copies.freed, 1);
    /* Contiguous data is copied only if the client requests it. */
    REQUIRE(CMBlockBufferCreateContiguous(NULL, digits, NULL, &source, 7, 2, 0, &one) == noErr);
    CHECK_EQ(CMBlockBufferGetDataPointer(digits, 7, NULL, NULL, &original), noErr);
    CHECK_EQ(CMBlockBufferGetDataPointer(one, 0, &length, NULL, &bytes), noErr);
    CHECK(bytes == original && length == 2);
    CFRelease(one);
    CHECK_EQ(copies.allocated, 1);
    REQUIRE(CMBlockBufferCreateContiguous(
                NULL, digits, NULL, &source, 7, 2, kCMBlockBufferAlwaysCopyDataFlag, &one) == noErr);
    CHECK_EQ(CMBlockBufferGetDataPointer(one, 0, &length, NULL, &bytes), noErr);
    CHECK(bytes != original && length == 2);
    CFRelease(one);
    CFRelease(digits);
    CHECK_EQ(copies.allocated, 2);
    CHECK_EQ(copies.freed, 2);
    CHECK_EQ(count.freed, 3);
}

static void test_wrong_arguments(void) {
    CMBlockBufferRef volatile no_buffer = NULL;
    CMBlockBufferRef *volatile no_place = NULL;
    char *volatile no_bytes = NULL;
    char **volatile no_pointer = NULL;
    CMBlockBufferRef buffer = NULL, empty = NULL;
    char bytes[4] = "abc", *pointer = NULL;
    struct count count = {0};
    CMBlockBufferCustomBlockSource source = source_of(&count);
    CHECK_EQ(CMBlockBufferCreateEmpty(NULL, 0, 0, no_place), kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(NULL, bytes, 4, NULL, NULL, 0, 4, 0, no_place),
        kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(NULL, bytes, 4, NULL, NULL, 5, 0, 0, &buffer),
        kCMBlockBufferBadOffsetParameterErr);
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(NULL, bytes, 4, NULL, NULL, 2, 3, 0, &buffer),
        kCMBlockBufferBadLengthParameterErr);
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(NULL, bytes, 4, NULL, NULL, 2, SIZE_MAX, 0, &buffer),
        kCMBlockBufferBadLengthParameterErr);
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(NULL, NULL, 0, NULL, NULL, 0, 0, 0, &buffer),
        kCMBlockBufferBadLengthParameterErr);
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(
                 NULL, NULL, 4, kCFAllocatorNull, NULL, 0, 4, kCMBlockBufferAssureMemoryNowFlag, &buffer),
        kCMBlockBufferBlockAllocationFailedErr);
    source.version = 1;
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(NULL, NULL, 4, NULL, &source, 0, 4, 0, &buffer),
        kCMBlockBufferBadCustomBlockSourceErr);
    source.version = 0;
    source.AllocateBlock = NULL;
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(NULL, NULL, 4, NULL, &source, 0, 4, 0, &buffer),
        kCMBlockBufferBadCustomBlockSourceErr);
    source.AllocateBlock = refuse;
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(
                 NULL, NULL, 4, NULL, &source, 0, 4, kCMBlockBufferAssureMemoryNowFlag, &buffer),
        kCMBlockBufferBlockAllocationFailedErr);
    CHECK(buffer == NULL);
    CHECK_EQ(CMBlockBufferCreateWithBufferReference(NULL, no_buffer, 0, 0, 0, &buffer),
        kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferCreateContiguous(NULL, no_buffer, NULL, NULL, 0, 0, 0, &buffer),
        kCMBlockBufferBadPointerParameterErr);

    REQUIRE(CMBlockBufferCreateEmpty(NULL, UINT32_MAX, 0, &empty) == noErr);
    CHECK_EQ(CMBlockBufferGetDataPointer(empty, 0, NULL, NULL, &pointer), kCMBlockBufferEmptyBBufErr);
    CHECK_EQ(CMBlockBufferAssureBlockMemory(empty), kCMBlockBufferEmptyBBufErr);
    CHECK(!CMBlockBufferIsRangeContiguous(empty, 0, 0));
    CHECK_EQ(CMBlockBufferCreateWithBufferReference(NULL, empty, 0, 0, 0, &buffer), kCMBlockBufferEmptyBBufErr);
    REQUIRE(CMBlockBufferCreateWithBufferReference(
                NULL, empty, 0, 0, kCMBlockBufferPermitEmptyReferenceFlag, &buffer) == noErr);
    CHECK(CMBlockBufferIsEmpty(buffer));
    CFRelease(buffer);
    CFRelease(empty);

    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, bytes, 4, kCFAllocatorNull, NULL, 0, 4, 0, &buffer) == noErr);
    CHECK_EQ(CMBlockBufferGetDataPointer(buffer, 4, NULL, NULL, &pointer), kCMBlockBufferBadOffsetParameterErr);
    CHECK_EQ(CMBlockBufferCopyDataBytes(buffer, 1, 4, bytes), kCMBlockBufferBadLengthParameterErr);
    CHECK_EQ(CMBlockBufferCopyDataBytes(buffer, 1, SIZE_MAX, bytes), kCMBlockBufferBadLengthParameterErr);
    CHECK_EQ(CMBlockBufferCopyDataBytes(buffer, 1, 1, no_bytes), kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferCopyDataBytes(buffer, 0, 0, bytes), noErr);
    CHECK_EQ(CMBlockBufferReplaceDataBytes(no_bytes, buffer, 1, 1), kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferReplaceDataBytes(bytes, buffer, 4, 1), kCMBlockBufferBadOffsetParameterErr);
    CHECK_EQ(CMBlockBufferFillDataBytes('x', buffer, 0, 5), kCMBlockBufferBadLengthParameterErr);
    CHECK_EQ(CMBlockBufferAccessDataBytes(buffer, 0, 0, bytes, &pointer), kCMBlockBufferBadLengthParameterErr);
    CHECK_EQ(CMBlockBufferAccessDataBytes(buffer, 0, 1, bytes, no_pointer), kCMBlockBufferBadPointerParameterErr);
    CHECK(!CMBlockBufferIsRangeContiguous(buffer, 1, 4));
    CHECK_EQ(CMBlockBufferAppendBufferReference(buffer, buffer, 5, 0, 0), kCMBlockBufferBadOffsetParameterErr);
    CHECK_EQ(CMBlockBufferGetDataLength(buffer), 4);
    CFRelease(buffer);

    CHECK_EQ(CMBlockBufferAppendMemoryBlock(no_buffer, NULL, 1, NULL, NULL, 0, 1, 0),
        kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferAppendBufferReference(no_buffer, no_buffer, 0, 1, 0), kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferAssureBlockMemory(no_buffer), kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferAccessDataBytes(no_buffer, 0, 1, bytes, &pointer), kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferCopyDataBytes(no_buffer, 0, 1, bytes), kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferReplaceDataBytes(bytes, no_buffer, 0, 1), kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferFillDataBytes('x', no_buffer, 0, 1), kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferGetDataPointer(no_buffer, 0, NULL, NULL, NULL), kCMBlockBufferBadPointerParameterErr);
    CHECK_EQ(CMBlockBufferGetDataLength(no_buffer), 0);
    CHECK(!CMBlockBufferIsRangeContiguous(no_buffer, 0, 0));
    CHECK(CMBlockBufferIsEmpty(no_buffer));
    CHECK_EQ(sizeof(CMBlockBufferCustomBlockSource), 28);
}

static void *assure(void *buffer) {
    CMBlockBufferAssureBlockMemory((CMBlockBufferRef)buffer);
    return NULL;
}

/* Threads that allocate at the same time get one block, and the surplus blocks are freed. */
static void test_allocating_threads(void) {
    for (int round = 0; round < 200; round++) {
        struct count count = {0};
        const CMBlockBufferCustomBlockSource source = source_of(&count);
        CMBlockBufferRef buffer = NULL;
        pthread_t threads[3];
        REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, NULL, 100, NULL, &source, 0, 100, 0, &buffer) == noErr);
        for (int i = 0; i < 3; i++) REQUIRE(pthread_create(&threads[i], NULL, assure, buffer) == 0);
        for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
        CHECK_EQ(count.bytes, 100);
        CFRelease(buffer);
        CHECK_EQ(count.allocated, count.freed);
    }
}

/* A long chain in which each buffer retains the previous one. */
static void test_long_chain_of_references(void) {
    enum { LENGTH = 200000 };
    struct count count = {0};
    CMBlockBufferRef buffer = create_digits(&count);
    for (int i = 0; i < LENGTH; i++) {
        CMBlockBufferRef next = NULL;
        REQUIRE(CMBlockBufferCreateWithBufferReference(
                    NULL, buffer, 0, 0, kCMBlockBufferDontOptimizeDepthFlag, &next) == noErr);
        CFRelease(buffer);
        buffer = next;
    }
    char read[10];
    CHECK_EQ(CMBlockBufferCopyDataBytes(buffer, 0, 10, read), noErr);
    CHECK_BYTES(read, "0123456789", 10);
    CHECK_EQ(count.freed, 0);
    CFRelease(buffer);
    CHECK_EQ(count.freed, 3);
}

int main(void) {
    RUN(test_memory_is_allocated_when_needed);
    RUN(test_memory_of_the_caller);
    RUN(test_walk_over_blocks);
    RUN(test_references);
    RUN(test_contiguous);
    RUN(test_wrong_arguments);
    RUN(test_allocating_threads);
    RUN(test_long_chain_of_references);
    return check_result();
}
