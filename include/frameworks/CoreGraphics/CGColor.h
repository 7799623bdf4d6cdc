/**
 * @file
 * A colour, as an opaque object.
 *
 * The functions are declared so that programs with calls of them compile. The library does not
 * define them, so a program that calls one does not link.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CGCOLOR_H
#define CGCOLOR_H

#include <CoreGraphics/CGColorSpace.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

typedef struct CF_BRIDGED_TYPE(id) CGColor *CGColorRef;

/** The way in which colours outside a colour space are mapped into it. */
typedef CF_ENUM(int32_t, CGColorRenderingIntent) {
    kCGRenderingIntentDefault,
    kCGRenderingIntentAbsoluteColorimetric,
    kCGRenderingIntentRelativeColorimetric,
    kCGRenderingIntentPerceptual,
    kCGRenderingIntentSaturation,
};

CG_EXTERN CGColorRef _Nullable CGColorCreateSRGB(
    CGFloat red, CGFloat green, CGFloat blue, CGFloat alpha);
CG_EXTERN CGColorRef _Nullable CGColorCreateCopyByMatchingToColorSpace(
    CGColorSpaceRef _Nullable space, CGColorRenderingIntent intent, CGColorRef _Nullable color,
    CFDictionaryRef _Nullable options);
CG_EXTERN const CGFloat *_Nullable CGColorGetComponents(CGColorRef _Nullable color);
CG_EXTERN void CGColorRelease(CGColorRef _Nullable color);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
