/*
 * Foundation/Foundation.h - CoreFoundation, for C programs that include Foundation. There is no
 * Objective-C.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_FOUNDATION_H
#define NALU_FOUNDATION_H

#include <CoreFoundation/CoreFoundation.h>
#include <objc/objc.h>

#endif
