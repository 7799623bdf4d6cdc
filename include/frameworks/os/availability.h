/**
 * @file
 * Includes Availability.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef __OS_AVAILABILITY__
#define __OS_AVAILABILITY__

#include <Availability.h>

#endif
