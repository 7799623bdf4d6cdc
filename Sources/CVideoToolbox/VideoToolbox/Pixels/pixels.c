#include "pixels.h"
#include "../../Support/property_list.h"

#include "../../CoreVideo/buffer.h"

CVReturn nalu_pixels_get(CVPixelBufferRef buffer, nalu_pixels *pixels) {
    if (!nalu_buffer_checked(buffer)) return kCVReturnInvalidArgument;
    if (!nalu_format_is_encodable(buffer->format->type)) return kCVReturnInvalidPixelFormat;
    if (buffer->width > NALU_MAX_DIMENSION || buffer->height > NALU_MAX_DIMENSION) return kCVReturnInvalidSize;
    *pixels = (nalu_pixels){
        .width = (int32_t)buffer->width,
        .height = (int32_t)buffer->height,
        .format = buffer->format->type,
        .plane_count = buffer->format->plane_count,
    };
    for (size_t i = 0; i < buffer->format->plane_count; i++) {
        const nalu_format_plane *plane = &buffer->format->planes[i];
        const size_t rows = nalu_format_plane_height(plane, buffer->height);
        pixels->planes[i] = buffer->planes[i].base;
        pixels->strides[i] = (int64_t)buffer->planes[i].stride;
        pixels->sizes[i] = (rows - 1) * buffer->planes[i].stride + nalu_format_row_bytes(plane, buffer->width);
    }
    return kCVReturnSuccess;
}

static void release_source(CVPixelBufferRef buffer) { nalu_pixel_buffer_release(buffer->owner); }

CVReturn nalu_pixels_wrap(CFAllocatorRef allocator, nalu_pixel_buffer *source, CFDictionaryRef attributes,
                          CVPixelBufferRef *buffer_out) {
    *buffer_out = NULL;
    const nalu_format *format = nalu_format_find(nalu_pixel_buffer_get_pixel_format(source));
    if (!format) return kCVReturnInvalidPixelFormat;
    CVPixelBufferRef buffer = nalu_buffer_create(allocator, format, (size_t)nalu_pixel_buffer_get_width(source),
                                                 (size_t)nalu_pixel_buffer_get_height(source));
    if (!buffer) return kCVReturnAllocationFailed;
    for (uint32_t i = 0; i < format->plane_count; i++)
        buffer->planes[i] = (nalu_buffer_plane){
            nalu_pixel_buffer_get_plane_base_address(source, i),
            (size_t)nalu_pixel_buffer_get_plane_stride(source, i),
            nalu_format_plane_width(&format->planes[i], buffer->width),
            nalu_format_plane_height(&format->planes[i], buffer->height),
        };
    if (attributes) buffer->attributes = nalu_dictionary_copy(NULL, attributes);
    buffer->owner = nalu_pixel_buffer_retain(source);
    buffer->release = release_source;
    *buffer_out = buffer;
    return kCVReturnSuccess;
}

CVReturn nalu_pixels_create_corner(CVPixelBufferRef whole, size_t width, size_t height, CVPixelBufferRef *corner_out) {
    CVPixelBufferRef corner = nalu_buffer_create(NULL, whole->format, width, height);
    *corner_out = corner;
    if (!corner) return kCVReturnAllocationFailed;
    corner->right = whole->width - width;
    corner->bottom = whole->height - height;
    for (size_t i = 0; i < whole->format->plane_count; i++)
        corner->planes[i] = (nalu_buffer_plane){
            whole->planes[i].base,
            whole->planes[i].stride,
            nalu_format_plane_width(&whole->format->planes[i], width),
            nalu_format_plane_height(&whole->format->planes[i], height),
        };
    return kCVReturnSuccess;
}

static void release_borrowed(void *buffer) { CFRelease(buffer); }

CVReturn nalu_pixels_borrow(CVPixelBufferRef buffer, nalu_pixel_buffer **borrowed_out) {
    nalu_pixels pixels;
    *borrowed_out = NULL;
    const CVReturn status = nalu_pixels_get(buffer, &pixels);
    if (status) return status;
    CFRetain(buffer);
    switch (nalu_pixel_buffer_create_with_planes(pixels.width, pixels.height, pixels.format, pixels.plane_count,
                                                 pixels.planes, pixels.strides, pixels.sizes, release_borrowed, buffer,
                                                 borrowed_out)) {
    case NALU_STATUS_OK: return kCVReturnSuccess;
    case NALU_STATUS_ALLOCATION_FAILED: CFRelease(buffer); return kCVReturnAllocationFailed;
    default: CFRelease(buffer); return kCVReturnInvalidArgument;
    }
}
