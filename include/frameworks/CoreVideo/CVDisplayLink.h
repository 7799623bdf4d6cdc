/**
 * @file
 * The refreshes of a display. Only the types are declared: displays are not supported.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVDISPLAYLINK_H
#define CVDISPLAYLINK_H

#include <CoreVideo/CVBase.h>
#include <CoreVideo/CVReturn.h>

typedef struct CF_BRIDGED_TYPE(id) __CVDisplayLink *CVDisplayLinkRef;

typedef CVReturn (*CVDisplayLinkOutputCallback)(CVDisplayLinkRef _Nonnull displayLink,
    const CVTimeStamp *_Nonnull inNow, const CVTimeStamp *_Nonnull inOutputTime,
    CVOptionFlags flagsIn, CVOptionFlags *_Nonnull flagsOut, void *_Nullable displayLinkContext);

#endif
