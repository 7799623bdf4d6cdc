/* The struct of a CVBuffer. Pixel buffers are the only kind. */
#ifndef NALU_VT_BUFFER_H
#define NALU_VT_BUFFER_H

#include "../Support/attachments.h"
#include "../Support/object.h"
#include "../Support/pixel_attributes.h"

#include <CoreVideo/CVPixelBuffer.h>

typedef struct nalu_buffer_plane {
    uint8_t *base; /* the image's first sample; the extended pixels lie before it */
    size_t stride;
    size_t width; /* in samples, without extended pixels */
    size_t height;
} nalu_buffer_plane;

/* The layout of an image's planes in one block of memory. All offsets and strides are in bytes. */
typedef struct nalu_buffer_shape {
    const nalu_format *format;
    size_t width;
    size_t height;
    size_t left, right, top, bottom;
    size_t alignment;
    size_t size;
    size_t offsets[NALU_FORMAT_PLANES]; /* of each plane's first byte, including extended pixels */
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
    CFDictionaryRef attributes; /* if `attributes_complete`, completed with size and format; may be NULL */
    bool attributes_complete;
    atomic_int locks[2]; /* [0]: locks for reading and writing; [1]: read-only locks */
    /* Frees the memory, or notifies its owner that the buffer no longer needs it. */
    void (*release)(CVPixelBufferRef buffer);
    void *owner;
    union {
        CVPixelBufferReleaseBytesCallback bytes;
        CVPixelBufferReleasePlanarBytesCallback planar;
    } callback;
};

/* Returns `object` as a pixel buffer, or NULL if it is NULL or of another type. */
CVPixelBufferRef nalu_buffer_checked(CFTypeRef object);

/* Computes the layout. Returns kCVReturnSuccess, or kCVReturnInvalidSize. */
CVReturn nalu_buffer_shape_make(const nalu_format *format, size_t width, size_t height,
                                const nalu_pixel_attributes *attributes, nalu_buffer_shape *shape_out);

/* Allocates memory for a layout, and writes the description of the planes if there are several. Returns NULL if memory
 * is short. */
void *nalu_buffer_memory_create(const nalu_buffer_shape *shape);

/* Creates a buffer without planes, owner and release function. Returns NULL if memory is short. */
CVPixelBufferRef nalu_buffer_create(CFAllocatorRef allocator, const nalu_format *format, size_t width, size_t height);

/* Points the buffer's planes into a block that has the given layout. */
void nalu_buffer_set_memory(CVPixelBufferRef buffer, const nalu_buffer_shape *shape, void *memory);

/* Attaches the attachments that the attributes contain. */
void nalu_buffer_attach(CVPixelBufferRef buffer, const nalu_pixel_attributes *attributes);

#endif
