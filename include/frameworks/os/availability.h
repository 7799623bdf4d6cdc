/**
 * @file
 * Includes Availability.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef __OS_AVAILABILITY__
#define __OS_AVAILABILITY__

#include <Availability.h>

#endif
