/*
 * VideoToolbox/VTPixelTransferProperties.h - properties of pixel transfer sessions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VTPIXELTRANSFERPROPERTIES_H
#define VTPIXELTRANSFERPROPERTIES_H

#include <VideoToolbox/VTBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* CFString: how the source is fitted into the destination. Default kVTScalingMode_Normal. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_ScalingMode;
/* The whole source over the whole destination. */
VT_EXPORT const CFStringRef kVTScalingMode_Normal;
/* The source's clean aperture over the destination's. */
VT_EXPORT const CFStringRef kVTScalingMode_CropSourceToCleanAperture;
/* The source's clean aperture inside the destination's, with its aspect ratio and black bars. */
VT_EXPORT const CFStringRef kVTScalingMode_Letterbox;
/* The source's clean aperture over all of the destination's, with its aspect ratio: what is too
 * wide or too high is cut off at both sides. */
VT_EXPORT const CFStringRef kVTScalingMode_Trim;

/* CFDictionary with kCVImageBufferCleanAperture...Key: the destination's clean aperture, which is
 * attached to it. The modes other than Normal fill this part; without it, the whole image. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationCleanAperture;

/* CFDictionary with kCVImageBufferPixelAspectRatio...Key: the shape of the destination's pixels,
 * which is attached to it. Without one, Letterbox and Trim make square pixels. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationPixelAspectRatio;

/* CFString: how chroma is subsampled. Default kVTDownsamplingMode_Average. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DownsamplingMode;
VT_EXPORT const CFStringRef kVTDownsamplingMode_Decimate;
VT_EXPORT const CFStringRef kVTDownsamplingMode_Average;

/* CFStrings kCVImageBuffer...: the destination's colours, which are attached to it. Without them
 * they are the source's. The matrix is applied; primaries and transfer functions are not converted.
 * RGB gets the matrix of BT.709 for 720 lines and more, else that of BT.601. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationColorPrimaries;
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationTransferFunction;
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationYCbCrMatrix;

/* CFData: an ICC profile, which is attached to the destination. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_DestinationICCProfile;

/* CFBoolean. Accepted without effect: images are converted during the call. */
VT_EXPORT const CFStringRef kVTPixelTransferPropertyKey_RealTime;

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
