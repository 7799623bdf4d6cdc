/* What the sessions need of pixel buffers beyond CoreVideo's own functions. */
#ifndef NALU_VT_PIXELS_H
#define NALU_VT_PIXELS_H

#include "pixel_formats.h"

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

/* False for NULL and for another object. */
bool nalu_pixels_is_buffer(CFTypeRef object);

/* The planes of a buffer, which stay where they are while it lives; no lock is needed. kCVReturnInvalidArgument for
 * NULL and another object, kCVReturnInvalidPixelFormat for what libnalu does not read, kCVReturnInvalidSize beyond
 * NALU_MAX_DIMENSION. */
CVReturn nalu_pixels_get(CVPixelBufferRef buffer, nalu_pixels *pixels_out);

/* A pixel buffer over the memory of libnalu's, of which it holds a reference. attributes: NULL, or what
 * CVPixelBufferCopyCreationAttributes is to give in addition to size and format. */
CVReturn nalu_pixels_wrap(CFAllocatorRef allocator, nalu_pixel_buffer *source, CFDictionaryRef attributes,
                          CVPixelBufferRef *buffer_out);

/* The other way: libnalu's buffer over the memory of a pixel buffer, which it retains. */
CVReturn nalu_pixels_borrow(CVPixelBufferRef buffer, nalu_pixel_buffer **borrowed_out);

/* Attaches colours, so that they propagate, by the numbers of ITU-T H.273. What has no string is left out. */
void nalu_pixels_attach_colors(CVPixelBufferRef buffer, int primaries, int transfer, int matrix);

/* The image in the top left corner of another buffer, without a copy. Everything to its right and below it counts as
 * extended pixels. The size is at most that of the buffer, which is to live longer. */
CVReturn nalu_pixels_create_corner(CVPixelBufferRef whole, size_t width, size_t height, CVPixelBufferRef *corner_out);

#endif
