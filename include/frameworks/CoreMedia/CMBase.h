/**
 * @file
 * Definitions for all headers of CoreMedia.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMBASE_H
#define CMBASE_H

#include <CoreFoundation/CoreFoundation.h>

/** Apple's headers include dispatch here too. */
#include <dispatch/dispatch.h>

#ifdef __cplusplus
#define CM_EXPORT extern "C"
#else
#define CM_EXPORT extern
#endif

/** Marks a parameter `XRef *out` through which the caller receives a reference to release. */
#define CM_RETURNS_RETAINED_PARAMETER CF_RETURNS_RETAINED

/** CF_SWIFT_NAME for a name that needs several lines. The argument is adjacent string literals. */
#define CM_SWIFT_NAME(name) __attribute__((swift_name(name)))

/** A number of items, and the index of an item. */
typedef CFIndex CMItemCount;
typedef CFIndex CMItemIndex;

/** The number of a track in its file; 0: no track. */
typedef int32_t CMPersistentTrackID;
CF_ENUM(CMPersistentTrackID) { kCMPersistentTrackID_Invalid = 0 };

#endif
