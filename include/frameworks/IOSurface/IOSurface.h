/**
 * @file
 * Includes IOSurfaceRef.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef IOSURFACE_H
#define IOSURFACE_H

#include <IOSurface/IOSurfaceRef.h>

#endif
