/**
 * @file
 * A colour space, as an opaque object.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CGCOLORSPACE_H
#define CGCOLORSPACE_H

#include <CoreGraphics/CGBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

typedef struct CF_BRIDGED_TYPE(id) CGColorSpace *CGColorSpaceRef;

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
