/**
 * @file
 * Properties of an image: sizes, pixel aspect ratio, fields and colours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVIMAGEBUFFER_H
#define CVIMAGEBUFFER_H

#include <CoreVideo/CVBuffer.h>

#include <CoreGraphics/CoreGraphics.h>

CF_ASSUME_NONNULL_BEGIN

/** A CVBuffer with an image. The only kind here is the pixel buffer. */
typedef CVBufferRef CVImageBufferRef;

CF_IMPLICIT_BRIDGING_ENABLED

/* ---- Keys of attachments, and their values -------------------------------------------------- */

/** Keys whose values are stored and not used: a CGColorSpaceRef, and CFData with an ICC profile. */
CV_EXPORT const CFStringRef kCVImageBufferCGColorSpaceKey;
CV_EXPORT const CFStringRef kCVImageBufferICCProfileKey;

/**
 * The part of the image that is meant to be displayed: a dictionary of four CFNumbers. The offsets
 * go from the image's centre to the centre of the part, to the right and downwards.
 */
CV_EXPORT const CFStringRef kCVImageBufferCleanApertureKey;
CV_EXPORT const CFStringRef kCVImageBufferCleanApertureWidthKey;
CV_EXPORT const CFStringRef kCVImageBufferCleanApertureHeightKey;
CV_EXPORT const CFStringRef kCVImageBufferCleanApertureHorizontalOffsetKey;
CV_EXPORT const CFStringRef kCVImageBufferCleanApertureVerticalOffsetKey;
CV_EXPORT const CFStringRef kCVImageBufferPreferredCleanApertureKey;

/**
 * CFNumber: 1 for progressive pictures, 2 for interlaced ones. FieldDetail is a CFString, the order
 * of the two fields.
 */
CV_EXPORT const CFStringRef kCVImageBufferFieldCountKey;
CV_EXPORT const CFStringRef kCVImageBufferFieldDetailKey;
CV_EXPORT const CFStringRef kCVImageBufferFieldDetailTemporalTopFirst;
CV_EXPORT const CFStringRef kCVImageBufferFieldDetailTemporalBottomFirst;
CV_EXPORT const CFStringRef kCVImageBufferFieldDetailSpatialFirstLineEarly;
CV_EXPORT const CFStringRef kCVImageBufferFieldDetailSpatialFirstLineLate;

/** The pixel aspect ratio: a dictionary of two CFNumbers, horizontal to vertical. */
CV_EXPORT const CFStringRef kCVImageBufferPixelAspectRatioKey;
CV_EXPORT const CFStringRef kCVImageBufferPixelAspectRatioHorizontalSpacingKey;
CV_EXPORT const CFStringRef kCVImageBufferPixelAspectRatioVerticalSpacingKey;

/** The size at which the image is displayed: a dictionary of two CFNumbers, in pixels. */
CV_EXPORT const CFStringRef kCVImageBufferDisplayDimensionsKey;
CV_EXPORT const CFStringRef kCVImageBufferDisplayWidthKey;
CV_EXPORT const CFStringRef kCVImageBufferDisplayHeightKey;

/** CFNumber: the exponent of kCVImageBufferTransferFunction_UseGamma. */
CV_EXPORT const CFStringRef kCVImageBufferGammaLevelKey;

/** The matrix between RGB and YCbCr. */
CV_EXPORT const CFStringRef kCVImageBufferYCbCrMatrixKey;
CV_EXPORT const CFStringRef kCVImageBufferYCbCrMatrix_ITU_R_709_2;
CV_EXPORT const CFStringRef kCVImageBufferYCbCrMatrix_ITU_R_601_4;
CV_EXPORT const CFStringRef kCVImageBufferYCbCrMatrix_SMPTE_240M_1995;
CV_EXPORT const CFStringRef kCVImageBufferYCbCrMatrix_DCI_P3;
CV_EXPORT const CFStringRef kCVImageBufferYCbCrMatrix_P3_D65;
CV_EXPORT const CFStringRef kCVImageBufferYCbCrMatrix_ITU_R_2020;

CV_EXPORT const CFStringRef kCVImageBufferColorPrimariesKey;
CV_EXPORT const CFStringRef kCVImageBufferColorPrimaries_ITU_R_709_2;
CV_EXPORT const CFStringRef kCVImageBufferColorPrimaries_EBU_3213;
CV_EXPORT const CFStringRef kCVImageBufferColorPrimaries_SMPTE_C;
CV_EXPORT const CFStringRef kCVImageBufferColorPrimaries_P22;
CV_EXPORT const CFStringRef kCVImageBufferColorPrimaries_DCI_P3;
CV_EXPORT const CFStringRef kCVImageBufferColorPrimaries_P3_D65;
CV_EXPORT const CFStringRef kCVImageBufferColorPrimaries_ITU_R_2020;

CV_EXPORT const CFStringRef kCVImageBufferTransferFunctionKey;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_ITU_R_709_2;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_SMPTE_240M_1995;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_UseGamma;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_EBU_3213;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_SMPTE_C;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_sRGB;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_ITU_R_2020;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_SMPTE_ST_428_1;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_ITU_R_2100_HLG;
CV_EXPORT const CFStringRef kCVImageBufferTransferFunction_Linear;

CV_EXPORT const CFStringRef kCVImageBufferLogTransferFunctionKey;
CV_EXPORT const CFStringRef kCVImageBufferLogTransferFunction_AppleLog;
CV_EXPORT const CFStringRef kCVImageBufferLogTransferFunction_AppleLog2;

/** The positions of the chroma samples of each field. */
CV_EXPORT const CFStringRef kCVImageBufferChromaLocationTopFieldKey;
CV_EXPORT const CFStringRef kCVImageBufferChromaLocationBottomFieldKey;
CV_EXPORT const CFStringRef kCVImageBufferChromaLocation_Left;
CV_EXPORT const CFStringRef kCVImageBufferChromaLocation_Center;
CV_EXPORT const CFStringRef kCVImageBufferChromaLocation_TopLeft;
CV_EXPORT const CFStringRef kCVImageBufferChromaLocation_Top;
CV_EXPORT const CFStringRef kCVImageBufferChromaLocation_BottomLeft;
CV_EXPORT const CFStringRef kCVImageBufferChromaLocation_Bottom;
CV_EXPORT const CFStringRef kCVImageBufferChromaLocation_DV420;

CV_EXPORT const CFStringRef kCVImageBufferChromaSubsamplingKey;
CV_EXPORT const CFStringRef kCVImageBufferChromaSubsampling_420;
CV_EXPORT const CFStringRef kCVImageBufferChromaSubsampling_422;
CV_EXPORT const CFStringRef kCVImageBufferChromaSubsampling_411;

/** CFBoolean: true if all pixels are opaque. CFString: whether colours are multiplied by alpha. */
CV_EXPORT const CFStringRef kCVImageBufferAlphaChannelIsOpaque;
CV_EXPORT const CFStringRef kCVImageBufferAlphaChannelModeKey;
CV_EXPORT const CFStringRef kCVImageBufferAlphaChannelMode_StraightAlpha;
CV_EXPORT const CFStringRef kCVImageBufferAlphaChannelMode_PremultipliedAlpha;

/** CFData in the byte order of the H.265 SEI messages: 24, 4 and 8 bytes. */
CV_EXPORT const CFStringRef kCVImageBufferMasteringDisplayColorVolumeKey;
CV_EXPORT const CFStringRef kCVImageBufferContentLightLevelInfoKey;
CV_EXPORT const CFStringRef kCVImageBufferAmbientViewingEnvironmentKey;

CV_EXPORT const CFStringRef kCVImageBufferRegionOfInterestKey;
CV_EXPORT const CFStringRef kCVImageBufferSceneIlluminationKey;
CV_EXPORT const CFStringRef kCVImageBufferPostDecodeProcessingSequenceMetadataKey;
CV_EXPORT const CFStringRef kCVImageBufferPostDecodeProcessingFrameMetadataKey;

/* ---- Colour code points of ITU-T H.273 ------------------------------------------------------ */

/**
 * Return the code point of one of the strings above; 2, "unspecified", for other strings and for
 * NULL.
 */
CV_EXPORT int CVYCbCrMatrixGetIntegerCodePointForString(CFStringRef _Nullable yCbCrMatrixString);
CV_EXPORT int CVColorPrimariesGetIntegerCodePointForString(
    CFStringRef _Nullable colorPrimariesString);
CV_EXPORT int CVTransferFunctionGetIntegerCodePointForString(
    CFStringRef _Nullable transferFunctionString);

CF_IMPLICIT_BRIDGING_DISABLED

/** Return the string of a code point, or NULL if there is none. The caller does not release it. */
CV_EXPORT CFStringRef _Nullable CVYCbCrMatrixGetStringForIntegerCodePoint(int yCbCrMatrixCodePoint);
CV_EXPORT CFStringRef _Nullable CVColorPrimariesGetStringForIntegerCodePoint(
    int colorPrimariesCodePoint);
CV_EXPORT CFStringRef _Nullable CVTransferFunctionGetStringForIntegerCodePoint(
    int transferFunctionCodePoint);

/* ---- Geometry of an image ------------------------------------------------------------------- */

/** Returns the size of the image in memory, in pixels; zeros for NULL, here and below. */
CV_EXPORT CGSize CVImageBufferGetEncodedSize(CVImageBufferRef imageBuffer)
    __attribute__((swift_private));

/**
 * Returns the size at which the image is displayed: the attachment DisplayDimensions, or the size
 * that results from CleanAperture and PixelAspectRatio.
 */
CV_EXPORT CGSize CVImageBufferGetDisplaySize(CVImageBufferRef imageBuffer)
    __attribute__((swift_private));

/**
 * Returns the clean aperture, relative to the top left corner; the whole image if that attachment
 * is missing.
 */
CV_EXPORT CGRect CVImageBufferGetCleanRect(CVImageBufferRef imageBuffer)
    __attribute__((swift_private));

/** Returns true: the first row in memory is the top row. */
CV_EXPORT Boolean CVImageBufferIsFlipped(CVImageBufferRef imageBuffer);

/** Returns the value of kCVImageBufferCGColorSpaceKey, or NULL. */
CV_EXPORT CGColorSpaceRef _Nullable CVImageBufferGetColorSpace(CVImageBufferRef imageBuffer);

/** Not supported: always NULL, because colour spaces do not exist here. */
CV_EXPORT CGColorSpaceRef _Nullable CVImageBufferCreateColorSpaceFromAttachments(
    CFDictionaryRef attachments) CF_RETURNS_RETAINED;

CF_ASSUME_NONNULL_END

#endif
