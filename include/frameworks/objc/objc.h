/**
 * @file
 * Names of Objective-C's runtime that C code uses too. Objective-C is not supported.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _OBJC_OBJC_H_
#define _OBJC_OBJC_H_

#include <stdbool.h>
#include <stddef.h>

typedef bool BOOL;
#define YES ((BOOL)1)
#define NO ((BOOL)0)

#ifndef nil
#define nil NULL
#endif
#ifndef Nil
#define Nil NULL
#endif

#endif
