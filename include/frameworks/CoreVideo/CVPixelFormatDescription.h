/**
 * @file
 * Dictionaries that describe pixel formats.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVPIXELFORMATDESCRIPTION_H
#define CVPIXELFORMATDESCRIPTION_H

#include <CoreVideo/CVBase.h>
#include <CoreVideo/CVPixelBuffer.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* ---- Keys of a description ------------------------------------------------------------------ */

CV_EXPORT const CFStringRef kCVPixelFormatName;      /**< CFString */
CV_EXPORT const CFStringRef kCVPixelFormatConstant;  /**< CFNumber: the format's code */
CV_EXPORT const CFStringRef kCVPixelFormatCodecType; /**< CFNumber */
CV_EXPORT const CFStringRef kCVPixelFormatFourCC;    /**< CFNumber */

/** CFBooleans. */
CV_EXPORT const CFStringRef kCVPixelFormatContainsAlpha;
CV_EXPORT const CFStringRef kCVPixelFormatContainsYCbCr;
CV_EXPORT const CFStringRef kCVPixelFormatContainsRGB;
CV_EXPORT const CFStringRef kCVPixelFormatContainsGrayscale;
CV_EXPORT const CFStringRef kCVPixelFormatContainsSenselArray;

CV_EXPORT const CFStringRef kCVPixelFormatComponentRange; /**< CFString, one of these three */
CV_EXPORT const CFStringRef kCVPixelFormatComponentRange_VideoRange;
CV_EXPORT const CFStringRef kCVPixelFormatComponentRange_FullRange;
CV_EXPORT const CFStringRef kCVPixelFormatComponentRange_WideRange;

/**
 * CFArray of dictionaries with the keys below, one for each plane. A format with one plane has
 * these keys in the description itself.
 */
CV_EXPORT const CFStringRef kCVPixelFormatPlanes;

/** CFNumbers: the columns and rows of a block; 1 if missing. */
CV_EXPORT const CFStringRef kCVPixelFormatBlockWidth;
CV_EXPORT const CFStringRef kCVPixelFormatBlockHeight;
/** CFNumbers: the bits of a block, and of one component. */
CV_EXPORT const CFStringRef kCVPixelFormatBitsPerBlock;
CV_EXPORT const CFStringRef kCVPixelFormatBitsPerComponent;
/** CFNumbers: the number of blocks in a row, and in a column, is a multiple of these. */
CV_EXPORT const CFStringRef kCVPixelFormatBlockHorizontalAlignment;
CV_EXPORT const CFStringRef kCVPixelFormatBlockVerticalAlignment;

CV_EXPORT const CFStringRef kCVPixelFormatBlackBlock; /**< CFData: a block of black pixels */

/** CFNumbers: 1 if missing, 2 for the chroma of 4:2:0. */
CV_EXPORT const CFStringRef kCVPixelFormatHorizontalSubsampling;
CV_EXPORT const CFStringRef kCVPixelFormatVerticalSubsampling;

/** These keys are missing in the descriptions here; programs may register them. */
CV_EXPORT const CFStringRef kCVPixelFormatOpenGLFormat;
CV_EXPORT const CFStringRef kCVPixelFormatOpenGLType;
CV_EXPORT const CFStringRef kCVPixelFormatOpenGLInternalFormat;
CV_EXPORT const CFStringRef kCVPixelFormatCGBitmapInfo;
CV_EXPORT const CFStringRef kCVPixelFormatQDCompatibility;
CV_EXPORT const CFStringRef kCVPixelFormatCGBitmapContextCompatibility;
CV_EXPORT const CFStringRef kCVPixelFormatCGImageCompatibility;
CV_EXPORT const CFStringRef kCVPixelFormatOpenGLCompatibility;
CV_EXPORT const CFStringRef kCVPixelFormatOpenGLESCompatibility;
CV_EXPORT const CFStringRef kCVPixelFormatFillExtendedPixelsCallback;

/** The contents of the CFData with the key above. version: 0. */
typedef Boolean (*CVFillExtendedPixelsCallBack)(CVPixelBufferRef pixelBuffer,
    void *_Nullable refCon);
typedef struct CVFillExtendedPixelsCallBackData {
    CFIndex version;
    CVFillExtendedPixelsCallBack fillCallBack;
    void *_Nullable refCon;
} CVFillExtendedPixelsCallBackData;

/* ---- Descriptions --------------------------------------------------------------------------- */

/** Returns the description of a format, or NULL for an unknown one. The caller releases it. */
CV_EXPORT CFDictionaryRef _Nullable CVPixelFormatDescriptionCreateWithPixelFormatType(
    CFAllocatorRef _Nullable allocator, OSType pixelFormat) CF_RETURNS_RETAINED;

/** Returns the codes of all known formats as CFNumbers. The caller releases the array. */
CV_EXPORT CFArrayRef _Nullable CVPixelFormatDescriptionArrayCreateWithAllPixelFormatTypes(
    CFAllocatorRef _Nullable allocator) CF_RETURNS_RETAINED;

/**
 * Registers a description, which replaces the one with the same code. Pixel buffers cannot have a
 * format that only such a description defines.
 */
CV_EXPORT void CVPixelFormatDescriptionRegisterDescriptionWithPixelFormatType(
    CFDictionaryRef description, OSType pixelFormat);

/** Returns the four characters of the code, or its number if they are not printable. */
CV_EXPORT CFStringRef CVPixelFormatTypeCopyFourCharCodeString(OSType pixelFormat)
    CF_RETURNS_RETAINED;

/** Returns false: compressed pixel formats do not exist here. */
CV_EXPORT Boolean CVIsCompressedPixelFormatAvailable(OSType pixelFormatType);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
