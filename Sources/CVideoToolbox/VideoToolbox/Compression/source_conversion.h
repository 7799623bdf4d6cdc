/* The conversion of frames whose pixel format libnalu does not read, to one that it reads. Libnalu itself converts the
 * result further, to the size and the format of the encoder. */
#ifndef NALU_VT_SOURCE_CONVERSION_H
#define NALU_VT_SOURCE_CONVERSION_H

#include "../../Support/pixel_formats.h"

#include <CoreVideo/CVPixelBufferPool.h>
#include <VideoToolbox/VTPixelTransferSession.h>
#include <pthread.h>

typedef struct nalu_source_conversion {
    pthread_mutex_t lock; /* held during a conversion, but not while a frame is encoded */
    VTPixelTransferSessionRef transfer;
    CVPixelBufferPoolRef pool; /* recycles the memory of converted frames */
    OSType format;             /* the pixel format of the pool's buffers, as `width` and `height` are their size */
    size_t width;
    size_t height;
} nalu_source_conversion;

/* `conversion` must be zeros before. */
void nalu_source_conversion_init(nalu_source_conversion *conversion);
void nalu_source_conversion_destroy(nalu_source_conversion *conversion);

/* Returns true if frames of a format can be encoded, as they are or converted. */
bool nalu_source_is_accepted(OSType format);

/* Returns a buffer with the frame that libnalu reads, with one reference: the frame itself, or a converted one of the same
 * size. Frames in RGB are converted with `matrix`, kCVImageBufferYCbCrMatrix_...; NULL is the usual one of the size.
 * Returns kVTPixelTransferNotSupportedErr for a format without colour components. */
OSStatus nalu_source_convert(nalu_source_conversion *conversion, CVPixelBufferRef frame, CFTypeRef matrix,
    CVPixelBufferRef *converted_out);

#endif
