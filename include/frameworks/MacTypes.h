/*
 * MacTypes.h - the old names that CoreFoundation's headers bring along on a Mac, and do not bring elsewhere.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_MACTYPES_H
#define NALU_MACTYPES_H

#include <stdint.h>

enum { noErr = 0 };

#endif
