/*
 * VideoToolbox/VTSession.h - properties, which all kinds of sessions have.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VTSESSION_H
#define VTSESSION_H

#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTErrors.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* A VTCompressionSessionRef, VTDecompressionSessionRef, VTPixelTransferSessionRef or
 * VTPixelRotationSessionRef. Where a session is expected, NULL and other objects give
 * kVTParameterErr, and a session that was invalidated gives kVTInvalidSessionErr. */
typedef CFTypeRef VTSessionRef;

/* ---- What a session supports ---------------------------------------------------------------- */

/* Keys of the dictionary that describes one property. */
VT_EXPORT const CFStringRef kVTPropertyTypeKey;              /* CFString: kVTPropertyType_... */
VT_EXPORT const CFStringRef kVTPropertyReadWriteStatusKey;   /* CFString */
VT_EXPORT const CFStringRef kVTPropertyShouldBeSerializedKey; /* CFBoolean */
VT_EXPORT const CFStringRef kVTPropertySupportedValueMinimumKey; /* CFNumber */
VT_EXPORT const CFStringRef kVTPropertySupportedValueMaximumKey; /* CFNumber */
VT_EXPORT const CFStringRef kVTPropertySupportedValueListKey;    /* CFArray of the values */
VT_EXPORT const CFStringRef kVTPropertyDocumentationKey;         /* CFString, for programmers */

VT_EXPORT const CFStringRef kVTPropertyType_Enumeration;
VT_EXPORT const CFStringRef kVTPropertyType_Boolean;
VT_EXPORT const CFStringRef kVTPropertyType_Number;

VT_EXPORT const CFStringRef kVTPropertyReadWriteStatus_ReadOnly;
VT_EXPORT const CFStringRef kVTPropertyReadWriteStatus_ReadWrite;

/* Copies a dictionary with the key of each property of the session, and a dictionary that describes
 * it, with the keys above. */
VT_EXPORT OSStatus VTSessionCopySupportedPropertyDictionary(VTSessionRef session,
    CF_RETURNS_RETAINED CFDictionaryRef _Nullable *_Nonnull supportedPropertyDictionaryOut)
    CF_SWIFT_NAME(VTSessionCopySupportedPropertyDictionary(_:supportedPropertyDictionaryOut:));

/* ---- Setting and reading -------------------------------------------------------------------- */

/* Sets one property; NULL restores its default. kVTPropertyNotSupportedErr for an unknown key and
 * for a value of a wrong type, kVTPropertyReadOnlyErr for a property that cannot be set, and
 * kVTParameterErr for a value outside its range. */
VT_EXPORT OSStatus VTSessionSetProperty(VTSessionRef session, CFStringRef propertyKey,
    CFTypeRef _Nullable propertyValue) CF_SWIFT_NAME(VTSessionSetProperty(_:key:value:));

/* Sets several properties. If one cannot be set, the status is that of VTSessionSetProperty;
 * NULL keys are ignored. */
VT_EXPORT OSStatus VTSessionSetProperties(VTSessionRef session, CFDictionaryRef propertyDictionary)
    CF_SWIFT_NAME(VTSessionSetProperties(_:propertyDictionary:));

/* Copies the value of one property to the object reference at propertyValueOut. The caller releases
 * it. kVTPropertyNotSupportedErr, and NULL there, if the property has no value now. */
VT_EXPORT OSStatus VTSessionCopyProperty(VTSessionRef session, CFStringRef propertyKey,
    CFAllocatorRef _Nullable allocator, void *_Nullable propertyValueOut)
    CF_SWIFT_NAME(VTSessionCopyProperty(_:key:allocator:valueOut:));

/* Copies the values that another session of the same kind needs to work like this one. */
VT_EXPORT OSStatus VTSessionCopySerializableProperties(VTSessionRef session,
    CFAllocatorRef _Nullable allocator,
    CF_RETURNS_RETAINED CFDictionaryRef _Nullable *_Nonnull dictionaryOut)
    CF_SWIFT_NAME(VTSessionCopySerializableProperties(_:allocator:dictionaryOut:));

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
