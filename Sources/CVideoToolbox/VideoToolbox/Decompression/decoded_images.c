#include "decoded_images.h"
#include "../../Support/property_list.h"

#include "../../Support/format.h"
#include "../../Support/pixel_attributes.h"
#include "../../Support/value.h"
#include "../Pixels/pixel_components.h"
#include "../Pixels/pixel_session.h"
#include "../Pixels/pixels.h"

#include <VideoToolbox/VTErrors.h>
#include <VideoToolbox/VTSession.h>
#include <string.h>

/* ---- Attributes that the client wants ---------------------------------------------------------------------------- */

static bool add_format(nalu_decoded_images *images, CFTypeRef value) {
    int64_t number = 0;
    nalu_components components;
    if (!value || CFGetTypeID(value) != CFNumberGetTypeID()) return false;
    CFNumberGetValue(value, kCFNumberSInt64Type, &number);
    /* No picture can be converted to a format without colour components. */
    const nalu_format *format = nalu_format_find((OSType)number);
    if (images->format_count < NALU_DECODED_FORMATS && format && nalu_components_of(format, &components))
        images->formats[images->format_count++] = (OSType)number;
    return true;
}

static bool add_formats(nalu_decoded_images *images, CFTypeRef value) {
    if (CFGetTypeID(value) != CFArrayGetTypeID()) return add_format(images, value);
    for (CFIndex i = 0; i < CFArrayGetCount(value); i++)
        if (!add_format(images, CFArrayGetValueAtIndex(value, i))) return false;
    return true;
}

OSStatus nalu_decoded_images_init(nalu_decoded_images *images, CFDictionaryRef attributes) {
    memset(images, 0, sizeof *images);
    pthread_mutex_init(&images->lock, NULL);
    if (!attributes) return noErr;
    if (CFGetTypeID(attributes) != CFDictionaryGetTypeID()) return kVTParameterErr;
    nalu_pixel_attributes read;
    if (nalu_pixel_attributes_read(attributes, &read) != kCVReturnSuccess) return kVTParameterErr;
    images->width = read.width;
    images->height = read.height;
    /* The client's dictionary may not retain its values. */
    images->attributes = nalu_dictionary_copy(NULL, attributes);
    if (!images->attributes) return kVTAllocationFailedErr;
    CFTypeRef formats = CFDictionaryGetValue(attributes, kCVPixelBufferPixelFormatTypeKey);
    if (!formats) return noErr;
    if (!add_formats(images, formats)) return kVTParameterErr;
    return images->format_count ? noErr : kVTPixelTransferNotSupportedErr;
}

void nalu_decoded_images_destroy(nalu_decoded_images *images) {
    if (images->transfer) {
        VTPixelTransferSessionInvalidate(images->transfer);
        CFRelease(images->transfer);
    }
    CVPixelBufferPoolRelease(images->pool);
    if (images->attributes) CFRelease(images->attributes);
    if (images->description) CFRelease(images->description);
    if (images->attachments) CFRelease(images->attachments);
    pthread_mutex_destroy(&images->lock);
}

/* Returns the format with the same samples in two planes. */
static OSType two_planes(OSType native) {
    if (native == NALU_PIXEL_FORMAT_Y420) return kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange;
    if (native == NALU_PIXEL_FORMAT_F420) return kCVPixelFormatType_420YpCbCr8BiPlanarFullRange;
    return native;
}

OSType nalu_decoded_images_format(const nalu_decoded_images *images, OSType native) {
    if (!images->format_count) return two_planes(native);
    for (size_t i = 0; i < images->format_count; i++)
        if (two_planes(images->formats[i]) == two_planes(native)) return images->formats[i];
    return images->formats[0];
}

/* ---- The pool --------------------------------------------------------------------------------------------------------- */

static OSStatus make_pool(nalu_decoded_images *images, OSType format, size_t width, size_t height) {
    CFDictionaryRef attributes = nalu_pixel_attributes_complete(NULL, images->attributes, width, height, format);
    CFMutableDictionaryRef limits = nalu_dictionary_create(NULL);
    CVPixelBufferPoolRef made = NULL;
    CVReturn status = kCVReturnAllocationFailed;
    if (attributes && limits) {
        if (images->minimum_count > 0)
            nalu_dictionary_take(limits, kCVPixelBufferPoolMinimumBufferCountKey, nalu_integer(images->minimum_count));
        status = CVPixelBufferPoolCreate(NULL, limits, attributes, &made);
    }
    if (attributes) CFRelease(attributes);
    if (limits) CFRelease(limits);
    if (status == kCVReturnAllocationFailed || status == kCVReturnPoolAllocationFailed) return kVTAllocationFailedErr;
    if (status != kCVReturnSuccess) return kVTParameterErr;
    CVPixelBufferPoolRelease(images->pool);
    images->pool = made;
    images->pool_format = format;
    images->pool_width = width;
    images->pool_height = height;
    return noErr;
}

OSStatus nalu_decoded_images_copy_pool(nalu_decoded_images *images, OSType native, size_t width, size_t height,
    CVPixelBufferPoolRef *pool_out) {
    const OSType format = nalu_decoded_images_format(images, native);
    if (images->width) width = images->width;
    if (images->height) height = images->height;
    OSStatus status = noErr;
    pthread_mutex_lock(&images->lock);
    if (!images->pool || images->pool_format != format || images->pool_width != width || images->pool_height != height)
        status = make_pool(images, format, width, height);
    if (status == noErr) *pool_out = CVPixelBufferPoolRetain(images->pool);
    pthread_mutex_unlock(&images->lock);
    return status;
}

/* Attaches the rectangle of an image in a larger buffer. The offsets are those between the two centres. */
static void attach_clean_aperture(CVPixelBufferRef buffer, size_t width, size_t height) {
    const struct {
        CFStringRef key;
        double value;
    } pairs[] = {
        {kCVImageBufferCleanApertureWidthKey, (double)width},
        {kCVImageBufferCleanApertureHeightKey, (double)height},
        {kCVImageBufferCleanApertureHorizontalOffsetKey, ((double)width - (double)CVPixelBufferGetWidth(buffer)) / 2},
        {kCVImageBufferCleanApertureVerticalOffsetKey, ((double)height - (double)CVPixelBufferGetHeight(buffer)) / 2},
    };
    CFMutableDictionaryRef aperture = nalu_dictionary_create(NULL);
    if (!aperture) return;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        nalu_dictionary_take(aperture, pairs[i].key, nalu_number(pairs[i].value));
    CVBufferSetAttachment(buffer, kCVImageBufferCleanApertureKey, aperture, kCVAttachmentMode_ShouldPropagate);
    CFRelease(aperture);
}

/* Converts without scaling into the top left corner of a larger buffer. */
static OSStatus transfer_unscaled(VTPixelTransferSessionRef session, CVPixelBufferRef source, CVPixelBufferRef whole) {
    const size_t width = CVPixelBufferGetWidth(source), height = CVPixelBufferGetHeight(source);
    CVPixelBufferRef corner = NULL;
    if (nalu_pixels_create_corner(whole, width, height, &corner) != kCVReturnSuccess) return kVTAllocationFailedErr;
    OSStatus status = VTPixelTransferSessionTransferImage(session, source, corner);
    if (status == noErr && CVPixelBufferFillExtendedPixels(corner) != kCVReturnSuccess)
        status = kVTPixelTransferNotSupportedErr;
    CVBufferPropagateAttachments(corner, whole);
    CVPixelBufferRelease(corner);
    if (status == noErr) attach_clean_aperture(whole, width, height);
    return status;
}

/* Returns true if the client requested the coded size, which exceeds the image by less than a block. */
static bool is_padded(const nalu_decoded_images *images, CMFormatDescriptionRef description, CVPixelBufferRef picture) {
    nalu_sequence_info info = {.struct_size = sizeof info};
    const size_t width = CVPixelBufferGetWidth(picture), height = CVPixelBufferGetHeight(picture);
    const size_t wide = images->width ? images->width : width, high = images->height ? images->height : height;
    if (wide < width || high < height || (wide == width && high == height)) return false;
    nalu_format_description *format = nalu_format_of(description);
    if (!format || nalu_format_description_get_sequence_info(format, &info) != NALU_STATUS_OK) return false;
    return wide <= (size_t)info.coded_width && high <= (size_t)info.coded_height;
}

/* Converts into a buffer of the pool. */
static OSStatus transfer(nalu_decoded_images *images, VTPixelTransferSessionRef session, OSType native, size_t width,
    size_t height, CVPixelBufferRef source, bool pads, CVPixelBufferRef *buffer_out) {
    CVPixelBufferPoolRef pool = NULL;
    CVPixelBufferRef made = NULL;
    OSStatus status = nalu_decoded_images_copy_pool(images, native, width, height, &pool);
    if (status != noErr) return status;
    if (CVPixelBufferPoolCreatePixelBuffer(NULL, pool, &made) != kCVReturnSuccess) status = kVTAllocationFailedErr;
    CVPixelBufferPoolRelease(pool);
    if (status == noErr) {
        status = pads ? transfer_unscaled(session, source, made) : kVTPixelTransferNotSupportedErr;
        /* Formats whose pixels come in groups cannot be repeated at an edge, so these are scaled instead. */
        if (status == kVTPixelTransferNotSupportedErr) status = VTPixelTransferSessionTransferImage(session, source, made);
    }
    if (status == noErr) *buffer_out = made;
    else CVPixelBufferRelease(made);
    return status;
}

/* Returns the session for conversions. It is created on demand and lives as long as `images`. */
static OSStatus get_transfer(nalu_decoded_images *images, VTPixelTransferSessionRef *session_out) {
    OSStatus status = noErr;
    pthread_mutex_lock(&images->lock);
    if (!images->transfer) status = VTPixelTransferSessionCreate(NULL, &images->transfer);
    *session_out = images->transfer;
    pthread_mutex_unlock(&images->lock);
    return status;
}

/* ---- Pictures --------------------------------------------------------------------------------------------------------- */

/* Returns the extensions of a description and of its parameter sets that images have as attachments. */
static CFDictionaryRef attachments_of(CMFormatDescriptionRef description) {
    nalu_format_description *format = nalu_format_of(description);
    CFArrayRef keys = CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers();
    CFMutableDictionaryRef found = nalu_dictionary_create(NULL);
    CMFormatDescriptionRef whole =
        format ? nalu_format_create(NULL, format, CMFormatDescriptionGetExtensions(description)) : NULL;
    for (CFIndex i = 0; found && whole && i < CFArrayGetCount(keys); i++) {
        CFStringRef key = CFArrayGetValueAtIndex(keys, i);
        CFTypeRef value = CMFormatDescriptionGetExtension(whole, key);
        if (value) CFDictionarySetValue(found, key, value);
    }
    if (whole) CFRelease(whole);
    return found;
}

OSStatus nalu_decoded_images_set_transfer(nalu_decoded_images *images, CMFormatDescriptionRef description,
    CFDictionaryRef properties) {
    VTPixelTransferSessionRef session = NULL;
    CFDictionaryRef colours = attachments_of(description);
    const bool changes_colours = colours && nalu_transfer_changes_colours(properties,
        CFDictionaryGetValue(colours, kCVImageBufferColorPrimariesKey),
        CFDictionaryGetValue(colours, kCVImageBufferTransferFunctionKey));
    if (colours) CFRelease(colours);
    if (changes_colours) return kVTPixelTransferNotSupportedErr;
    const OSStatus status = get_transfer(images, &session);
    return status == noErr ? VTSessionSetProperties(session, properties) : status;
}

static void attach(nalu_decoded_images *images, CMFormatDescriptionRef description, CVPixelBufferRef buffer) {
    if (images->description != description) {
        if (images->description) CFRelease(images->description);
        if (images->attachments) CFRelease(images->attachments);
        images->description = (CMFormatDescriptionRef)CFRetain(description);
        images->attachments = attachments_of(description);
    }
    if (images->attachments) CVBufferSetAttachments(buffer, images->attachments, kCVAttachmentMode_ShouldPropagate);
}

OSStatus nalu_decoded_images_make(nalu_decoded_images *images, nalu_pixel_buffer *picture,
    CMFormatDescriptionRef description, CVPixelBufferRef *buffer_out, bool *modifiable_out) {
    const OSType native = nalu_pixel_buffer_get_pixel_format(picture);
    const size_t width = (size_t)nalu_pixel_buffer_get_width(picture);
    const size_t height = (size_t)nalu_pixel_buffer_get_height(picture);
    CVPixelBufferRef wrapped = NULL;
    *modifiable_out = false;
    const CVReturn result = nalu_pixels_wrap(NULL, picture, NULL, &wrapped);
    if (result != kCVReturnSuccess)
        return result == kCVReturnAllocationFailed ? kVTAllocationFailedErr : kVTPixelTransferNotSupportedErr;
    attach(images, description, wrapped);
    const bool is_as_wanted = nalu_decoded_images_format(images, native) == native &&
                              (!images->width || images->width == width) &&
                              (!images->height || images->height == height);
    if (is_as_wanted) {
        *buffer_out = wrapped;
        return noErr;
    }
    VTPixelTransferSessionRef session = NULL;
    OSStatus status = get_transfer(images, &session);
    if (status == noErr)
        status = transfer(images, session, native, width, height, wrapped, is_padded(images, description, wrapped), buffer_out);
    CVPixelBufferRelease(wrapped);
    *modifiable_out = status == noErr;
    return status;
}

OSStatus nalu_decoded_images_copy_black(nalu_decoded_images *images, OSType native, size_t width, size_t height,
    CVPixelBufferRef *buffer_out) {
    enum { SIDE = 16 };
    CVPixelBufferRef black = NULL;
    VTPixelTransferSessionRef session = NULL;
    OSStatus status = kVTAllocationFailedErr;
    if (CVPixelBufferCreate(NULL, SIDE, SIDE, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, NULL, &black) ==
        kCVReturnSuccess) {
        CVPixelBufferLockBaseAddress(black, 0);
        memset(CVPixelBufferGetBaseAddressOfPlane(black, 0), 16, CVPixelBufferGetBytesPerRowOfPlane(black, 0) * SIDE);
        memset(CVPixelBufferGetBaseAddressOfPlane(black, 1), 128, CVPixelBufferGetBytesPerRowOfPlane(black, 1) * SIDE / 2);
        CVPixelBufferUnlockBaseAddress(black, 0);
        status = VTPixelTransferSessionCreate(NULL, &session);
    }
    if (status == noErr) status = transfer(images, session, native, width, height, black, false, buffer_out);
    if (session) CFRelease(session);
    CVPixelBufferRelease(black);
    return status;
}
