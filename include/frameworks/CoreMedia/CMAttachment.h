/**
 * @file
 * Values that a client attaches to sample, block and image buffers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMATTACHMENT_H
#define CMATTACHMENT_H

#include <CoreMedia/CMBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/**
 * A CMSampleBuffer, a CMBlockBuffer or a CVBuffer. For NULL and for other objects the functions do
 * nothing, or return NULL. Any thread may call them.
 */
typedef CFTypeRef CMAttachmentBearerRef;

typedef uint32_t CMAttachmentMode;
CF_ENUM(CMAttachmentMode) {
    kCMAttachmentMode_ShouldNotPropagate = 0,
    kCMAttachmentMode_ShouldPropagate = 1,
};

/**
 * Sets or replaces an attachment, which the bearer retains; NULL removes it. A key has one value,
 * in one mode. The value is not copied, so a dictionary or an array must retain its contents.
 */
CM_EXPORT void CMSetAttachment(CMAttachmentBearerRef target, CFStringRef key,
    CFTypeRef _Nullable value, CMAttachmentMode attachmentMode)
    CF_SWIFT_NAME(CMSetAttachment(_:key:value:attachmentMode:));

/**
 * Returns the value of a key, or NULL. The bearer owns the value, which another thread may remove.
 * attachmentModeOut: NULL, or receives the mode of the value.
 */
CM_EXPORT CFTypeRef _Nullable CMGetAttachment(CMAttachmentBearerRef target, CFStringRef key,
    CMAttachmentMode *_Nullable attachmentModeOut)
    CF_SWIFT_NAME(CMGetAttachment(_:key:attachmentModeOut:));

CM_EXPORT void CMRemoveAttachment(CMAttachmentBearerRef target, CFStringRef key)
    CF_SWIFT_NAME(CMRemoveAttachment(_:key:));

CM_EXPORT void CMRemoveAllAttachments(CMAttachmentBearerRef target);

/**
 * Returns a copy of the attachments of one mode, or NULL if there are none. The caller releases
 * it.
 */
CM_EXPORT CFDictionaryRef _Nullable CMCopyDictionaryOfAttachments(
    CFAllocatorRef _Nullable allocator, CMAttachmentBearerRef target,
    CMAttachmentMode attachmentMode)
    CF_SWIFT_NAME(CMCopyDictionaryOfAttachments(allocator:target:attachmentMode:));

/** Sets each pair of a dictionary as an attachment. */
CM_EXPORT void CMSetAttachments(CMAttachmentBearerRef target, CFDictionaryRef theAttachments,
    CMAttachmentMode attachmentMode) CF_SWIFT_NAME(CMSetAttachments(_:attachments:attachmentMode:));

/** Copies the propagating attachments from source to destination. */
CM_EXPORT void CMPropagateAttachments(CMAttachmentBearerRef source,
    CMAttachmentBearerRef destination) CF_SWIFT_NAME(CMPropagateAttachments(_:destination:));

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
