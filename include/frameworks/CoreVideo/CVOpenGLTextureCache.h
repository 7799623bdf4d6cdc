/**
 * @file
 * OpenGL's caches of textures, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVOPENGLTEXTURECACHE_H
#define CVOPENGLTEXTURECACHE_H

#include <CoreVideo/CVBase.h>

typedef struct CF_BRIDGED_TYPE(id) __CVOpenGLTextureCache *CVOpenGLTextureCacheRef;

#endif
