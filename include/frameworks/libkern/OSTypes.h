/**
 * @file
 * UInt8, SInt32 and the like, declared by the toolchain's CoreFoundation.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_LIBKERN_OSTYPES_H
#define NALU_LIBKERN_OSTYPES_H

#include <CoreFoundation/CoreFoundation.h>

typedef unsigned int UInt;
typedef signed int SInt;

#endif
