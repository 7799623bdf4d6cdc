/*
 * CoreVideo/CoreVideo.h - pixel buffers and their pools.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COREVIDEO_H
#define COREVIDEO_H

#include <CoreVideo/CVBase.h>

#endif
