/**
 * @file
 * The attachments of every buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVBUFFER_H
#define CVBUFFER_H

#include <CoreVideo/CVBase.h>
#include <CoreVideo/CVReturn.h>

CF_ASSUME_NONNULL_BEGIN

/**
 * The base of image buffers. For NULL, the functions return NULL or false, or do nothing. Any
 * thread may call them.
 */
typedef struct CF_BRIDGED_TYPE(id) __CVBuffer *CVBufferRef;

typedef CF_ENUM(uint32_t, CVAttachmentMode) {
    kCVAttachmentMode_ShouldNotPropagate = 0,
    /** The attachment is copied to buffers that are made from this one. */
    kCVAttachmentMode_ShouldPropagate = 1,
};

CF_IMPLICIT_BRIDGING_ENABLED

/** Keys of the attributes of new buffers: dictionaries whose pairs are attached to each buffer. */
CV_EXPORT const CFStringRef kCVBufferPropagatedAttachmentsKey;
CV_EXPORT const CFStringRef kCVBufferNonPropagatedAttachmentsKey;

/** Keys of attachments. */
CV_EXPORT const CFStringRef kCVBufferMovieTimeKey; /**< CFDictionary with the next two keys */
CV_EXPORT const CFStringRef kCVBufferTimeValueKey;
CV_EXPORT const CFStringRef kCVBufferTimeScaleKey;

CF_IMPLICIT_BRIDGING_DISABLED

/** Add and remove references; both accept NULL. Swift does so automatically. */
CV_EXPORT CVBufferRef _Nullable CVBufferRetain(CVBufferRef _Nullable buffer)
    CF_SWIFT_UNAVAILABLE("Swift retains buffers by itself");
CV_EXPORT void CVBufferRelease(CF_RELEASES_ARGUMENT CVBufferRef _Nullable buffer)
    CF_SWIFT_UNAVAILABLE("Swift releases buffers by itself");

/**
 * Attaches a value, which the buffer retains. It replaces the value of that key, in either mode.
 * The value is not copied, so a dictionary or an array must retain its contents.
 */
CV_EXPORT void CVBufferSetAttachment(CVBufferRef buffer, CFStringRef key, CFTypeRef value,
    CVAttachmentMode attachmentMode);

/**
 * Returns the value of a key, which the buffer owns, or NULL. attachmentMode: NULL, or receives the
 * mode of the value. Deprecated, because another thread may replace the value: use
 * CVBufferCopyAttachment.
 */
CV_EXPORT CFTypeRef _Nullable CVBufferGetAttachment(CVBufferRef buffer, CFStringRef key,
    CVAttachmentMode *_Nullable attachmentMode);

CF_IMPLICIT_BRIDGING_ENABLED

CV_EXPORT void CVBufferRemoveAttachment(CVBufferRef buffer, CFStringRef key);
CV_EXPORT void CVBufferRemoveAllAttachments(CVBufferRef buffer);

/**
 * Returns the attachments of one mode, or NULL, in a dictionary that the buffer owns and changes.
 * Deprecated: use CVBufferCopyAttachments.
 */
CV_EXPORT CFDictionaryRef _Nullable CVBufferGetAttachments(CVBufferRef buffer,
    CVAttachmentMode attachmentMode);

/** Attaches each pair of a dictionary. */
CV_EXPORT void CVBufferSetAttachments(CVBufferRef buffer, CFDictionaryRef theAttachments,
    CVAttachmentMode attachmentMode);

/** Copies the propagating attachments from sourceBuffer to destinationBuffer. */
CV_EXPORT void CVBufferPropagateAttachments(CVBufferRef sourceBuffer,
    CVBufferRef destinationBuffer);

/**
 * Returns a copy of the attachments of one mode, or NULL if there are none. The caller releases
 * it.
 */
CV_EXPORT CFDictionaryRef _Nullable CVBufferCopyAttachments(CVBufferRef buffer,
    CVAttachmentMode attachmentMode) CF_RETURNS_RETAINED;

/**
 * Returns the value of a key, which the caller releases, or NULL. attachmentMode: NULL, or receives
 * the mode of the value.
 */
CV_EXPORT CFTypeRef _Nullable CVBufferCopyAttachment(CVBufferRef buffer, CFStringRef key,
    CVAttachmentMode *_Nullable attachmentMode) CF_RETURNS_RETAINED;

CV_EXPORT Boolean CVBufferHasAttachment(CVBufferRef buffer, CFStringRef key);

CF_IMPLICIT_BRIDGING_DISABLED
CF_ASSUME_NONNULL_END

#endif
