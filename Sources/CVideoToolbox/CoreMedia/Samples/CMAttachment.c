#include <CoreMedia/CMAttachment.h>

#include "../../CoreVideo/buffer.h"
#include "bearer.h"

/* Returns the attachments of `bearer`, or NULL if its type cannot have attachments. */
static nalu_attachments *attachments_of(CMAttachmentBearerRef bearer) {
    if (!bearer) return NULL;
    const CFTypeID type = CFGetTypeID(bearer);
    if (type == CMSampleBufferGetTypeID()) return nalu_sample_buffer_attachments((CMSampleBufferRef)bearer);
    if (type == CMBlockBufferGetTypeID()) return nalu_block_buffer_attachments((CMBlockBufferRef)bearer);
    CVBufferRef image = nalu_buffer_checked(bearer);
    return image ? &image->attachments : NULL;
}

static bool is_mode(CMAttachmentMode mode) { return mode <= kCMAttachmentMode_ShouldPropagate; }

void CMSetAttachment(CMAttachmentBearerRef target, CFStringRef key, CFTypeRef value, CMAttachmentMode attachmentMode) {
    nalu_attachments *attachments = attachments_of(target);
    if (!attachments || !is_mode(attachmentMode)) return;
    nalu_attachments_set(attachments, key, value, attachmentMode == kCMAttachmentMode_ShouldPropagate);
}

CFTypeRef CMGetAttachment(CMAttachmentBearerRef target, CFStringRef key, CMAttachmentMode *attachmentModeOut) {
    nalu_attachments *attachments = attachments_of(target);
    bool propagates = false;
    CFTypeRef value = attachments && key ? nalu_attachments_get(attachments, key, &propagates) : NULL;
    if (attachmentModeOut) *attachmentModeOut = value && propagates;
    return value;
}

void CMRemoveAttachment(CMAttachmentBearerRef target, CFStringRef key) {
    nalu_attachments *attachments = attachments_of(target);
    if (attachments && key) nalu_attachments_remove(attachments, key);
}

void CMRemoveAllAttachments(CMAttachmentBearerRef target) {
    nalu_attachments *attachments = attachments_of(target);
    if (attachments) nalu_attachments_remove_all(attachments);
}

CFDictionaryRef CMCopyDictionaryOfAttachments(CFAllocatorRef allocator, CMAttachmentBearerRef target,
    CMAttachmentMode attachmentMode) {
    nalu_attachments *attachments = attachments_of(target);
    if (!attachments || !is_mode(attachmentMode)) return NULL;
    return nalu_attachments_copy_all(attachments, attachmentMode == kCMAttachmentMode_ShouldPropagate, allocator);
}

void CMSetAttachments(CMAttachmentBearerRef target, CFDictionaryRef theAttachments, CMAttachmentMode attachmentMode) {
    nalu_attachments *attachments = attachments_of(target);
    if (!attachments || !theAttachments || !is_mode(attachmentMode)) return;
    nalu_attachments_set_all(attachments, theAttachments, attachmentMode == kCMAttachmentMode_ShouldPropagate);
}

void CMPropagateAttachments(CMAttachmentBearerRef source, CMAttachmentBearerRef destination) {
    nalu_attachments *from = attachments_of(source), *to = attachments_of(destination);
    if (from && to && from != to) nalu_attachments_propagate(from, to);
}
