/* The pixel buffers that a decompression session gives: of the format and size that the client wants, with the stream's
 * colours attached. */
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
    CFDictionaryRef attributes; /* the client's, or NULL */
    OSType formats[NALU_DECODED_FORMATS];
    size_t format_count; /* 0: what loses nothing */
    size_t width;        /* 0: the stream's, as in the next */
    size_t height;
    VTPixelTransferSessionRef transfer;
    /* For what the client may ask for while frames come. */
    pthread_mutex_t lock;
    CVPixelBufferPoolRef pool;
    OSType pool_format;
    size_t pool_width;
    size_t pool_height;
    int32_t minimum_count; /* of the pool's buffers; 0 for the default */
    /* The attachments that follow from the last format description; only for the callback's thread. */
    CMFormatDescriptionRef description;
    CFDictionaryRef attachments;
} nalu_decoded_images;

/* kVTParameterErr for attributes with values of wrong types; kVTPixelTransferNotSupportedErr where no format that they name
 * is known. To be destroyed in any case. */
OSStatus nalu_decoded_images_init(nalu_decoded_images *images, CFDictionaryRef attributes);
void nalu_decoded_images_destroy(nalu_decoded_images *images);

/* Sets properties of the session that converts. */
OSStatus nalu_decoded_images_set_transfer(nalu_decoded_images *images, CFDictionaryRef properties);

/* The pixel format for pictures of a native one. */
OSType nalu_decoded_images_format(const nalu_decoded_images *images, OSType native);

/* The pixel buffer for a picture, with one reference. modifiable_out: whether nobody else reads its memory. */
OSStatus nalu_decoded_images_make(nalu_decoded_images *images, nalu_pixel_buffer *picture,
    CMFormatDescriptionRef description, CVPixelBufferRef *buffer_out, bool *modifiable_out);

/* The pool for pictures of this native format and size, with one reference. */
OSStatus nalu_decoded_images_copy_pool(nalu_decoded_images *images, OSType native, size_t width, size_t height,
    CVPixelBufferPoolRef *pool_out);

/* A black image of the same kind. */
OSStatus nalu_decoded_images_copy_black(nalu_decoded_images *images, OSType native, size_t width, size_t height,
    CVPixelBufferRef *buffer_out);

#endif
