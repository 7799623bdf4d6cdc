/**
 * @file
 * Includes IOSurfaceRef.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef IOSURFACE_H
#define IOSURFACE_H

#include <IOSurface/IOSurfaceRef.h>

#endif
