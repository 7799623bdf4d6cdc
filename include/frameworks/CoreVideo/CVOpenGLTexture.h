/*
 * CoreVideo/CVOpenGLTexture.h - textures of OpenGL, which are not here.
 * The type is declared, and nothing else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVOPENGLTEXTURE_H
#define CVOPENGLTEXTURE_H

#include <CoreVideo/CVImageBuffer.h>

typedef CVImageBufferRef CVOpenGLTextureRef;

#endif
