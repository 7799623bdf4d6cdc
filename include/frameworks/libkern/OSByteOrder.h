/**
 * @file
 * Conversion of byte order. Addresses need no alignment.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _OS_OSBYTEORDER_H
#define _OS_OSBYTEORDER_H

#include <stdint.h>

#define OSSwapInt16(x) __builtin_bswap16((uint16_t)(x))
#define OSSwapConstInt16(x) OSSwapInt16(x)
#define OSSwapInt32(x) __builtin_bswap32((uint32_t)(x))
#define OSSwapConstInt32(x) OSSwapInt32(x)
#define OSSwapInt64(x) __builtin_bswap64((uint64_t)(x))
#define OSSwapConstInt64(x) OSSwapInt64(x)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OSSwapHostToLittleInt16(x) ((uint16_t)(x))
#define OSSwapHostToLittleInt32(x) ((uint32_t)(x))
#define OSSwapHostToLittleInt64(x) ((uint64_t)(x))
#else
#define OSSwapHostToLittleInt16(x) OSSwapInt16(x)
#define OSSwapHostToLittleInt32(x) OSSwapInt32(x)
#define OSSwapHostToLittleInt64(x) OSSwapInt64(x)
#endif
#define OSSwapLittleToHostInt16(x) OSSwapHostToLittleInt16(x)
#define OSSwapLittleToHostInt32(x) OSSwapHostToLittleInt32(x)
#define OSSwapLittleToHostInt64(x) OSSwapHostToLittleInt64(x)
#define OSSwapHostToLittleConstInt16(x) OSSwapHostToLittleInt16(x)
#define OSSwapLittleToHostConstInt16(x) OSSwapHostToLittleInt16(x)
#define OSSwapHostToLittleConstInt32(x) OSSwapHostToLittleInt32(x)
#define OSSwapLittleToHostConstInt32(x) OSSwapHostToLittleInt32(x)
#define OSSwapHostToLittleConstInt64(x) OSSwapHostToLittleInt64(x)
#define OSSwapLittleToHostConstInt64(x) OSSwapHostToLittleInt64(x)

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OSSwapHostToBigInt16(x) ((uint16_t)(x))
#define OSSwapHostToBigInt32(x) ((uint32_t)(x))
#define OSSwapHostToBigInt64(x) ((uint64_t)(x))
#else
#define OSSwapHostToBigInt16(x) OSSwapInt16(x)
#define OSSwapHostToBigInt32(x) OSSwapInt32(x)
#define OSSwapHostToBigInt64(x) OSSwapInt64(x)
#endif
#define OSSwapBigToHostInt16(x) OSSwapHostToBigInt16(x)
#define OSSwapBigToHostInt32(x) OSSwapHostToBigInt32(x)
#define OSSwapBigToHostInt64(x) OSSwapHostToBigInt64(x)
#define OSSwapHostToBigConstInt16(x) OSSwapHostToBigInt16(x)
#define OSSwapBigToHostConstInt16(x) OSSwapHostToBigInt16(x)
#define OSSwapHostToBigConstInt32(x) OSSwapHostToBigInt32(x)
#define OSSwapBigToHostConstInt32(x) OSSwapHostToBigInt32(x)
#define OSSwapHostToBigConstInt64(x) OSSwapHostToBigInt64(x)
#define OSSwapBigToHostConstInt64(x) OSSwapHostToBigInt64(x)

enum { OSUnknownByteOrder, OSLittleEndian, OSBigEndian };

static __inline__ int32_t OSHostByteOrder(void) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? OSLittleEndian : OSBigEndian;
}

static __inline__ uint16_t OSReadLittleInt16(const volatile void *base, uintptr_t offset) {
    uint16_t data;
    __builtin_memcpy(&data, (const char *)(uintptr_t)base + offset, sizeof data);
    return OSSwapLittleToHostInt16(data);
}

static __inline__ uint16_t OSReadBigInt16(const volatile void *base, uintptr_t offset) {
    uint16_t data;
    __builtin_memcpy(&data, (const char *)(uintptr_t)base + offset, sizeof data);
    return OSSwapBigToHostInt16(data);
}

static __inline__ void OSWriteLittleInt16(
    volatile void *base, uintptr_t offset, uint16_t data) {
    data = OSSwapHostToLittleInt16(data);
    __builtin_memcpy((char *)(uintptr_t)base + offset, &data, sizeof data);
}

static __inline__ void OSWriteBigInt16(volatile void *base, uintptr_t offset, uint16_t data) {
    data = OSSwapHostToBigInt16(data);
    __builtin_memcpy((char *)(uintptr_t)base + offset, &data, sizeof data);
}

static __inline__ uint32_t OSReadLittleInt32(const volatile void *base, uintptr_t offset) {
    uint32_t data;
    __builtin_memcpy(&data, (const char *)(uintptr_t)base + offset, sizeof data);
    return OSSwapLittleToHostInt32(data);
}

static __inline__ uint32_t OSReadBigInt32(const volatile void *base, uintptr_t offset) {
    uint32_t data;
    __builtin_memcpy(&data, (const char *)(uintptr_t)base + offset, sizeof data);
    return OSSwapBigToHostInt32(data);
}

static __inline__ void OSWriteLittleInt32(
    volatile void *base, uintptr_t offset, uint32_t data) {
    data = OSSwapHostToLittleInt32(data);
    __builtin_memcpy((char *)(uintptr_t)base + offset, &data, sizeof data);
}

static __inline__ void OSWriteBigInt32(volatile void *base, uintptr_t offset, uint32_t data) {
    data = OSSwapHostToBigInt32(data);
    __builtin_memcpy((char *)(uintptr_t)base + offset, &data, sizeof data);
}

static __inline__ uint64_t OSReadLittleInt64(const volatile void *base, uintptr_t offset) {
    uint64_t data;
    __builtin_memcpy(&data, (const char *)(uintptr_t)base + offset, sizeof data);
    return OSSwapLittleToHostInt64(data);
}

static __inline__ uint64_t OSReadBigInt64(const volatile void *base, uintptr_t offset) {
    uint64_t data;
    __builtin_memcpy(&data, (const char *)(uintptr_t)base + offset, sizeof data);
    return OSSwapBigToHostInt64(data);
}

static __inline__ void OSWriteLittleInt64(
    volatile void *base, uintptr_t offset, uint64_t data) {
    data = OSSwapHostToLittleInt64(data);
    __builtin_memcpy((char *)(uintptr_t)base + offset, &data, sizeof data);
}

static __inline__ void OSWriteBigInt64(volatile void *base, uintptr_t offset, uint64_t data) {
    data = OSSwapHostToBigInt64(data);
    __builtin_memcpy((char *)(uintptr_t)base + offset, &data, sizeof data);
}

#endif
