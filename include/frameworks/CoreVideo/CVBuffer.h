/*
 * CoreVideo/CVBuffer.h - attachments, which every buffer has.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVBUFFER_H
#define CVBUFFER_H

#include <CoreVideo/CVBase.h>
#include <CoreVideo/CVReturn.h>

CF_ASSUME_NONNULL_BEGIN

/* The base of image buffers. Functions here return NULL or false for NULL, or do nothing; they may
 * be called from any thread. */
typedef struct CF_BRIDGED_TYPE(id) __CVBuffer *CVBufferRef;

typedef CF_ENUM(uint32_t, CVAttachmentMode) {
    kCVAttachmentMode_ShouldNotPropagate = 0,
    /* The attachment is copied to buffers that are made from this one. */
    kCVAttachmentMode_ShouldPropagate = 1,
};

CF_IMPLICIT_BRIDGING_ENABLED

/* In the attributes of new buffers: dictionaries that are attached to each of them. */
CV_EXPORT const CFStringRef kCVBufferPropagatedAttachmentsKey;
CV_EXPORT const CFStringRef kCVBufferNonPropagatedAttachmentsKey;

/* Keys of attachments. */
CV_EXPORT const CFStringRef kCVBufferMovieTimeKey; /* dictionary with the next two */
CV_EXPORT const CFStringRef kCVBufferTimeValueKey;
CV_EXPORT const CFStringRef kCVBufferTimeScaleKey;

CF_IMPLICIT_BRIDGING_DISABLED

/* Adds and removes references; both accept NULL. Swift does so by itself. */
CV_EXPORT CVBufferRef _Nullable CVBufferRetain(CVBufferRef _Nullable buffer)
    CF_SWIFT_UNAVAILABLE("Swift retains buffers by itself");
CV_EXPORT void CVBufferRelease(CF_RELEASES_ARGUMENT CVBufferRef _Nullable buffer)
    CF_SWIFT_UNAVAILABLE("Swift releases buffers by itself");

/* Attaches a value, in place of one that has the same key in either mode. The buffer retains it.
 * */
CV_EXPORT void CVBufferSetAttachment(CVBufferRef buffer, CFStringRef key, CFTypeRef value,
    CVAttachmentMode attachmentMode);

/* Deprecated. The value, which the buffer owns, or NULL; attachmentMode (may be NULL) receives its
 * mode. Another thread may replace the value meanwhile: CVBufferCopyAttachment is safe from that.
 * */
CV_EXPORT CFTypeRef _Nullable CVBufferGetAttachment(CVBufferRef buffer, CFStringRef key,
    CVAttachmentMode *_Nullable attachmentMode);

CF_IMPLICIT_BRIDGING_ENABLED

CV_EXPORT void CVBufferRemoveAttachment(CVBufferRef buffer, CFStringRef key);
CV_EXPORT void CVBufferRemoveAllAttachments(CVBufferRef buffer);

/* Deprecated. The attachments of one mode, or NULL. The buffer owns and changes the dictionary. */
CV_EXPORT CFDictionaryRef _Nullable CVBufferGetAttachments(CVBufferRef buffer,
    CVAttachmentMode attachmentMode);

/* Attaches each pair of a dictionary. */
CV_EXPORT void CVBufferSetAttachments(CVBufferRef buffer, CFDictionaryRef theAttachments,
    CVAttachmentMode attachmentMode);

/* Attaches to destinationBuffer what propagates of sourceBuffer. */
CV_EXPORT void CVBufferPropagateAttachments(CVBufferRef sourceBuffer,
    CVBufferRef destinationBuffer);

/* A copy of the attachments of one mode, or NULL if there are none. The caller releases it. */
CV_EXPORT CFDictionaryRef _Nullable CVBufferCopyAttachments(CVBufferRef buffer,
    CVAttachmentMode attachmentMode) CF_RETURNS_RETAINED;

/* The value, with a reference for the caller, or NULL; attachmentMode as above. */
CV_EXPORT CFTypeRef _Nullable CVBufferCopyAttachment(CVBufferRef buffer, CFStringRef key,
    CVAttachmentMode *_Nullable attachmentMode) CF_RETURNS_RETAINED;

CV_EXPORT Boolean CVBufferHasAttachment(CVBufferRef buffer, CFStringRef key);

CF_IMPLICIT_BRIDGING_DISABLED
CF_ASSUME_NONNULL_END

#endif
