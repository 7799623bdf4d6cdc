/**
 * @file
 * Metal's textures, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVMETALTEXTURE_H
#define CVMETALTEXTURE_H

#include <CoreVideo/CVImageBuffer.h>

typedef CVImageBufferRef CVMetalTextureRef;

#endif
