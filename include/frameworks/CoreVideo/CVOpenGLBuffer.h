/*
 * CoreVideo/CVOpenGLBuffer.h - buffers of OpenGL, which are not here.
 * The type is declared, and nothing else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVOPENGLBUFFER_H
#define CVOPENGLBUFFER_H

#include <CoreVideo/CVImageBuffer.h>

typedef CVImageBufferRef CVOpenGLBufferRef;

#endif
