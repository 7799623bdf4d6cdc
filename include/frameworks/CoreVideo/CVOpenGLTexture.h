/**
 * @file
 * OpenGL's textures, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVOPENGLTEXTURE_H
#define CVOPENGLTEXTURE_H

#include <CoreVideo/CVImageBuffer.h>

typedef CVImageBufferRef CVOpenGLTextureRef;

#endif
