/**
 * @file
 * Metal's caches of textures, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVMETALTEXTURECACHE_H
#define CVMETALTEXTURECACHE_H

#include <CoreVideo/CVBase.h>

typedef struct CF_BRIDGED_TYPE(id) __CVMetalTextureCache *CVMetalTextureCacheRef;

#endif
