/**
 * @file
 * CoreFoundation, for C programs that include Foundation. Objective-C is not supported.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_FOUNDATION_H
#define NALU_FOUNDATION_H

#include <CoreFoundation/CoreFoundation.h>
#include <objc/objc.h>

#endif
