/*
 * CoreVideo/CVBase.h - what every header of CoreVideo needs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVBASE_H
#define CVBASE_H

#include <CoreFoundation/CoreFoundation.h>

#ifdef __cplusplus
#define CV_EXPORT extern "C"
#else
#define CV_EXPORT extern
#endif

/* On a parameter `XRef *out`: the caller owns a reference to what is stored there. */
#define CV_RETURNS_RETAINED_PARAMETER CF_RETURNS_RETAINED
#define CV_RETURNS_RETAINED CF_RETURNS_RETAINED

#endif
