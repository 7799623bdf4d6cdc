/**
 * @file
 * Metal's buffers, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVMETALBUFFER_H
#define CVMETALBUFFER_H

#include <CoreVideo/CVImageBuffer.h>

typedef CVBufferRef CVMetalBufferRef;

#endif
