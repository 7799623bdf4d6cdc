#include "buffer.h"

#include "../Support/constant.h"

NALU_CONSTANT(kCVBufferPropagatedAttachmentsKey, "PropagatedAttachments");
NALU_CONSTANT(kCVBufferNonPropagatedAttachmentsKey, "NonPropagatedAttachments");
NALU_CONSTANT(kCVBufferMovieTimeKey, "QTMovieTime");
NALU_CONSTANT(kCVBufferTimeValueKey, "TimeValue");
NALU_CONSTANT(kCVBufferTimeScaleKey, "TimeScale");

static void finalize(CFTypeRef object) {
    CVPixelBufferRef buffer = (CVPixelBufferRef)object;
    if (buffer->release) buffer->release(buffer);
    nalu_object_release_held(buffer->attributes);
    nalu_attachments_destroy(&buffer->attachments);
}

static nalu_class buffer_class = {.runtime = {.className = "CVPixelBuffer", .finalize = finalize}};

CFTypeID CVPixelBufferGetTypeID(void) { return nalu_class_type(&buffer_class); }

CVPixelBufferRef nalu_buffer_checked(CFTypeRef object) {
    return nalu_object_is(object, &buffer_class) ? (CVPixelBufferRef)object : NULL;
}

CVPixelBufferRef nalu_buffer_create(CFAllocatorRef allocator, const nalu_format *format, size_t width, size_t height) {
    CVPixelBufferRef buffer = nalu_object_create(&buffer_class, allocator, sizeof *buffer);
    if (!buffer) return NULL;
    nalu_attachments_init(&buffer->attachments);
    buffer->format = format;
    buffer->width = width;
    buffer->height = height;
    return buffer;
}

void nalu_buffer_attach(CVPixelBufferRef buffer, const nalu_pixel_attributes *attributes) {
    if (attributes->propagated) nalu_attachments_set_all(&buffer->attachments, attributes->propagated, true);
    if (attributes->not_propagated) nalu_attachments_set_all(&buffer->attachments, attributes->not_propagated, false);
}

CVBufferRef CVBufferRetain(CVBufferRef buffer) { return buffer ? (CVBufferRef)CFRetain(buffer) : NULL; }

void CVBufferRelease(CVBufferRef buffer) {
    if (buffer) CFRelease(buffer);
}

void CVBufferSetAttachment(CVBufferRef buffer, CFStringRef key, CFTypeRef value, CVAttachmentMode attachmentMode) {
    if (!nalu_buffer_checked(buffer) || !key || !value) return;
    nalu_attachments_set(&buffer->attachments, key, value, attachmentMode == kCVAttachmentMode_ShouldPropagate);
}

CFTypeRef CVBufferGetAttachment(CVBufferRef buffer, CFStringRef key, CVAttachmentMode *attachmentMode) {
    CFTypeRef value = CVBufferCopyAttachment(buffer, key, attachmentMode);
    if (value) CFRelease(value);
    return value;
}

void CVBufferRemoveAttachment(CVBufferRef buffer, CFStringRef key) {
    if (nalu_buffer_checked(buffer) && key) nalu_attachments_remove(&buffer->attachments, key);
}

void CVBufferRemoveAllAttachments(CVBufferRef buffer) {
    if (nalu_buffer_checked(buffer)) nalu_attachments_remove_all(&buffer->attachments);
}

CFDictionaryRef CVBufferGetAttachments(CVBufferRef buffer, CVAttachmentMode attachmentMode) {
    if (!nalu_buffer_checked(buffer)) return NULL;
    return nalu_attachments_get_all(&buffer->attachments, attachmentMode == kCVAttachmentMode_ShouldPropagate);
}

void CVBufferSetAttachments(CVBufferRef buffer, CFDictionaryRef theAttachments, CVAttachmentMode attachmentMode) {
    if (!nalu_buffer_checked(buffer) || !theAttachments) return;
    if (CFGetTypeID(theAttachments) != CFDictionaryGetTypeID()) return;
    nalu_attachments_set_all(&buffer->attachments, theAttachments,
                             attachmentMode == kCVAttachmentMode_ShouldPropagate);
}

void CVBufferPropagateAttachments(CVBufferRef sourceBuffer, CVBufferRef destinationBuffer) {
    if (nalu_buffer_checked(sourceBuffer) && nalu_buffer_checked(destinationBuffer))
        nalu_attachments_propagate(&sourceBuffer->attachments, &destinationBuffer->attachments);
}

CFDictionaryRef CVBufferCopyAttachments(CVBufferRef buffer, CVAttachmentMode attachmentMode) {
    if (!nalu_buffer_checked(buffer)) return NULL;
    return nalu_attachments_copy_all(&buffer->attachments, attachmentMode == kCVAttachmentMode_ShouldPropagate, NULL);
}

CFTypeRef CVBufferCopyAttachment(CVBufferRef buffer, CFStringRef key, CVAttachmentMode *attachmentMode) {
    bool propagates = false;
    if (!nalu_buffer_checked(buffer) || !key) return NULL;
    CFTypeRef value = nalu_attachments_copy(&buffer->attachments, key, &propagates);
    if (value && attachmentMode)
        *attachmentMode = propagates ? kCVAttachmentMode_ShouldPropagate : kCVAttachmentMode_ShouldNotPropagate;
    return value;
}

Boolean CVBufferHasAttachment(CVBufferRef buffer, CFStringRef key) {
    CFTypeRef value = CVBufferCopyAttachment(buffer, key, NULL);
    if (value) CFRelease(value);
    return value != NULL;
}
