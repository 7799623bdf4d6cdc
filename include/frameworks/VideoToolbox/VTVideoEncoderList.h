/*
 * VideoToolbox/VTVideoEncoderList.h - which encoders there are, and what they support.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VTVIDEOENCODERLIST_H
#define VTVIDEOENCODERLIST_H

#include <CoreMedia/CMFormatDescription.h>
#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTErrors.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* Keys of the dictionary that describes one encoder. */
VT_EXPORT const CFStringRef kVTVideoEncoderList_CodecType;   /* CFNumber: a CMVideoCodecType */
VT_EXPORT const CFStringRef kVTVideoEncoderList_EncoderID;   /* CFString */
VT_EXPORT const CFStringRef kVTVideoEncoderList_CodecName;   /* CFString: "H.264" */
VT_EXPORT const CFStringRef kVTVideoEncoderList_EncoderName; /* CFString */
VT_EXPORT const CFStringRef kVTVideoEncoderList_DisplayName; /* CFString, for a user to choose */
/* CFNumber; not given, because no encoder uses a GPU. */
VT_EXPORT const CFStringRef kVTVideoEncoderList_GPURegistryID;
/* CFDictionary, as that of VTSessionCopySupportedPropertyDictionary; not given, because there is
 * only one encoder. */
VT_EXPORT const CFStringRef kVTVideoEncoderList_SupportedSelectionProperties;
VT_EXPORT const CFStringRef kVTVideoEncoderList_PerformanceRating; /* CFNumber */
VT_EXPORT const CFStringRef kVTVideoEncoderList_QualityRating;     /* CFNumber */
/* CFNumber: the most sessions at once; not given, because there is no limit. */
VT_EXPORT const CFStringRef kVTVideoEncoderList_InstanceLimit;
VT_EXPORT const CFStringRef kVTVideoEncoderList_IsHardwareAccelerated; /* CFBoolean: false */
VT_EXPORT const CFStringRef kVTVideoEncoderList_SupportsFrameReordering; /* CFBoolean */
VT_EXPORT const CFStringRef kVTVideoEncoderList_SupportsMultiPass;       /* CFBoolean */

/* An option of VTCopyVideoEncoderList, CFBoolean. No effect: there are no such encoders. */
VT_EXPORT const CFStringRef kVTVideoEncoderListOption_IncludeStandardDefinitionDVEncoders;

/* Gives an array with a dictionary for each encoder, with the keys above. The caller releases
 * it. */
VT_EXPORT OSStatus VTCopyVideoEncoderList(CFDictionaryRef _Nullable options,
    CF_RETURNS_RETAINED CFArrayRef _Nullable *_Nonnull listOfVideoEncodersOut);

/* Gives what an encoder supports, as VTSessionCopySupportedPropertyDictionary does, for a session
 * of that size. The arguments are those of VTCompressionSessionCreate, and so are the statuses.
 * encoderIDOut, supportedPropertiesOut: NULL, or receive an object that the caller releases. */
VT_EXPORT OSStatus VTCopySupportedPropertyDictionaryForEncoder(int32_t width, int32_t height,
    CMVideoCodecType codecType, CFDictionaryRef _Nullable encoderSpecification,
    CF_RETURNS_RETAINED CFStringRef _Nullable *_Nullable encoderIDOut,
    CF_RETURNS_RETAINED CFDictionaryRef _Nullable *_Nullable supportedPropertiesOut)
    CM_SWIFT_NAME("VTCopySupportedPropertyDictionaryForEncoder(width:height:codecType:"
                  "encoderSpecification:encoderIDOut:supportedPropertiesOut:)");

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
