#include "buffer.h"

#include <arpa/inet.h>
#include <stdlib.h>

/* LARGEST_DIMENSION is in pixels. DESCRIPTION is the number of bytes before the planes for their description
 * (CVPlanarPixelBufferInfo). */
enum { LARGEST_DIMENSION = 1 << 20, DESCRIPTION = 64 };

static size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

CVReturn nalu_buffer_shape_make(const nalu_format *format, size_t width, size_t height,
                                const nalu_pixel_attributes *attributes, nalu_buffer_shape *shape) {
    if (width > LARGEST_DIMENSION || height > LARGEST_DIMENSION) return kCVReturnInvalidSize;
    size_t columns = 1, rows = 1, row_alignment = attributes->row_alignment;
    for (size_t i = 0; i < format->plane_count; i++) {
        const nalu_format_plane *plane = &format->planes[i];
        const size_t group = (size_t)plane->block_width * plane->horizontal;
        if (group > columns) columns = group;
        if (plane->vertical > rows) rows = plane->vertical;
    }
    /* A row of 'v210' ends with a whole group of 48 pixels, which is 128 bytes. */
    if (format->type == kCVPixelFormatType_422YpCbCr10) row_alignment = round_up(row_alignment, 128);
    /* The left and top extensions are rounded up so that the image begins with a whole block in every plane. */
    *shape = (nalu_buffer_shape){
        .format = format,
        .width = width,
        .height = height,
        .left = round_up(attributes->left, columns),
        .right = attributes->right,
        .top = round_up(attributes->top, rows),
        .bottom = attributes->bottom,
        .alignment = attributes->plane_alignment,
        .size = format->plane_count > 1 ? DESCRIPTION : 0,
    };
    for (size_t i = 0; i < format->plane_count; i++) {
        const nalu_format_plane *plane = &format->planes[i];
        const size_t row = nalu_format_row_bytes(plane, shape->left + width + shape->right);
        shape->strides[i] = round_up(row, row_alignment);
        shape->offsets[i] = round_up(shape->size, shape->alignment);
        const size_t plane_rows = nalu_format_plane_height(plane, shape->top + height + shape->bottom);
        shape->size = shape->offsets[i] + shape->strides[i] * plane_rows;
    }
    return kCVReturnSuccess;
}

void *nalu_buffer_memory_create(const nalu_buffer_shape *shape) {
    void *memory = NULL;
    if (posix_memalign(&memory, shape->alignment, shape->size)) return NULL;
    if (shape->format->plane_count > 1) {
        CVPlanarComponentInfo *description = memory;
        for (size_t i = 0; i < shape->format->plane_count; i++) {
            description[i].offset = (int32_t)htonl((uint32_t)shape->offsets[i]);
            description[i].rowBytes = htonl((uint32_t)shape->strides[i]);
        }
    }
    return memory;
}

void nalu_buffer_set_memory(CVPixelBufferRef buffer, const nalu_buffer_shape *shape, void *memory) {
    buffer->left = shape->left;
    buffer->right = shape->right;
    buffer->top = shape->top;
    buffer->bottom = shape->bottom;
    buffer->data = memory;
    buffer->size = shape->size;
    for (size_t i = 0; i < shape->format->plane_count; i++) {
        const nalu_format_plane *plane = &shape->format->planes[i];
        buffer->planes[i] = (nalu_buffer_plane){
            (uint8_t *)memory + shape->offsets[i] +
                shape->strides[i] * nalu_format_plane_height(plane, shape->top) +
                nalu_format_row_bytes(plane, shape->left),
            shape->strides[i],
            nalu_format_plane_width(plane, shape->width),
            nalu_format_plane_height(plane, shape->height),
        };
    }
}

void CVPixelBufferGetExtendedPixels(CVPixelBufferRef pixelBuffer, size_t *extraColumnsOnLeft,
                                    size_t *extraColumnsOnRight, size_t *extraRowsOnTop, size_t *extraRowsOnBottom) {
    CVPixelBufferRef buffer = nalu_buffer_checked(pixelBuffer);
    if (extraColumnsOnLeft) *extraColumnsOnLeft = buffer ? buffer->left : 0;
    if (extraColumnsOnRight) *extraColumnsOnRight = buffer ? buffer->right : 0;
    if (extraRowsOnTop) *extraRowsOnTop = buffer ? buffer->top : 0;
    if (extraRowsOnBottom) *extraRowsOnBottom = buffer ? buffer->bottom : 0;
}

/* Repeats the first and last block of each row, then the first and last row including their repeated blocks. */
static void fill_plane(CVPixelBufferRef buffer, const nalu_format_plane *plane, const nalu_buffer_plane *image) {
    const size_t block = plane->block_bytes;
    const size_t left = nalu_format_row_bytes(plane, buffer->left), row = nalu_format_row_bytes(plane, buffer->width);
    const size_t all = nalu_format_row_bytes(plane, buffer->left + buffer->width + buffer->right);
    const size_t top = nalu_format_plane_height(plane, buffer->top);
    const size_t rows = nalu_format_plane_height(plane, buffer->top + buffer->height + buffer->bottom);
    const size_t last = nalu_format_plane_height(plane, buffer->height) - 1;
    for (size_t y = 0; y <= last; y++) {
        uint8_t *first = image->base + y * image->stride;
        for (size_t x = 0; x < left; x += block) memcpy(first - left + x, first, block);
        for (size_t x = row; x < all - left; x += block) memcpy(first + x, first + row - block, block);
    }
    uint8_t *first = image->base - left;
    for (size_t y = 1; y <= top; y++) memcpy(first - y * image->stride, first, all);
    for (size_t y = last + 1; y < rows - top; y++)
        memcpy(first + y * image->stride, first + last * image->stride, all);
}

CVReturn CVPixelBufferFillExtendedPixels(CVPixelBufferRef pixelBuffer) {
    CVPixelBufferRef buffer = nalu_buffer_checked(pixelBuffer);
    if (!buffer) return kCVReturnInvalidArgument;
    for (size_t i = 0; i < buffer->format->plane_count; i++)
        if (buffer->format->planes[i].block_width > buffer->format->planes[i].block_bytes ||
            buffer->format->planes[i].block_width > 2)
            return kCVReturnUnsupported;
    for (size_t i = 0; i < buffer->format->plane_count; i++)
        fill_plane(buffer, &buffer->format->planes[i], &buffer->planes[i]);
    return kCVReturnSuccess;
}
