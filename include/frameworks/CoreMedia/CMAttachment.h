/*
 * CoreMedia/CMAttachment.h - values that a client hangs on sample, block and image buffers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CMATTACHMENT_H
#define CMATTACHMENT_H

#include <CoreMedia/CMBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* A CMSampleBuffer, a CMBlockBuffer or a CVBuffer. Functions ignore an object of another type. */
typedef CFTypeRef CMAttachmentBearerRef;

typedef uint32_t CMAttachmentMode;
CF_ENUM(CMAttachmentMode) {
    kCMAttachmentMode_ShouldNotPropagate = 0,
    kCMAttachmentMode_ShouldPropagate = 1,
};

/* Sets or replaces an attachment, which the bearer retains. A key has one value, in one mode. */
CM_EXPORT void CMSetAttachment(CMAttachmentBearerRef target, CFStringRef key,
    CFTypeRef _Nullable value, CMAttachmentMode attachmentMode)
    CF_SWIFT_NAME(CMSetAttachment(_:key:value:attachmentMode:));

/* The value, which the bearer keeps; NULL where there is none. */
CM_EXPORT CFTypeRef _Nullable CMGetAttachment(CMAttachmentBearerRef target, CFStringRef key,
    CMAttachmentMode *_Nullable attachmentModeOut)
    CF_SWIFT_NAME(CMGetAttachment(_:key:attachmentModeOut:));

CM_EXPORT void CMRemoveAttachment(CMAttachmentBearerRef target, CFStringRef key)
    CF_SWIFT_NAME(CMRemoveAttachment(_:key:));

CM_EXPORT void CMRemoveAllAttachments(CMAttachmentBearerRef target);

/* The attachments of one mode in a dictionary of the caller's; NULL where there are none. */
CM_EXPORT CFDictionaryRef _Nullable CMCopyDictionaryOfAttachments(
    CFAllocatorRef _Nullable allocator, CMAttachmentBearerRef target,
    CMAttachmentMode attachmentMode)
    CF_SWIFT_NAME(CMCopyDictionaryOfAttachments(allocator:target:attachmentMode:));

CM_EXPORT void CMSetAttachments(CMAttachmentBearerRef target, CFDictionaryRef theAttachments,
    CMAttachmentMode attachmentMode) CF_SWIFT_NAME(CMSetAttachments(_:attachments:attachmentMode:));

/* Copies what should propagate. */
CM_EXPORT void CMPropagateAttachments(CMAttachmentBearerRef source,
    CMAttachmentBearerRef destination) CF_SWIFT_NAME(CMPropagateAttachments(_:destination:));

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
