/**
 * MacTypes.h - types and error numbers that a Mac's system headers define.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MACTYPES_H
#define NALU_MACTYPES_H

#include <machine/endian.h>
#include <stddef.h>
#include <stdint.h>

/** For Objective-C files, which nalu-vt-cc compiles as C. */
#if defined(NALU_OBJECTIVE_C_AS_C)
#include <objc/objc.h>
#endif

#ifndef nil
#define nil NULL
#endif

/** An attribute of variables and parameters that are not used. */
#ifndef __unused
#define __unused __attribute__((__unused__))
#endif

typedef uint8_t uint8;

/** Fixed-point numbers: Fixed has 16.16 bits, Fract 2.30. */
typedef int32_t Fixed;
typedef uint32_t UnsignedFixed;
typedef int32_t Fract;
typedef int16_t ShortFixed;

typedef unsigned long ByteCount;
typedef unsigned long ByteOffset;
typedef unsigned long ItemCount;
typedef uint32_t OptionBits;

/** noErr is an OSStatus in Swift. The errors below are Ints there, as on a Mac. */
#ifdef CF_ENUM
CF_ENUM(int32_t) { noErr = 0 };
#else
enum { noErr = 0 };
#endif

enum {
    unimpErr = -4,
    ioErr = -36,
    eofErr = -39,
    fnfErr = -43,
    paramErr = -50,
    memFullErr = -108,
};

enum {
    kUnknownType = 0x3F3F3F3F, /**< '????' */
    kVariableLengthArray = 1,
    kNilOptions = 0,
};

#endif
