/**
 * @file
 * The properties of pixel rotation sessions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTPIXELROTATIONPROPERTIES_H
#define VTPIXELROTATIONPROPERTIES_H

#include <VideoToolbox/VTBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/** CFString: the rotation of the image, in degrees. Default kVTRotation_0. */
VT_EXPORT const CFStringRef kVTPixelRotationPropertyKey_Rotation;
VT_EXPORT const CFStringRef kVTRotation_0;
VT_EXPORT const CFStringRef kVTRotation_CW90; /**< clockwise */
VT_EXPORT const CFStringRef kVTRotation_180;
VT_EXPORT const CFStringRef kVTRotation_CCW90; /**< counterclockwise */

/**
 * CFBooleans: true if the image is mirrored after its rotation, left to right and top to bottom.
 * Default false.
 */
VT_EXPORT const CFStringRef kVTPixelRotationPropertyKey_FlipHorizontalOrientation;
VT_EXPORT const CFStringRef kVTPixelRotationPropertyKey_FlipVerticalOrientation;

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
