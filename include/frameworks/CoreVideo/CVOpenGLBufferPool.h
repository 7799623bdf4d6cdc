/*
 * CoreVideo/CVOpenGLBufferPool.h - pools of buffers of OpenGL, which are not here.
 * The type is declared, and nothing else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVOPENGLBUFFERPOOL_H
#define CVOPENGLBUFFERPOOL_H

#include <CoreVideo/CVBase.h>

typedef struct CF_BRIDGED_TYPE(id) __CVOpenGLBufferPool *CVOpenGLBufferPoolRef;

#endif
