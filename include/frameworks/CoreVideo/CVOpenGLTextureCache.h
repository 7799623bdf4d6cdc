/**
 * @file
 * OpenGL's caches of textures, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVOPENGLTEXTURECACHE_H
#define CVOPENGLTEXTURECACHE_H

#include <CoreVideo/CVBase.h>

typedef struct CF_BRIDGED_TYPE(id) __CVOpenGLTextureCache *CVOpenGLTextureCacheRef;

#endif
