/**
 * @file
 * The Swift toolchain's CoreFoundation, completed so that C programs for a Mac compile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_COREFOUNDATION_H
#define NALU_COREFOUNDATION_H

#if !defined(__clang__)
#error "CoreFoundation's headers use blocks, which only clang reads: compile with nalu-vt-cc."
#endif

/** The toolchain's headers use alloca and makedev without including these. */
#include <alloca.h>
#include <sys/sysmacros.h>

/** They also call lstat, which the system does not declare in strict modes such as C23. */
#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
#include <sys/stat.h>
int lstat(const char *__restrict, struct stat *__restrict);
#endif

#include_next <CoreFoundation/CoreFoundation.h>

#include <MacTypes.h>

/**
 * Programs compare these versions to find out what they can use. The toolchain declares the first
 * one, but its library does not define it.
 */
#define kCFCoreFoundationVersionNumber 2000.00
#define kCFCoreFoundationVersionNumber10_6 550.00
#define kCFCoreFoundationVersionNumber10_7 635.00
#define kCFCoreFoundationVersionNumber10_8 744.00
#define kCFCoreFoundationVersionNumber10_9 855.11
#define kCFCoreFoundationVersionNumber10_10 1151.16
#define kCFCoreFoundationVersionNumber10_11 1253.00

/** The toolchain's CFSTR contains statements, which are not allowed outside functions. */
#if !defined(NALU_KEEP_CFSTR)
#undef CFSTR
#define CFSTR(text) ((CFStringRef)__builtin___CFStringMakeConstantString("" text ""))
#endif

/**
 * CFDictionaryCreate without the pairs whose key or value is NULL, if callbacks would retain them.
 * Programs for a Mac rely on that. The toolchain's own function ends the process for such pairs.
 */
#if !defined(__swift__)
CF_INLINE CFDictionaryRef nalu_CFDictionaryCreate(CFAllocatorRef allocator, const void **keys,
    const void **values, CFIndex count, const CFDictionaryKeyCallBacks *keyCallBacks,
    const CFDictionaryValueCallBacks *valueCallBacks) {
    CFIndex index, to, present = 0;
    const void **kept;
    CFDictionaryRef dictionary;
    const bool noKey = keyCallBacks && (keyCallBacks->retain || keyCallBacks->hash);
    const bool noValue = valueCallBacks && valueCallBacks->retain;
    for (index = 0; index < count; index++)
        present += (keys[index] || !noKey) && (values[index] || !noValue);
    if (count <= 0 || present == count)
        return CFDictionaryCreate(allocator, keys, values, count, keyCallBacks, valueCallBacks);
    /** The keys that remain, then their values. */
    kept = (const void **)calloc((size_t)present * 2 + 1, sizeof *kept);
    if (!kept) return NULL;
    for (index = 0, to = 0; index < count; index++) {
        if ((!keys[index] && noKey) || (!values[index] && noValue)) continue;
        kept[to] = keys[index];
        kept[present + to++] = values[index];
    }
    dictionary = CFDictionaryCreate(
        allocator, kept, kept + present, present, keyCallBacks, valueCallBacks);
    free(kept);
    return dictionary;
}
#define CFDictionaryCreate nalu_CFDictionaryCreate
#endif

#endif
