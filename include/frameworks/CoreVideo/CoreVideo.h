/**
 * @file
 * Pixel buffers and their pools.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef COREVIDEO_H
#define COREVIDEO_H

#include <CoreVideo/CVBase.h>
#include <CoreVideo/CVBuffer.h>
#include <CoreVideo/CVDisplayLink.h>
#include <CoreVideo/CVHostTime.h>
#include <CoreVideo/CVImageBuffer.h>
#include <CoreVideo/CVMetalBuffer.h>
#include <CoreVideo/CVMetalBufferCache.h>
#include <CoreVideo/CVMetalTexture.h>
#include <CoreVideo/CVMetalTextureCache.h>
#include <CoreVideo/CVOpenGLBuffer.h>
#include <CoreVideo/CVOpenGLBufferPool.h>
#include <CoreVideo/CVOpenGLTexture.h>
#include <CoreVideo/CVOpenGLTextureCache.h>
#include <CoreVideo/CVPixelBuffer.h>
#include <CoreVideo/CVPixelBufferIOSurface.h>
#include <CoreVideo/CVPixelBufferPool.h>
#include <CoreVideo/CVPixelFormatDescription.h>
#include <CoreVideo/CVReturn.h>

#endif
