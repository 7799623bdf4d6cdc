/**
 * @file
 * Definitions for all headers of CoreGraphics.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CGBASE_H
#define CGBASE_H

#include <CoreFoundation/CoreFoundation.h>

#ifdef __cplusplus
#define CG_EXTERN extern "C"
#else
#define CG_EXTERN extern
#endif

#define CGFLOAT_IS_DOUBLE 1
#define CGFLOAT_DEFINED 1
typedef double CGFloat;

#endif
