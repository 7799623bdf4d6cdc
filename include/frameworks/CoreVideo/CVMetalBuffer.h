/**
 * @file
 * Metal's buffers, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVMETALBUFFER_H
#define CVMETALBUFFER_H

#include <CoreVideo/CVImageBuffer.h>

typedef CVBufferRef CVMetalBufferRef;

#endif
