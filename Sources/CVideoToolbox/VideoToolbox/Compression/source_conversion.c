#include "source_conversion.h"

#include "../../Support/value.h"
#include "../Pixels/pixel_components.h"

#include <VideoToolbox/VTErrors.h>
#include <nalu/pixel_buffer.h>

void nalu_source_conversion_init(nalu_source_conversion *conversion) { pthread_mutex_init(&conversion->lock, NULL); }

void nalu_source_conversion_destroy(nalu_source_conversion *conversion) {
    if (conversion->transfer) CFRelease(conversion->transfer);
    CVPixelBufferPoolRelease(conversion->pool);
    pthread_mutex_destroy(&conversion->lock);
}

bool nalu_source_is_accepted(OSType type) {
    nalu_components components;
    const nalu_format *format = nalu_format_find(type);
    return nalu_format_is_encodable(type) || (format && nalu_components_of(format, &components));
}

/* Returns the format in which a frame loses nothing that a stream of 10 bits could contain. */
static OSType format_for(const nalu_components *components) {
    const uint16_t flags = components->format->flags;
    const bool is_deep = components->format->component_bits > 8, is_full = (flags & NALU_FORMAT_FULL_RANGE) != 0;
    if (flags & NALU_FORMAT_RGB) return is_deep ? NALU_PIXEL_FORMAT_SV44 : NALU_PIXEL_FORMAT_BGRA;
    if (flags & NALU_FORMAT_GRAY) return is_deep ? NALU_PIXEL_FORMAT_SV20 : NALU_PIXEL_FORMAT_L008;
    static const OSType formats[3][2][2] = {
        {{NALU_PIXEL_FORMAT_444V, NALU_PIXEL_FORMAT_444F}, {NALU_PIXEL_FORMAT_SV44, NALU_PIXEL_FORMAT_SF44}},
        {{NALU_PIXEL_FORMAT_422V, NALU_PIXEL_FORMAT_422F}, {NALU_PIXEL_FORMAT_SV22, NALU_PIXEL_FORMAT_SF22}},
        {{NALU_PIXEL_FORMAT_420V, NALU_PIXEL_FORMAT_420F}, {NALU_PIXEL_FORMAT_SV20, NALU_PIXEL_FORMAT_SF20}}};
    return formats[components->horizontal + components->vertical - 2][is_deep][is_full];
}

/* Needs the lock. */
static OSStatus make_pool(nalu_source_conversion *conversion, OSType format, size_t width, size_t height) {
    if (conversion->pool && conversion->format == format && conversion->width == width && conversion->height == height)
        return noErr;
    CFMutableDictionaryRef attributes = nalu_dictionary_create(NULL);
    if (!attributes) return kVTAllocationFailedErr;
    nalu_dictionary_take(attributes, kCVPixelBufferPixelFormatTypeKey, nalu_integer(format));
    nalu_dictionary_take(attributes, kCVPixelBufferWidthKey, nalu_integer((int64_t)width));
    nalu_dictionary_take(attributes, kCVPixelBufferHeightKey, nalu_integer((int64_t)height));
    CVPixelBufferPoolRelease(conversion->pool);
    conversion->pool = NULL;
    const CVReturn status = CVPixelBufferPoolCreate(NULL, NULL, attributes, &conversion->pool);
    CFRelease(attributes);
    conversion->format = format;
    conversion->width = width;
    conversion->height = height;
    return status == kCVReturnSuccess ? noErr : kVTAllocationFailedErr;
}

/* Needs the lock. */
static OSStatus convert(nalu_source_conversion *conversion, CVPixelBufferRef frame, const nalu_components *components,
    CFTypeRef matrix, CVPixelBufferRef *converted_out) {
    CVPixelBufferRef made = NULL;
    OSStatus status = make_pool(conversion, format_for(components), CVPixelBufferGetWidth(frame),
        CVPixelBufferGetHeight(frame));
    if (status == noErr && !conversion->transfer) status = VTPixelTransferSessionCreate(NULL, &conversion->transfer);
    if (status == noErr)
        status = VTSessionSetProperty(conversion->transfer, kVTPixelTransferPropertyKey_DestinationYCbCrMatrix,
            components->rgb ? matrix : NULL);
    if (status == noErr && CVPixelBufferPoolCreatePixelBuffer(NULL, conversion->pool, &made) != kCVReturnSuccess)
        status = kVTAllocationFailedErr;
    if (status == noErr) status = VTPixelTransferSessionTransferImage(conversion->transfer, frame, made);
    if (status == noErr) *converted_out = made;
    else CVPixelBufferRelease(made);
    return status;
}

OSStatus nalu_source_convert(nalu_source_conversion *conversion, CVPixelBufferRef frame, CFTypeRef matrix,
    CVPixelBufferRef *converted_out) {
    nalu_components components;
    const nalu_format *format = nalu_format_find(CVPixelBufferGetPixelFormatType(frame));
    *converted_out = NULL;
    if (format && nalu_format_is_encodable(format->type)) {
        *converted_out = CVPixelBufferRetain(frame);
        return noErr;
    }
    if (!format || !nalu_components_of(format, &components)) return kVTPixelTransferNotSupportedErr;
    if (CVPixelBufferGetWidth(frame) > NALU_MAX_DIMENSION || CVPixelBufferGetHeight(frame) > NALU_MAX_DIMENSION)
        return kVTParameterErr;
    pthread_mutex_lock(&conversion->lock);
    const OSStatus status = convert(conversion, frame, &components, matrix, converted_out);
    pthread_mutex_unlock(&conversion->lock);
    return status;
}
