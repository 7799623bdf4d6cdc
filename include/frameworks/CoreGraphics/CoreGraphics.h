/**
 * @file
 * Geometry, and colours as opaque objects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef COREGRAPHICS_H
#define COREGRAPHICS_H

#include <CoreGraphics/CGBase.h>
#include <CoreGraphics/CGColor.h>
#include <CoreGraphics/CGColorSpace.h>
#include <CoreGraphics/CGGeometry.h>

#endif
