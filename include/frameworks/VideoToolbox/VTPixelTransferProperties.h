/**
 * @file
 * The properties of pixel transfer sessions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTPIXELTRANSFERPROPERTIES_H
#define VTPIXELTRANSFERPROPERTIES_H

#include <VideoToolbox/VTBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/** CFString: the mode of fitting the source into the destination. Default kVTScalingMode_Normal. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_ScalingMode;
/** Scales the whole source to the whole destination. */
VT_EXPORT const CFStringRef kVTScalingMode_Normal;
/** Scales the source's clean aperture to the destination's. */
VT_EXPORT const CFStringRef kVTScalingMode_CropSourceToCleanAperture;
/**
 * Scales the source's clean aperture into the destination's with its aspect ratio, and adds black
 * bars.
 */
VT_EXPORT const CFStringRef kVTScalingMode_Letterbox;
/**
 * Scales the source's clean aperture over the whole destination's with its aspect ratio. Parts that
 * are too wide or too high are cut off on both sides.
 */
VT_EXPORT const CFStringRef kVTScalingMode_Trim;

/**
 * CFDictionary with kCVImageBufferCleanAperture...Key: the destination's clean aperture, which is
 * attached to it. The modes other than Normal fill this part, or the whole image if there is
 * none.
 */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationCleanAperture;

/**
 * CFDictionary with kCVImageBufferPixelAspectRatio...Key: the destination's pixel aspect ratio,
 * which is attached to it. Without it, Letterbox and Trim make square pixels.
 */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationPixelAspectRatio;

/** CFString: the method of chroma subsampling. Default kVTDownsamplingMode_Average. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DownsamplingMode;
VT_EXPORT const CFStringRef kVTDownsamplingMode_Decimate;
VT_EXPORT const CFStringRef kVTDownsamplingMode_Average;

/**
 * CFStrings kCVImageBuffer...: the destination's colours, which are attached to it. The default is
 * the source's colours. The matrix is applied; primaries and transfer functions are not converted.
 * Those that differ from the attachments of the source return kVTPixelTransferNotSupportedErr; a
 * source without these attachments gets them. For RGB, the matrix is that of BT.709 from 720 lines
 * on, otherwise that of BT.601. A decompression session returns that status when the property
 * kVTDecompressionPropertyKey_PixelTransferProperties is set, and keeps the stream's colours.
 */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationColorPrimaries;
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationTransferFunction;
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationYCbCrMatrix;

/** CFData: an ICC profile, which is attached to the destination. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationICCProfile;

/** CFBoolean. Accepted without effect: images are converted during the call. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_RealTime;

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
