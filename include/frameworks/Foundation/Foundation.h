/*
 * Foundation/Foundation.h - nothing of Objective-C's; what C programs get by it is CoreFoundation.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_FOUNDATION_H
#define NALU_FOUNDATION_H

#include <CoreFoundation/CoreFoundation.h>

#endif
