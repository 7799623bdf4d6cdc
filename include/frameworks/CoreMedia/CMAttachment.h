/*
 * CoreMedia/CMAttachment.h - values that a client attaches to sample, block and image buffers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CMATTACHMENT_H
#define CMATTACHMENT_H

#include <CoreMedia/CMBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* A CMSampleBuffer, a CMBlockBuffer or a CVBuffer. For NULL and an object of another type the
 * functions do nothing, or return NULL. Any thread may call them. */
typedef CFTypeRef CMAttachmentBearerRef;

typedef uint32_t CMAttachmentMode;
CF_ENUM(CMAttachmentMode) {
    kCMAttachmentMode_ShouldNotPropagate = 0,
    kCMAttachmentMode_ShouldPropagate = 1,
};

/* Sets or replaces an attachment, which the bearer retains; NULL removes it. A key has one value,
 * in one mode. The value is never copied: a dictionary or an array must retain what is in it. */
CM_EXPORT void CMSetAttachment(CMAttachmentBearerRef target, CFStringRef key,
    CFTypeRef _Nullable value, CMAttachmentMode attachmentMode)
    CF_SWIFT_NAME(CMSetAttachment(_:key:value:attachmentMode:));

/* The value, which the bearer keeps and another thread may remove; NULL where there is none.
 * attachmentModeOut: NULL, or receives its mode. */
CM_EXPORT CFTypeRef _Nullable CMGetAttachment(CMAttachmentBearerRef target, CFStringRef key,
    CMAttachmentMode *_Nullable attachmentModeOut)
    CF_SWIFT_NAME(CMGetAttachment(_:key:attachmentModeOut:));

CM_EXPORT void CMRemoveAttachment(CMAttachmentBearerRef target, CFStringRef key)
    CF_SWIFT_NAME(CMRemoveAttachment(_:key:));

CM_EXPORT void CMRemoveAllAttachments(CMAttachmentBearerRef target);

/* A copy of the attachments of one mode, which the caller releases; NULL where there are none. */
CM_EXPORT CFDictionaryRef _Nullable CMCopyDictionaryOfAttachments(
    CFAllocatorRef _Nullable allocator, CMAttachmentBearerRef target,
    CMAttachmentMode attachmentMode)
    CF_SWIFT_NAME(CMCopyDictionaryOfAttachments(allocator:target:attachmentMode:));

/* Sets each pair of a dictionary. */
CM_EXPORT void CMSetAttachments(CMAttachmentBearerRef target, CFDictionaryRef theAttachments,
    CMAttachmentMode attachmentMode) CF_SWIFT_NAME(CMSetAttachments(_:attachments:attachmentMode:));

/* Copies the attachments that propagate from source to destination. */
CM_EXPORT void CMPropagateAttachments(CMAttachmentBearerRef source,
    CMAttachmentBearerRef destination) CF_SWIFT_NAME(CMPropagateAttachments(_:destination:));

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
