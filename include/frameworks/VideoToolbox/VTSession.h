/**
 * @file
 * The properties of all kinds of sessions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTSESSION_H
#define VTSESSION_H

#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTErrors.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/**
 * A VTCompressionSessionRef, VTDecompressionSessionRef, VTPixelTransferSessionRef or
 * VTPixelRotationSessionRef. The functions below return kVTParameterErr for NULL and other objects,
 * and kVTInvalidSessionErr for an invalidated session. Any thread may call them.
 */
typedef CFTypeRef VTSessionRef;

/* ---- Supported properties -------------------------------------------------------------------- */

/** Keys of the dictionary that describes one property. */
VT_EXPORT const CFStringRef kVTPropertyTypeKey;              /**< CFString: kVTPropertyType_... */
/** CFString: kVTPropertyReadWriteStatus_... */
VT_EXPORT const CFStringRef kVTPropertyReadWriteStatusKey;
VT_EXPORT const CFStringRef kVTPropertyShouldBeSerializedKey; /**< CFBoolean */
VT_EXPORT const CFStringRef kVTPropertySupportedValueMinimumKey; /**< CFNumber */
VT_EXPORT const CFStringRef kVTPropertySupportedValueMaximumKey; /**< CFNumber */
VT_EXPORT const CFStringRef kVTPropertySupportedValueListKey;    /**< CFArray of the values */
VT_EXPORT const CFStringRef kVTPropertyDocumentationKey;         /**< CFString, for programmers */

VT_EXPORT const CFStringRef kVTPropertyType_Enumeration;
VT_EXPORT const CFStringRef kVTPropertyType_Boolean;
VT_EXPORT const CFStringRef kVTPropertyType_Number;

VT_EXPORT const CFStringRef kVTPropertyReadWriteStatus_ReadOnly;
VT_EXPORT const CFStringRef kVTPropertyReadWriteStatus_ReadWrite;

/**
 * Returns a dictionary from the key of each property to a dictionary that describes it, with the
 * keys above. The caller releases it.
 */
VT_EXPORT OSStatus VTSessionCopySupportedPropertyDictionary(VTSessionRef session,
    CF_RETURNS_RETAINED CFDictionaryRef _Nullable *_Nonnull supportedPropertyDictionaryOut)
    CF_SWIFT_NAME(VTSessionCopySupportedPropertyDictionary(_:supportedPropertyDictionaryOut:));

/* ---- Setting and reading -------------------------------------------------------------------- */

/**
 * Sets one property; NULL restores its default.
 *
 * Returns: noErr, or:
 *   kVTPropertyNotSupportedErr  an unknown key, or a value of a wrong type
 *   kVTPropertyReadOnlyErr      a property that cannot be set, or cannot be set any longer
 *   kVTParameterErr             a value outside its range
 */
VT_EXPORT OSStatus VTSessionSetProperty(VTSessionRef session, CFStringRef propertyKey,
    CFTypeRef _Nullable propertyValue) CF_SWIFT_NAME(VTSessionSetProperty(_:key:value:));

/**
 * Sets several properties: all of them, or none if the function fails. As on a Mac, keys that the
 * session does not have are skipped, and in a compression session also values of properties that
 * its encoder lacks. Every other value that VTSessionSetProperty refuses makes the function fail
 * with the same status. NULL keys are ignored.
 */
VT_EXPORT OSStatus VTSessionSetProperties(VTSessionRef session, CFDictionaryRef propertyDictionary)
    CF_SWIFT_NAME(VTSessionSetProperties(_:propertyDictionary:));

/**
 * Returns the value of one property.
 *
 * propertyValueOut: not NULL; the address of a CFTypeRef, which receives an object that the caller
 *   releases. It receives NULL if the property has no value now; then the status is
 *   kVTPropertyNotSupportedErr, or noErr.
 */
VT_EXPORT OSStatus VTSessionCopyProperty(VTSessionRef session, CFStringRef propertyKey,
    CFAllocatorRef _Nullable allocator, void *_Nullable propertyValueOut)
    CF_SWIFT_NAME(VTSessionCopyProperty(_:key:allocator:valueOut:));

/**
 * Returns the values with which another session of the same kind works like this one, for
 * VTSessionSetProperties. The caller releases the dictionary.
 */
VT_EXPORT OSStatus VTSessionCopySerializableProperties(VTSessionRef session,
    CFAllocatorRef _Nullable allocator,
    CF_RETURNS_RETAINED CFDictionaryRef _Nullable *_Nonnull dictionaryOut)
    CF_SWIFT_NAME(VTSessionCopySerializableProperties(_:allocator:dictionaryOut:));

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
