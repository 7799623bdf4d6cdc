/*
 * CoreVideo/CVOpenGLTextureCache.h - caches of OpenGL, which are not here.
 * The type is declared, and nothing else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVOPENGLTEXTURECACHE_H
#define CVOPENGLTEXTURECACHE_H

#include <CoreVideo/CVBase.h>

typedef struct CF_BRIDGED_TYPE(id) __CVOpenGLTextureCache *CVOpenGLTextureCacheRef;

#endif
