/**
 * @file
 * Definitions for all headers of VideoToolbox.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTBASE_H
#define VTBASE_H

#include <CoreMedia/CMBase.h>

#ifdef __cplusplus
#define VT_EXPORT extern "C"
#else
#define VT_EXPORT extern
#endif

typedef struct {
    int32_t x;
    int32_t y;
} VTInt32Point;

typedef struct {
    int32_t width;
    int32_t height;
} VTInt32Size;

#endif
