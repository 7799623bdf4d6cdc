/* The struct of a CVBuffer, of which pixel buffers are the only kind. */
#ifndef NALU_VT_BUFFER_H
#define NALU_VT_BUFFER_H

#include "../Support/attachments.h"
#include "../Support/object.h"
#include "../Support/pixel_attributes.h"

#include <CoreVideo/CVPixelBuffer.h>

typedef struct nalu_buffer_plane {
    uint8_t *base; /* the image's first sample, after extended pixels */
    size_t stride;
    size_t width; /* without extended pixels */
    size_t height;
} nalu_buffer_plane;

/* Where the planes of an image lie in one block of memory. */
typedef struct nalu_buffer_shape {
    const nalu_format *format;
    size_t width;
    size_t height;
    size_t left, right, top, bottom;
    size_t alignment;
    size_t size;
    size_t offsets[NALU_FORMAT_PLANES]; /* of the first byte, with extended pixels */
    size_t strides[NALU_FORMAT_PLANES];
} nalu_buffer_shape;

struct __CVBuffer {
    CFRuntimeBase base;
    nalu_attachments attachments;
    const nalu_format *format;
    size_t width;
    size_t height;
    size_t left, right, top, bottom;
    nalu_buffer_plane planes[NALU_FORMAT_PLANES];
    void *data;
    size_t size;
    CFDictionaryRef attributes; /* complete if `attributes_complete`, else the caller's; may be NULL */
    bool attributes_complete;
    atomic_int locks[2]; /* for writing, for reading alone */
    /* Ends the memory. */
    void (*release)(CVPixelBufferRef buffer);
    void *owner;
    union {
        CVPixelBufferReleaseBytesCallback bytes;
        CVPixelBufferReleasePlanarBytesCallback planar;
    } callback;
};

/* NULL for NULL and for another object. */
CVPixelBufferRef nalu_buffer_checked(CFTypeRef object);

/* kCVReturnInvalidSize, or kCVReturnSuccess. */
CVReturn nalu_buffer_shape_make(const nalu_format *format, size_t width, size_t height,
                                const nalu_pixel_attributes *attributes, nalu_buffer_shape *shape_out);

/* A block for a shape, with the description of its planes where they are several; NULL without memory. */
void *nalu_buffer_memory_create(const nalu_buffer_shape *shape);

/* A buffer without planes, owner or release; NULL without memory. */
CVPixelBufferRef nalu_buffer_create(CFAllocatorRef allocator, const nalu_format *format, size_t width, size_t height);

/* Lays a shape's planes over a block. */
void nalu_buffer_set_memory(CVPixelBufferRef buffer, const nalu_buffer_shape *shape, void *memory);

/* Attaches what the attributes name. */
void nalu_buffer_attach(CVPixelBufferRef buffer, const nalu_pixel_attributes *attributes);

#endif
