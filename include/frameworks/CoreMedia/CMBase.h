/*
 * CoreMedia/CMBase.h - what every header of CoreMedia needs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CMBASE_H
#define CMBASE_H

#include <CoreFoundation/CoreFoundation.h>

/* On a Mac, these headers include dispatch as well. */
#include <dispatch/dispatch.h>

#ifdef __cplusplus
#define CM_EXPORT extern "C"
#else
#define CM_EXPORT extern
#endif

/* On a parameter `XRef *out`: the caller owns a reference to what is stored there. */
#define CM_RETURNS_RETAINED_PARAMETER CF_RETURNS_RETAINED

/* CF_SWIFT_NAME for a name that needs more than one line: string literals, one after another. */
#define CM_SWIFT_NAME(name) __attribute__((swift_name(name)))

/* A count of items, and an index of one. */
typedef CFIndex CMItemCount;
typedef CFIndex CMItemIndex;

/* A track's number in its file; 0: none. */
typedef int32_t CMPersistentTrackID;
CF_ENUM(CMPersistentTrackID) { kCMPersistentTrackID_Invalid = 0 };

#endif
