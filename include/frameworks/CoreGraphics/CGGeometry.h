/**
 * @file
 * Points, sizes and rectangles.
 *
 * In Swift, these names are types of Foundation; the C types are CPoint, CSize and CRectangle
 * there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CGGEOMETRY_H
#define CGGEOMETRY_H

#include <CoreGraphics/CGBase.h>

typedef struct CF_SWIFT_NAME(CPoint) CGPoint {
    double x;
    double y;
} CF_SWIFT_NAME(CPoint) CGPoint;

typedef struct CF_SWIFT_NAME(CSize) CGSize {
    double width;
    double height;
} CF_SWIFT_NAME(CSize) CGSize;

typedef struct CF_SWIFT_NAME(CRectangle) CGRect {
    CGPoint origin;
    CGSize size;
} CF_SWIFT_NAME(CRectangle) CGRect;

CF_INLINE CGPoint CGPointMake(CGFloat x, CGFloat y) {
    CGPoint point = {x, y};
    return point;
}

CF_INLINE CGSize CGSizeMake(CGFloat width, CGFloat height) {
    CGSize size = {width, height};
    return size;
}

CF_INLINE CGRect CGRectMake(CGFloat x, CGFloat y, CGFloat width, CGFloat height) {
    CGRect rectangle = {{x, y}, {width, height}};
    return rectangle;
}

#endif
