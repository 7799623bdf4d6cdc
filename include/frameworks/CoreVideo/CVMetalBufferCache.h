/**
 * @file
 * Metal's caches of buffers, which do not exist here. Only the type is declared.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVMETALBUFFERCACHE_H
#define CVMETALBUFFERCACHE_H

#include <CoreVideo/CVBase.h>

typedef struct CF_BRIDGED_TYPE(id) __CVMetalBufferCache *CVMetalBufferCacheRef;

#endif
