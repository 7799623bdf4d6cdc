/*
 * CoreVideo/CVMetalTexture.h - textures of Metal, which are not here.
 * The type is declared, and nothing else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVMETALTEXTURE_H
#define CVMETALTEXTURE_H

#include <CoreVideo/CVImageBuffer.h>

typedef CVImageBufferRef CVMetalTextureRef;

#endif
