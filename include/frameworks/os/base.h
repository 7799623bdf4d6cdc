/**
 * @file
 * Included by the toolchain's dispatch headers if __APPLE__ is defined.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef __OS_BASE__
#define __OS_BASE__

#include <os/generic_unix_base.h>

#endif
