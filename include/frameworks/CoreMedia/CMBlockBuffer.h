/**
 * @file
 * Blocks of memory that form one range of bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMBLOCKBUFFER_H
#define CMBLOCKBUFFER_H

#include <CoreMedia/CMBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

#pragma pack(push, 4)

CF_ENUM(OSStatus) {
    kCMBlockBufferNoErr = 0,
    kCMBlockBufferStructureAllocationFailedErr = -12700,
    kCMBlockBufferBlockAllocationFailedErr = -12701,
    kCMBlockBufferBadCustomBlockSourceErr = -12702,
    kCMBlockBufferBadOffsetParameterErr = -12703,
    kCMBlockBufferBadLengthParameterErr = -12704,
    kCMBlockBufferBadPointerParameterErr = -12705,
    kCMBlockBufferEmptyBBufErr = -12706,
    kCMBlockBufferUnallocatedBlockErr = -12707,
    kCMBlockBufferInsufficientSpaceErr = -12708,
};

typedef uint32_t CMBlockBufferFlags;
CF_ENUM(CMBlockBufferFlags) {
    /** Allocate the memory of a block immediately, not when it is first needed. */
    kCMBlockBufferAssureMemoryNowFlag = 1u << 0,
    /** CMBlockBufferCreateContiguous: copy the range even if it is contiguous. */
    kCMBlockBufferAlwaysCopyDataFlag = 1u << 1,
    /** Refer to a buffer itself, not to the blocks in it. */
    kCMBlockBufferDontOptimizeDepthFlag = 1u << 2,
    /** Allow a reference to an empty buffer. */
    kCMBlockBufferPermitEmptyReferenceFlag = 1u << 3,
};

/**
 * A range of bytes over blocks of memory and over other block buffers. The bytes can be written.
 * Different threads may use different buffers. Writes to one buffer must not overlap with its other
 * uses. CFRelease releases a reference.
 *
 * The functions return kCMBlockBufferBadPointerParameterErr for a pointer that must not be NULL.
 * They return kCMBlockBufferBadOffsetParameterErr or kCMBlockBufferBadLengthParameterErr for a
 * range outside the buffer, and kCMBlockBufferUnallocatedBlockErr if there is no memory to read.
 */
typedef struct CF_BRIDGED_TYPE(id) opaqueCMBlockBuffer *CMBlockBufferRef;

/** The client's functions that allocate and free a block. */
typedef struct {
    uint32_t version; /**< kCMBlockBufferCustomBlockSourceVersion */
    /** May be NULL if the client passes existing memory. Returns NULL if memory is short. */
    void *_Nullable (*_Nullable AllocateBlock)(void *_Nullable refCon, size_t sizeInBytes);
    /** NULL if nothing must be freed. Called once for each block that was allocated or passed. */
    void (*_Nullable FreeBlock)(
        void *_Nullable refCon, void *doomedMemoryBlock, size_t sizeInBytes);
    void *_Nullable refCon;
} CMBlockBufferCustomBlockSource;

CF_ENUM(uint32_t) { kCMBlockBufferCustomBlockSourceVersion = 0 };

/* ---- Creation ------------------------------------------------------------------------------- */

/**
 * Creates a block buffer without bytes. subBlockCapacity: the number of blocks to reserve memory
 * for; more can be appended.
 */
CM_EXPORT OSStatus CMBlockBufferCreateEmpty(CFAllocatorRef _Nullable structureAllocator,
    uint32_t subBlockCapacity, CMBlockBufferFlags flags,
    CM_RETURNS_RETAINED_PARAMETER CMBlockBufferRef _Nullable *_Nonnull blockBufferOut)
    CF_SWIFT_NAME(CMBlockBufferCreateEmpty(allocator:capacity:flags:blockBufferOut:));

/**
 * Creates a block buffer over a block of memory.
 *
 * memoryBlock: existing memory, or NULL to allocate blockLength bytes. These are allocated
 *   immediately with kCMBlockBufferAssureMemoryNowFlag; otherwise by the first write or by
 *   CMBlockBufferAssureBlockMemory. Reads before that return kCMBlockBufferUnallocatedBlockErr.
 * blockAllocator: allocates and frees the block. NULL is the default allocator. kCFAllocatorNull
 *   frees nothing: the caller's memory must then outlive the buffer.
 * customBlockSource: NULL, or used instead of blockAllocator. It is copied.
 * offsetToData, dataLength: the part of the block that belongs to the buffer.
 * Ownership: if the call succeeds, the buffer frees memoryBlock, unless blockAllocator is
 *   kCFAllocatorNull. If the call fails, memoryBlock still belongs to the caller.
 */
CM_EXPORT OSStatus CMBlockBufferCreateWithMemoryBlock(CFAllocatorRef _Nullable structureAllocator,
    void *_Nullable memoryBlock, size_t blockLength, CFAllocatorRef _Nullable blockAllocator,
    const CMBlockBufferCustomBlockSource *_Nullable customBlockSource, size_t offsetToData,
    size_t dataLength, CMBlockBufferFlags flags,
    CM_RETURNS_RETAINED_PARAMETER CMBlockBufferRef _Nullable *_Nonnull blockBufferOut)
    CM_SWIFT_NAME("CMBlockBufferCreateWithMemoryBlock(allocator:memoryBlock:blockLength:"
                  "blockAllocator:customBlockSource:offsetToData:dataLength:flags:blockBufferOut:"
                  ")");

/**
 * Creates a block buffer over a part of another one, whose memory it retains. dataLength: 0 means
 * up to the end.
 */
CM_EXPORT OSStatus CMBlockBufferCreateWithBufferReference(
    CFAllocatorRef _Nullable structureAllocator, CMBlockBufferRef bufferReference,
    size_t offsetToData, size_t dataLength, CMBlockBufferFlags flags,
    CM_RETURNS_RETAINED_PARAMETER CMBlockBufferRef _Nullable *_Nonnull blockBufferOut)
    CM_SWIFT_NAME("CMBlockBufferCreateWithBufferReference(allocator:referenceBuffer:offsetToData:"
                  "dataLength:flags:blockBufferOut:)");

/**
 * Creates a block buffer with contiguous bytes. It uses the same memory if the range is already
 * contiguous there; otherwise it copies to memory of blockAllocator or customBlockSource.
 *
 * dataLength: 0 means up to the end of sourceBuffer.
 */
CM_EXPORT OSStatus CMBlockBufferCreateContiguous(CFAllocatorRef _Nullable structureAllocator,
    CMBlockBufferRef sourceBuffer, CFAllocatorRef _Nullable blockAllocator,
    const CMBlockBufferCustomBlockSource *_Nullable customBlockSource, size_t offsetToData,
    size_t dataLength, CMBlockBufferFlags flags,
    CM_RETURNS_RETAINED_PARAMETER CMBlockBufferRef _Nullable *_Nonnull blockBufferOut)
    CM_SWIFT_NAME("CMBlockBufferCreateContiguous(allocator:sourceBuffer:blockAllocator:"
                  "customBlockSource:offsetToData:dataLength:flags:blockBufferOut:)");

CM_EXPORT CFTypeID CMBlockBufferGetTypeID(void);

/* ---- Appending ------------------------------------------------------------------------------ */

/** Appends a block of memory; see CMBlockBufferCreateWithMemoryBlock. */
CM_EXPORT OSStatus CMBlockBufferAppendMemoryBlock(CMBlockBufferRef theBuffer,
    void *_Nullable memoryBlock, size_t blockLength, CFAllocatorRef _Nullable blockAllocator,
    const CMBlockBufferCustomBlockSource *_Nullable customBlockSource, size_t offsetToData,
    size_t dataLength, CMBlockBufferFlags flags)
    CM_SWIFT_NAME("CMBlockBufferAppendMemoryBlock(_:memoryBlock:length:blockAllocator:"
                  "customBlockSource:offsetToData:dataLength:flags:)");

/** Appends a part of another buffer; see CMBlockBufferCreateWithBufferReference. */
CM_EXPORT OSStatus CMBlockBufferAppendBufferReference(CMBlockBufferRef theBuffer,
    CMBlockBufferRef targetBBuf, size_t offsetToData, size_t dataLength, CMBlockBufferFlags flags)
    CF_SWIFT_NAME(CMBlockBufferAppendBufferReference(_:targetBBuf:offsetToData:dataLength:flags:));

/** Allocates the memory of all blocks that have none yet. */
CM_EXPORT OSStatus CMBlockBufferAssureBlockMemory(CMBlockBufferRef theBuffer);

/* ---- Bytes ---------------------------------------------------------------------------------- */

/**
 * Stores a pointer to contiguous bytes: into the buffer if the range is contiguous there, otherwise
 * to temporaryBlock, to which the bytes are copied.
 *
 * length: 1 or more.
 * temporaryBlock: room for length bytes.
 */
CM_EXPORT OSStatus CMBlockBufferAccessDataBytes(CMBlockBufferRef theBuffer, size_t offset,
    size_t length, void *temporaryBlock, char *_Nullable *_Nonnull returnedPointerOut)
    CM_SWIFT_NAME("CMBlockBufferAccessDataBytes(_:atOffset:length:temporaryBlock:"
                  "returnedPointerOut:)");

/** Copies bytes out of the buffer. Copies none if dataLength is 0. */
CM_EXPORT OSStatus CMBlockBufferCopyDataBytes(CMBlockBufferRef theSourceBuffer,
    size_t offsetToData, size_t dataLength, void *destination)
    CF_SWIFT_NAME(CMBlockBufferCopyDataBytes(_:atOffset:dataLength:destination:));

/** Writes bytes into the buffer, and allocates its memory if there is none yet. */
CM_EXPORT OSStatus CMBlockBufferReplaceDataBytes(const void *sourceBytes,
    CMBlockBufferRef destinationBuffer, size_t offsetIntoDestination, size_t dataLength)
    CM_SWIFT_NAME("CMBlockBufferReplaceDataBytes(with:blockBuffer:offsetIntoDestination:"
                  "dataLength:)");

/** Fills a range with one byte value. dataLength: 0 means up to the end. */
CM_EXPORT OSStatus CMBlockBufferFillDataBytes(char fillByte, CMBlockBufferRef destinationBuffer,
    size_t offsetIntoDestination, size_t dataLength)
    CF_SWIFT_NAME(CMBlockBufferFillDataBytes(with:blockBuffer:offsetIntoDestination:dataLength:));

/**
 * Stores a pointer to the bytes at offset, the number of contiguous bytes there, and the length of
 * the whole buffer. The pointer is valid as long as the buffer, or one that refers to it, exists.
 */
CM_EXPORT OSStatus CMBlockBufferGetDataPointer(CMBlockBufferRef theBuffer, size_t offset,
    size_t *_Nullable lengthAtOffsetOut, size_t *_Nullable totalLengthOut,
    char *_Nullable *_Nullable dataPointerOut)
    CM_SWIFT_NAME("CMBlockBufferGetDataPointer(_:atOffset:lengthAtOffsetOut:totalLengthOut:"
                  "dataPointerOut:)");

CM_EXPORT size_t CMBlockBufferGetDataLength(CMBlockBufferRef theBuffer);

/** Returns true if the bytes of a range are contiguous. length: 0 means up to the end. */
CM_EXPORT Boolean CMBlockBufferIsRangeContiguous(CMBlockBufferRef theBuffer, size_t offset,
    size_t length) CF_SWIFT_NAME(CMBlockBufferIsRangeContiguous(_:atOffset:length:));

CM_EXPORT Boolean CMBlockBufferIsEmpty(CMBlockBufferRef theBuffer);

#pragma pack(pop)

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
