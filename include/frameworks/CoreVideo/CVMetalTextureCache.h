/*
 * CoreVideo/CVMetalTextureCache.h - caches of Metal, which are not here.
 * The type is declared, and nothing else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVMETALTEXTURECACHE_H
#define CVMETALTEXTURECACHE_H

#include <CoreVideo/CVBase.h>

typedef struct CF_BRIDGED_TYPE(id) __CVMetalTextureCache *CVMetalTextureCacheRef;

#endif
