/**
 * @file
 * OpenGL's textures, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVOPENGLTEXTURE_H
#define CVOPENGLTEXTURE_H

#include <CoreVideo/CVImageBuffer.h>

typedef CVImageBufferRef CVOpenGLTextureRef;

#endif
