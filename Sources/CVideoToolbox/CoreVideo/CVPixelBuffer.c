#include "../Support/property_list.h"
#include "buffer.h"

#include <CoreVideo/CVPixelBufferIOSurface.h>
#include <stdlib.h>

CVPixelBufferRef CVPixelBufferRetain(CVPixelBufferRef texture) { return CVBufferRetain(texture); }

void CVPixelBufferRelease(CVPixelBufferRef texture) { CVBufferRelease(texture); }

/* ---- Making buffers ------------------------------------------------------------------------- */

/* Checks the arguments that all three creating functions have in common. */
static CVReturn check(size_t width, size_t height, OSType type, CFDictionaryRef dictionary, CVPixelBufferRef *out,
                      const nalu_format **format, nalu_pixel_attributes *attributes) {
    if (!out) return kCVReturnInvalidArgument;
    *out = NULL;
    if (width < 1 || height < 1) return kCVReturnInvalidArgument;
    *format = nalu_format_find(type);
    if (!*format) return kCVReturnInvalidPixelFormat;
    return nalu_pixel_attributes_read(dictionary, attributes);
}

/* The buffer and its attachments hold a copy of the dictionary, because the caller's may not retain its values. */
static CVPixelBufferRef create(CFAllocatorRef allocator, const nalu_format *format, size_t width, size_t height,
                               CFDictionaryRef dictionary) {
    nalu_pixel_attributes kept;
    CVPixelBufferRef buffer = nalu_buffer_create(allocator, format, width, height);
    if (!buffer) return NULL;
    if (dictionary) buffer->attributes = nalu_dictionary_copy(NULL, dictionary);
    if (!nalu_pixel_attributes_read(buffer->attributes, &kept)) nalu_buffer_attach(buffer, &kept);
    return buffer;
}

static void release_own(CVPixelBufferRef buffer) { free(buffer->owner); }

CVReturn CVPixelBufferCreate(CFAllocatorRef allocator, size_t width, size_t height, OSType pixelFormatType,
                             CFDictionaryRef pixelBufferAttributes, CVPixelBufferRef *pixelBufferOut) {
    const nalu_format *format = NULL;
    nalu_pixel_attributes attributes;
    nalu_buffer_shape shape;
    CVReturn status =
        check(width, height, pixelFormatType, pixelBufferAttributes, pixelBufferOut, &format, &attributes);
    if (!status) status = nalu_buffer_shape_make(format, width, height, &attributes, &shape);
    if (status) return status;
    void *memory = nalu_buffer_memory_create(&shape);
    if (!memory) return kCVReturnAllocationFailed;
    CVPixelBufferRef buffer = create(allocator, format, width, height, pixelBufferAttributes);
    if (!buffer) {
        free(memory);
        return kCVReturnAllocationFailed;
    }
    nalu_buffer_set_memory(buffer, &shape, memory);
    buffer->owner = memory;
    buffer->release = release_own;
    *pixelBufferOut = buffer;
    return kCVReturnSuccess;
}

static void release_bytes(CVPixelBufferRef buffer) {
    if (buffer->callback.bytes) buffer->callback.bytes(buffer->owner, buffer->data);
}

CVReturn CVPixelBufferCreateWithBytes(CFAllocatorRef allocator, size_t width, size_t height, OSType pixelFormatType,
                                      void *baseAddress, size_t bytesPerRow,
                                      CVPixelBufferReleaseBytesCallback releaseCallback, void *releaseRefCon,
                                      CFDictionaryRef pixelBufferAttributes, CVPixelBufferRef *pixelBufferOut) {
    const nalu_format *format = NULL;
    nalu_pixel_attributes attributes;
    size_t size = 0;
    const CVReturn status =
        check(width, height, pixelFormatType, pixelBufferAttributes, pixelBufferOut, &format, &attributes);
    if (status) return status;
    if (format->plane_count != 1) return kCVReturnInvalidPixelFormat;
    if (!baseAddress || width > INT32_MAX || bytesPerRow < nalu_format_row_bytes(&format->planes[0], width))
        return kCVReturnInvalidArgument;
    if (height > INT32_MAX || __builtin_mul_overflow(bytesPerRow, height, &size)) return kCVReturnInvalidSize;
    CVPixelBufferRef buffer = create(allocator, format, width, height, pixelBufferAttributes);
    if (!buffer) return kCVReturnAllocationFailed;
    buffer->planes[0] = (nalu_buffer_plane){baseAddress, bytesPerRow, width, height};
    buffer->data = baseAddress;
    buffer->size = size;
    buffer->owner = releaseRefCon;
    buffer->callback.bytes = releaseCallback;
    buffer->release = release_bytes;
    *pixelBufferOut = buffer;
    return kCVReturnSuccess;
}

static void release_planar(CVPixelBufferRef buffer) {
    const void *planes[NALU_FORMAT_PLANES];
    if (!buffer->callback.planar) return;
    for (size_t i = 0; i < NALU_FORMAT_PLANES; i++) planes[i] = buffer->planes[i].base;
    buffer->callback.planar(buffer->owner, buffer->data, buffer->size, buffer->format->plane_count, planes);
}

CVReturn CVPixelBufferCreateWithPlanarBytes(CFAllocatorRef allocator, size_t width, size_t height,
                                            OSType pixelFormatType, void *dataPtr, size_t dataSize,
                                            size_t numberOfPlanes, void *planeBaseAddress[], size_t planeWidth[],
                                            size_t planeHeight[], size_t planeBytesPerRow[],
                                            CVPixelBufferReleasePlanarBytesCallback releaseCallback,
                                            void *releaseRefCon, CFDictionaryRef pixelBufferAttributes,
                                            CVPixelBufferRef *pixelBufferOut) {
    const nalu_format *format = NULL;
    nalu_pixel_attributes attributes;
    const CVReturn status =
        check(width, height, pixelFormatType, pixelBufferAttributes, pixelBufferOut, &format, &attributes);
    if (status) return status;
    if (width > INT32_MAX || height > INT32_MAX) return kCVReturnInvalidSize;
    if (numberOfPlanes != format->plane_count || !planeBaseAddress || !planeWidth || !planeHeight || !planeBytesPerRow)
        return kCVReturnInvalidArgument;
    for (size_t i = 0; i < numberOfPlanes; i++) {
        const nalu_format_plane *plane = &format->planes[i];
        /* A plane with fewer rows than the format needs is refused, so that no row is read beyond its end. */
        if (!planeBaseAddress[i] || planeBytesPerRow[i] < nalu_format_row_bytes(plane, width) ||
            planeHeight[i] < nalu_format_plane_height(plane, height))
            return kCVReturnInvalidArgument;
    }
    CVPixelBufferRef buffer = create(allocator, format, width, height, pixelBufferAttributes);
    if (!buffer) return kCVReturnAllocationFailed;
    for (size_t i = 0; i < numberOfPlanes; i++)
        buffer->planes[i] =
            (nalu_buffer_plane){planeBaseAddress[i], planeBytesPerRow[i], planeWidth[i], planeHeight[i]};
    buffer->data = dataPtr;
    buffer->size = dataSize;
    buffer->owner = releaseRefCon;
    buffer->callback.planar = releaseCallback;
    buffer->release = release_planar;
    *pixelBufferOut = buffer;
    return kCVReturnSuccess;
}

/* ---- Properties of buffers ------------------------------------------------------------------ */

CVReturn CVPixelBufferLockBaseAddress(CVPixelBufferRef pixelBuffer, CVPixelBufferLockFlags lockFlags) {
    if (!nalu_buffer_checked(pixelBuffer) || (lockFlags & ~(CVOptionFlags)kCVPixelBufferLock_ReadOnly))
        return kCVReturnInvalidArgument;
    atomic_fetch_add(&pixelBuffer->locks[lockFlags & kCVPixelBufferLock_ReadOnly], 1);
    return kCVReturnSuccess;
}

CVReturn CVPixelBufferUnlockBaseAddress(CVPixelBufferRef pixelBuffer, CVPixelBufferLockFlags unlockFlags) {
    if (!nalu_buffer_checked(pixelBuffer) || (unlockFlags & ~(CVOptionFlags)kCVPixelBufferLock_ReadOnly))
        return kCVReturnInvalidArgument;
    const bool is_read_only = unlockFlags & kCVPixelBufferLock_ReadOnly;
    int locks = atomic_load(&pixelBuffer->locks[is_read_only]);
    do
        if (locks < 1) return atomic_load(&pixelBuffer->locks[!is_read_only]) ? kCVReturnInvalidArgument : kCVReturnError;
    while (!atomic_compare_exchange_weak(&pixelBuffer->locks[is_read_only], &locks, locks - 1));
    return kCVReturnSuccess;
}

size_t CVPixelBufferGetWidth(CVPixelBufferRef pixelBuffer) {
    return nalu_buffer_checked(pixelBuffer) ? pixelBuffer->width : 0;
}

size_t CVPixelBufferGetHeight(CVPixelBufferRef pixelBuffer) {
    return nalu_buffer_checked(pixelBuffer) ? pixelBuffer->height : 0;
}

OSType CVPixelBufferGetPixelFormatType(CVPixelBufferRef pixelBuffer) {
    return nalu_buffer_checked(pixelBuffer) ? pixelBuffer->format->type : 0;
}

Boolean CVPixelBufferIsPlanar(CVPixelBufferRef pixelBuffer) {
    return nalu_buffer_checked(pixelBuffer) && pixelBuffer->format->plane_count > 1;
}

size_t CVPixelBufferGetPlaneCount(CVPixelBufferRef pixelBuffer) {
    return CVPixelBufferIsPlanar(pixelBuffer) ? pixelBuffer->format->plane_count : 0;
}

void *CVPixelBufferGetBaseAddress(CVPixelBufferRef pixelBuffer) {
    if (!nalu_buffer_checked(pixelBuffer)) return NULL;
    return pixelBuffer->format->plane_count > 1 ? pixelBuffer->data : pixelBuffer->planes[0].base;
}

size_t CVPixelBufferGetDataSize(CVPixelBufferRef pixelBuffer) {
    size_t size = 0;
    if (!nalu_buffer_checked(pixelBuffer)) return 0;
    if (pixelBuffer->size) return pixelBuffer->size;
    for (size_t i = 0; i < pixelBuffer->format->plane_count; i++)
        size += pixelBuffer->planes[i].stride * pixelBuffer->planes[i].height;
    return size;
}

size_t CVPixelBufferGetBytesPerRow(CVPixelBufferRef pixelBuffer) {
    if (!nalu_buffer_checked(pixelBuffer)) return 0;
    if (pixelBuffer->format->plane_count == 1) return pixelBuffer->planes[0].stride;
    return (CVPixelBufferGetDataSize(pixelBuffer) + pixelBuffer->height - 1) / pixelBuffer->height;
}

static const nalu_buffer_plane *plane_at(CVPixelBufferRef buffer, size_t index) {
    static const nalu_buffer_plane none;
    if (!nalu_buffer_checked(buffer) || index >= buffer->format->plane_count) return &none;
    return &buffer->planes[index];
}

size_t CVPixelBufferGetWidthOfPlane(CVPixelBufferRef pixelBuffer, size_t planeIndex) {
    return plane_at(pixelBuffer, planeIndex)->width;
}

size_t CVPixelBufferGetHeightOfPlane(CVPixelBufferRef pixelBuffer, size_t planeIndex) {
    return plane_at(pixelBuffer, planeIndex)->height;
}

void *CVPixelBufferGetBaseAddressOfPlane(CVPixelBufferRef pixelBuffer, size_t planeIndex) {
    return plane_at(pixelBuffer, planeIndex)->base;
}

size_t CVPixelBufferGetBytesPerRowOfPlane(CVPixelBufferRef pixelBuffer, size_t planeIndex) {
    return plane_at(pixelBuffer, planeIndex)->stride;
}

CFDictionaryRef CVPixelBufferCopyCreationAttributes(CVPixelBufferRef pixelBuffer) {
    if (!nalu_buffer_checked(pixelBuffer)) return NULL;
    if (pixelBuffer->attributes_complete) return (CFDictionaryRef)CFRetain(pixelBuffer->attributes);
    return nalu_pixel_attributes_complete(NULL, pixelBuffer->attributes, pixelBuffer->width, pixelBuffer->height,
                                          pixelBuffer->format->type);
}

/* ---- Surfaces, of which there are none ---- */

IOSurfaceRef CVPixelBufferGetIOSurface(CVPixelBufferRef pixelBuffer) {
    (void)pixelBuffer;
    return NULL;
}

CVReturn CVPixelBufferCreateWithIOSurface(CFAllocatorRef allocator, IOSurfaceRef surface,
                                          CFDictionaryRef pixelBufferAttributes, CVPixelBufferRef *pixelBufferOut) {
    (void)allocator, (void)pixelBufferAttributes;
    if (!pixelBufferOut) return kCVReturnInvalidArgument;
    *pixelBufferOut = NULL;
    return surface ? kCVReturnUnsupported : kCVReturnInvalidArgument;
}
