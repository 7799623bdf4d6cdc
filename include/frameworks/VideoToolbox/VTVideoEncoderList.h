/**
 * @file
 * The encoders, and the properties that they support.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTVIDEOENCODERLIST_H
#define VTVIDEOENCODERLIST_H

#include <CoreMedia/CMFormatDescription.h>
#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTErrors.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/** Keys of the dictionary that describes one encoder. */
VT_EXPORT const CFStringRef kVTVideoEncoderList_CodecType;   /**< CFNumber: a CMVideoCodecType */
VT_EXPORT const CFStringRef kVTVideoEncoderList_EncoderID;   /**< CFString */
VT_EXPORT const CFStringRef kVTVideoEncoderList_CodecName;   /**< CFString: "H.264" */
VT_EXPORT const CFStringRef kVTVideoEncoderList_EncoderName; /**< CFString */
VT_EXPORT const CFStringRef kVTVideoEncoderList_DisplayName; /**< CFString, for a user to choose */
/** CFNumber; missing, because no encoder uses a GPU. */
VT_EXPORT const CFStringRef kVTVideoEncoderList_GPURegistryID;
/**
 * CFDictionary like that of VTSessionCopySupportedPropertyDictionary; missing, because there is
 * only one encoder.
 */
VT_EXPORT const CFStringRef kVTVideoEncoderList_SupportedSelectionProperties;
VT_EXPORT const CFStringRef kVTVideoEncoderList_PerformanceRating; /**< CFNumber */
VT_EXPORT const CFStringRef kVTVideoEncoderList_QualityRating;     /**< CFNumber */
/** CFNumber: the largest number of simultaneous sessions; missing, because there is no limit. */
VT_EXPORT const CFStringRef kVTVideoEncoderList_InstanceLimit;
VT_EXPORT const CFStringRef kVTVideoEncoderList_IsHardwareAccelerated; /**< CFBoolean: false */
VT_EXPORT const CFStringRef kVTVideoEncoderList_SupportsFrameReordering; /**< CFBoolean */
VT_EXPORT const CFStringRef kVTVideoEncoderList_SupportsMultiPass;       /**< CFBoolean */

/** An option of VTCopyVideoEncoderList, CFBoolean. No effect: such encoders do not exist here. */
VT_EXPORT const CFStringRef kVTVideoEncoderListOption_IncludeStandardDefinitionDVEncoders;

/**
 * Returns an array with a dictionary for each encoder, with the keys above. The caller releases
 * it.
 */
VT_EXPORT OSStatus VTCopyVideoEncoderList(CFDictionaryRef _Nullable options,
    CF_RETURNS_RETAINED CFArrayRef _Nullable *_Nonnull listOfVideoEncodersOut);

/**
 * Returns the properties that an encoder supports for a session of that size, as
 * VTSessionCopySupportedPropertyDictionary does. The arguments and the statuses are those of
 * VTCompressionSessionCreate. encoderIDOut, supportedPropertiesOut: NULL, or receive an object that
 * the caller releases.
 */
VT_EXPORT OSStatus VTCopySupportedPropertyDictionaryForEncoder(int32_t width, int32_t height,
    CMVideoCodecType codecType, CFDictionaryRef _Nullable encoderSpecification,
    CF_RETURNS_RETAINED CFStringRef _Nullable *_Nullable encoderIDOut,
    CF_RETURNS_RETAINED CFDictionaryRef _Nullable *_Nullable supportedPropertiesOut)
    CM_SWIFT_NAME("VTCopySupportedPropertyDictionaryForEncoder(width:height:codecType:"
                  "encoderSpecification:encoderIDOut:supportedPropertiesOut:)");

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
