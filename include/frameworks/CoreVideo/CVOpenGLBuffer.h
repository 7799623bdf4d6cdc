/**
 * @file
 * OpenGL's buffers, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVOPENGLBUFFER_H
#define CVOPENGLBUFFER_H

#include <CoreVideo/CVImageBuffer.h>

typedef CVImageBufferRef CVOpenGLBufferRef;

#endif
