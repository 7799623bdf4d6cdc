/*
 * CoreVideo/CVMetalBuffer.h - buffers of Metal, which are not here.
 * The type is declared, and nothing else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVMETALBUFFER_H
#define CVMETALBUFFER_H

#include <CoreVideo/CVImageBuffer.h>

typedef CVBufferRef CVMetalBufferRef;

#endif
