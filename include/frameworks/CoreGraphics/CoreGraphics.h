/**
 * @file
 * Geometry, and colours as opaque objects.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COREGRAPHICS_H
#define COREGRAPHICS_H

#include <CoreGraphics/CGBase.h>
#include <CoreGraphics/CGColor.h>
#include <CoreGraphics/CGColorSpace.h>
#include <CoreGraphics/CGGeometry.h>

#endif
