/* The pixel buffers that a decompression session delivers, in the format and size that the client requested. The
 * stream's colours are attached. */
#ifndef NALU_VT_DECODED_IMAGES_H
#define NALU_VT_DECODED_IMAGES_H

#include <CoreMedia/CMFormatDescription.h>
#include <CoreVideo/CVPixelBufferPool.h>
#include <VideoToolbox/VTPixelTransferSession.h>
#include <nalu/pixel_buffer.h>
#include <pthread.h>
#include <stdbool.h>

enum { NALU_DECODED_FORMATS = 32 };

typedef struct nalu_decoded_images {
    CFDictionaryRef attributes; /* a copy of the client's, or NULL */
    OSType formats[NALU_DECODED_FORMATS];
    size_t format_count; /* 0: the decoder's format in two planes, without loss */
    size_t width;        /* 0: that of the stream; the same for `height` */
    size_t height;
    VTPixelTransferSessionRef transfer;
    /* Protects the members that the client may read while frames are decoded. */
    pthread_mutex_t lock;
    CVPixelBufferPoolRef pool;
    OSType pool_format;
    size_t pool_width;
    size_t pool_height;
    int32_t minimum_count; /* of buffers in the pool; 0 for the default */
    /* The attachments for the last format description. Only the callback's thread uses them. */
    CMFormatDescriptionRef description;
    CFDictionaryRef attachments;
} nalu_decoded_images;

/* Reads the attributes. Returns kVTParameterErr for values of a wrong type, and kVTPixelTransferNotSupportedErr if
 * pictures can be converted to none of the pixel formats in them. `images` must be destroyed even if the call fails. */
OSStatus nalu_decoded_images_init(nalu_decoded_images *images, CFDictionaryRef attributes);
void nalu_decoded_images_destroy(nalu_decoded_images *images);

/* Sets properties of the session that converts images of `description`. Returns kVTPixelTransferNotSupportedErr for other
 * colour primaries or another transfer function than those of the description. */
OSStatus nalu_decoded_images_set_transfer(nalu_decoded_images *images, CMFormatDescriptionRef description,
    CFDictionaryRef properties);

/* Returns the pixel format that is delivered for pictures of the decoder's format `native`. */
OSType nalu_decoded_images_format(const nalu_decoded_images *images, OSType native);

/* Creates the pixel buffer for a picture, with one reference. `modifiable_out` becomes true if nothing else reads its
 * memory. */
OSStatus nalu_decoded_images_make(nalu_decoded_images *images, nalu_pixel_buffer *picture,
    CMFormatDescriptionRef description, CVPixelBufferRef *buffer_out, bool *modifiable_out);

/* Returns the pool for pictures of this native format and size, with one reference. */
OSStatus nalu_decoded_images_copy_pool(nalu_decoded_images *images, OSType native, size_t width, size_t height,
    CVPixelBufferPoolRef *pool_out);

/* Creates a black image of the same format and size. */
OSStatus nalu_decoded_images_copy_black(nalu_decoded_images *images, OSType native, size_t width, size_t height,
    CVPixelBufferRef *buffer_out);

#endif
