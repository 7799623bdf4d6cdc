/**
 * @file
 * OpenGL's pools of buffers, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVOPENGLBUFFERPOOL_H
#define CVOPENGLBUFFERPOOL_H

#include <CoreVideo/CVBase.h>

typedef struct CF_BRIDGED_TYPE(id) __CVOpenGLBufferPool *CVOpenGLBufferPoolRef;

#endif
