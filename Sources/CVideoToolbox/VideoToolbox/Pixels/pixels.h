/* The functions for pixel buffers that sessions need in addition to CoreVideo's. */
#ifndef NALU_VT_PIXELS_H
#define NALU_VT_PIXELS_H

#include "../../Support/pixel_formats.h"

#include <nalu/pixel_buffer.h>

/* The arguments of nalu_compression_session_encode_planes and nalu_pixel_buffer_create_with_planes. */
typedef struct nalu_pixels {
    int32_t width;
    int32_t height;
    nalu_pixel_format format;
    uint32_t plane_count;
    const void *planes[NALU_MAX_PLANES];
    int64_t strides[NALU_MAX_PLANES];
    uint64_t sizes[NALU_MAX_PLANES];
} nalu_pixels;

/* Reads the planes of a buffer, which keep their addresses as long as the buffer lives, without a lock. Returns
 * kCVReturnInvalidArgument for NULL and for other types, kCVReturnInvalidPixelFormat if libnalu cannot read the format,
 * and kCVReturnInvalidSize beyond NALU_MAX_DIMENSION. */
CVReturn nalu_pixels_get(CVPixelBufferRef buffer, nalu_pixels *pixels_out);

/* Creates a pixel buffer over the memory of libnalu's buffer `source`, which it retains. `attributes` may be NULL.
 * CVPixelBufferCopyCreationAttributes adds size and format to them. */
CVReturn nalu_pixels_wrap(CFAllocatorRef allocator, nalu_pixel_buffer *source, CFDictionaryRef attributes,
                          CVPixelBufferRef *buffer_out);

/* The reverse of nalu_pixels_wrap: creates a libnalu buffer over the memory of a pixel buffer, which it retains. */
CVReturn nalu_pixels_borrow(CVPixelBufferRef buffer, nalu_pixel_buffer **borrowed_out);

/* Creates a buffer for the top left corner of another buffer, without a copy. The pixels to its right and below it
 * count as extended pixels. The size is at most that of `whole`, which must live longer than the result. */
CVReturn nalu_pixels_create_corner(CVPixelBufferRef whole, size_t width, size_t height, CVPixelBufferRef *corner_out);

#endif
