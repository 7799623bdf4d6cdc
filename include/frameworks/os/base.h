/**
 * @file
 * Included by the toolchain's dispatch headers if __APPLE__ is defined.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef __OS_BASE__
#define __OS_BASE__

#include <os/generic_unix_base.h>

#endif
