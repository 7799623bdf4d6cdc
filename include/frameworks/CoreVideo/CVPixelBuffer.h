/**
 * @file
 * Images in memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVPIXELBUFFER_H
#define CVPIXELBUFFER_H

#include <CoreVideo/CVImageBuffer.h>

CF_ASSUME_NONNULL_BEGIN

/* ---- Pixel formats -------------------------------------------------------------------------- */

/**
 * Codes of pixel formats. The comments name components in the order of memory, and separate planes
 * by semicolons. The sizes of chroma planes are rounded up. Pixel buffers can have the formats that
 * CVPixelFormatDescriptionArrayCreateWithAllPixelFormatTypes lists before a program registers any.
 * Other formats return kCVReturnInvalidPixelFormat.
 */
CF_ENUM(OSType) {
    /** RGB, gray and indexed colours. */
    kCVPixelFormatType_1Monochrome = 0x00000001, /**< 1 bit, indexed */
    kCVPixelFormatType_2Indexed = 0x00000002,
    kCVPixelFormatType_4Indexed = 0x00000004,
    kCVPixelFormatType_8Indexed = 0x00000008,
    kCVPixelFormatType_1IndexedGray_WhiteIsZero = 0x00000021,
    kCVPixelFormatType_2IndexedGray_WhiteIsZero = 0x00000022,
    kCVPixelFormatType_4IndexedGray_WhiteIsZero = 0x00000024,
    kCVPixelFormatType_8IndexedGray_WhiteIsZero = 0x00000028,
    kCVPixelFormatType_16BE555 = 0x00000010, /**< RGB, big-endian */
    kCVPixelFormatType_16LE555 = 0x4c353535, /**< 'L555' */
    kCVPixelFormatType_16LE5551 = 0x35353531, /**< '5551' */
    kCVPixelFormatType_16BE565 = 0x42353635, /**< 'B565' */
    kCVPixelFormatType_16LE565 = 0x4c353635, /**< 'L565' */
    kCVPixelFormatType_24RGB = 0x00000018, /**< R G B */
    kCVPixelFormatType_24BGR = 0x32344247, /**< '24BG': B G R */
    kCVPixelFormatType_32ARGB = 0x00000020,
    kCVPixelFormatType_32BGRA = 0x42475241, /**< 'BGRA' */
    kCVPixelFormatType_32ABGR = 0x41424752, /**< 'ABGR' */
    kCVPixelFormatType_32RGBA = 0x52474241, /**< 'RGBA' */
    kCVPixelFormatType_64ARGB = 0x62363461, /**< 'b64a': 16 bits, big-endian */
    kCVPixelFormatType_64RGBALE = 0x6c363472, /**< 'l64r': 16 bits, little-endian */
    kCVPixelFormatType_48RGB = 0x62343872, /**< 'b48r': 16 bits, big-endian */
    kCVPixelFormatType_32AlphaGray = 0x62333261, /**< 'b32a': 16 bits, big-endian */
    kCVPixelFormatType_16Gray = 0x62313667, /**< 'b16g': big-endian */
    kCVPixelFormatType_30RGB = 0x5231306b, /**< 'R10k': 10 bits, the lowest 2 unused, big-endian */
    kCVPixelFormatType_30RGB_r210 =
        0x72323130, /**< 'r210': 10 bits, the highest 2 unused, big-endian */
    kCVPixelFormatType_30RGBLEPackedWideGamut = 0x77333072, /**< 'w30r' */
    kCVPixelFormatType_ARGB2101010LEPacked = 0x6c313072, /**< 'l10r' */
    kCVPixelFormatType_40ARGBLEWideGamut = 0x77343061, /**< 'w40a' */
    kCVPixelFormatType_40ARGBLEWideGamutPremultiplied = 0x7734306d, /**< 'w40m' */
    kCVPixelFormatType_64RGBAHalf = 0x52476841, /**< 'RGhA' */
    kCVPixelFormatType_128RGBAFloat = 0x52476641, /**< 'RGfA' */

    /** YCbCr in one plane. */
    kCVPixelFormatType_422YpCbCr8 = 0x32767579, /**< '2vuy': Cb Y Cr Y, video range */
    kCVPixelFormatType_422YpCbCr8_yuvs = 0x79757673, /**< 'yuvs': Y Cb Y Cr, video range */
    kCVPixelFormatType_422YpCbCr8FullRange = 0x79757666, /**< 'yuvf': Y Cb Y Cr, full range */
    kCVPixelFormatType_4444YpCbCrA8 = 0x76343038, /**< 'v408': Cb Y Cr A, video range */
    kCVPixelFormatType_4444YpCbCrA8R = 0x72343038, /**< 'r408': A Y Cb Cr, for rendering */
    kCVPixelFormatType_4444AYpCbCr8 = 0x79343038, /**< 'y408': A Y Cb Cr, video range */
    kCVPixelFormatType_4444AYpCbCr16 = 0x79343136, /**< 'y416': A Y Cb Cr, 16 bits, little-endian */
    kCVPixelFormatType_4444AYpCbCrFloat = 0x7234666c, /**< 'r4fl': A Y Cb Cr, floats */
    kCVPixelFormatType_444YpCbCr8 = 0x76333038, /**< 'v308': Cr Y Cb */
    kCVPixelFormatType_422YpCbCr16 = 0x76323136, /**< 'v216': Cb Y Cr Y, 16 bits, little-endian */
    kCVPixelFormatType_422YpCbCr10 = 0x76323130, /**< 'v210': 6 pixels in 16 bytes */
    kCVPixelFormatType_444YpCbCr10 = 0x76343130, /**< 'v410': Cr Y Cb in 32 bits */

    /** YCbCr in planes. */
    kCVPixelFormatType_420YpCbCr8Planar = 0x79343230, /**< 'y420': Y; Cb; Cr, video range */
    kCVPixelFormatType_420YpCbCr8PlanarFullRange = 0x66343230, /**< 'f420': full range */
    kCVPixelFormatType_422YpCbCr_4A_8BiPlanar = 0x61327679, /**< 'a2vy': like '2vuy'; alpha */
    kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange = 0x34323076, /**< '420v': Y; Cb Cr */
    kCVPixelFormatType_420YpCbCr8BiPlanarFullRange = 0x34323066, /**< '420f' */
    kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange = 0x34323276, /**< '422v' */
    kCVPixelFormatType_422YpCbCr8BiPlanarFullRange = 0x34323266, /**< '422f' */
    kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange = 0x34343476, /**< '444v' */
    kCVPixelFormatType_444YpCbCr8BiPlanarFullRange = 0x34343466, /**< '444f' */
    kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange =
        0x78343230, /**< 'x420': the highest 10 of 16 bits */
    kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange = 0x78343232, /**< 'x422' */
    kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange = 0x78343434, /**< 'x444' */
    kCVPixelFormatType_420YpCbCr10BiPlanarFullRange = 0x78663230, /**< 'xf20' */
    kCVPixelFormatType_422YpCbCr10BiPlanarFullRange = 0x78663232, /**< 'xf22' */
    kCVPixelFormatType_444YpCbCr10BiPlanarFullRange = 0x78663434, /**< 'xf44' */
    kCVPixelFormatType_422YpCbCr16BiPlanarVideoRange = 0x73763232, /**< 'sv22': 16 bits */
    kCVPixelFormatType_444YpCbCr16BiPlanarVideoRange = 0x73763434, /**< 'sv44' */
    kCVPixelFormatType_420YpCbCr8VideoRange_8A_TriPlanar =
        0x76306138, /**< 'v0a8': like '420v'; alpha */
    kCVPixelFormatType_444YpCbCr16VideoRange_16A_TriPlanar =
        0x73346173, /**< 's4as': like 'sv44'; alpha */
    kCVPixelFormatType_30RGBLE_8A_BiPlanar = 0x62336138, /**< 'b3a8' */

    /** Pixels of one or two components, in the highest bits of words in native byte order. */
    kCVPixelFormatType_OneComponent8 = 0x4c303038, /**< 'L008': full range */
    kCVPixelFormatType_TwoComponent8 = 0x32433038, /**< '2C08' */
    kCVPixelFormatType_OneComponent10 = 0x4c303130, /**< 'L010' */
    kCVPixelFormatType_OneComponent12 = 0x4c303132, /**< 'L012' */
    kCVPixelFormatType_OneComponent16 = 0x4c303136, /**< 'L016' */
    kCVPixelFormatType_TwoComponent16 = 0x32433136, /**< '2C16' */
    kCVPixelFormatType_OneComponent16Half = 0x4c303068, /**< 'L00h' */
    kCVPixelFormatType_OneComponent32Float = 0x4c303066, /**< 'L00f' */
    kCVPixelFormatType_TwoComponent16Half = 0x32433068, /**< '2C0h' */
    kCVPixelFormatType_TwoComponent32Float = 0x32433066, /**< '2C0f' */

    /** Sensors. */
    kCVPixelFormatType_14Bayer_GRBG = 0x67726234, /**< 'grb4' */
    kCVPixelFormatType_14Bayer_RGGB = 0x72676734, /**< 'rgg4' */
    kCVPixelFormatType_14Bayer_BGGR = 0x62676734, /**< 'bgg4' */
    kCVPixelFormatType_14Bayer_GBRG = 0x67627234, /**< 'gbr4' */
    kCVPixelFormatType_16VersatileBayer = 0x62703136, /**< 'bp16' */
    kCVPixelFormatType_96VersatileBayerPacked12 = 0x62747032, /**< 'btp2' */
    kCVPixelFormatType_64RGBA_DownscaledProResRAW = 0x62703634, /**< 'bp64' */
    kCVPixelFormatType_DisparityFloat16 = 0x68646973, /**< 'hdis' */
    kCVPixelFormatType_DisparityFloat32 = 0x66646973, /**< 'fdis' */
    kCVPixelFormatType_DepthFloat16 = 0x68646570, /**< 'hdep' */
    kCVPixelFormatType_DepthFloat32 = 0x66646570, /**< 'fdep' */

    /** Compressed formats, which no function here accepts. */
    kCVPixelFormatType_Lossless_32BGRA = 0x26424741, /**< '&BGA' */
    kCVPixelFormatType_Lossless_64RGBAHalf = 0x26526841, /**< '&RhA' */
    kCVPixelFormatType_Lossless_420YpCbCr8BiPlanarVideoRange = 0x26387630, /**< '&8v0' */
    kCVPixelFormatType_Lossless_420YpCbCr8BiPlanarFullRange = 0x26386630, /**< '&8f0' */
    kCVPixelFormatType_Lossless_420YpCbCr10PackedBiPlanarVideoRange = 0x26787630, /**< '&xv0' */
    kCVPixelFormatType_Lossless_422YpCbCr10PackedBiPlanarVideoRange = 0x26787632, /**< '&xv2' */
    kCVPixelFormatType_Lossless_420YpCbCr10PackedBiPlanarFullRange = 0x26786630, /**< '&xf0' */
    kCVPixelFormatType_Lossless_30RGBLE_8A_BiPlanar = 0x26623338, /**< '&b38' */
    kCVPixelFormatType_Lossless_30RGBLEPackedWideGamut = 0x26773372, /**< '&w3r' */
    kCVPixelFormatType_Lossy_32BGRA = 0x2d424741, /**< '-BGA' */
    kCVPixelFormatType_Lossy_420YpCbCr8BiPlanarVideoRange = 0x2d387630, /**< '-8v0' */
    kCVPixelFormatType_Lossy_420YpCbCr8BiPlanarFullRange = 0x2d386630, /**< '-8f0' */
    kCVPixelFormatType_Lossy_420YpCbCr10PackedBiPlanarVideoRange = 0x2d787630, /**< '-xv0' */
    kCVPixelFormatType_Lossy_422YpCbCr10PackedBiPlanarVideoRange = 0x2d787632, /**< '-xv2' */
};

/** The colour of the top left pixel of kCVPixelFormatType_16VersatileBayer. */
CF_ENUM(uint32_t) {
    kCVVersatileBayer_BayerPattern_RGGB = 0,
    kCVVersatileBayer_BayerPattern_GRBG = 1,
    kCVVersatileBayer_BayerPattern_GBRG = 2,
    kCVVersatileBayer_BayerPattern_BGGR = 3,
};

/* ---- Layout of planes ----------------------------------------------------------------------- */

/**
 * The layout of a buffer's planes. CVPixelBufferGetBaseAddress returns it for buffers of two and
 * three planes that CoreVideo allocated. The numbers are big-endian; offsets are relative to this
 * description.
 */
typedef struct CVPlanarComponentInfo {
    int32_t offset;
    uint32_t rowBytes;
} CVPlanarComponentInfo;

typedef struct CVPlanarPixelBufferInfo {
    CVPlanarComponentInfo componentInfo[1];
} CVPlanarPixelBufferInfo;

typedef struct CVPlanarPixelBufferInfo_YCbCrPlanar {
    CVPlanarComponentInfo componentInfoY;
    CVPlanarComponentInfo componentInfoCb;
    CVPlanarComponentInfo componentInfoCr;
} CVPlanarPixelBufferInfo_YCbCrPlanar;

typedef struct CVPlanarPixelBufferInfo_YCbCrBiPlanar {
    CVPlanarComponentInfo componentInfoY;
    CVPlanarComponentInfo componentInfoCbCr;
} CVPlanarPixelBufferInfo_YCbCrBiPlanar;

/* ---- Attributes ----------------------------------------------------------------------------- */

CF_IMPLICIT_BRIDGING_ENABLED

/** CFNumber with a code, or a CFArray of such numbers. */
CV_EXPORT const CFStringRef kCVPixelBufferPixelFormatTypeKey;
/** CFNumbers, in pixels. */
CV_EXPORT const CFStringRef kCVPixelBufferWidthKey;
CV_EXPORT const CFStringRef kCVPixelBufferHeightKey;
/**
 * CFNumbers: extended pixels, which lie in memory around the image. CVPixelBufferFillExtendedPixels
 * fills them.
 */
CV_EXPORT const CFStringRef kCVPixelBufferExtendedPixelsLeftKey;
CV_EXPORT const CFStringRef kCVPixelBufferExtendedPixelsTopKey;
CV_EXPORT const CFStringRef kCVPixelBufferExtendedPixelsRightKey;
CV_EXPORT const CFStringRef kCVPixelBufferExtendedPixelsBottomKey;
/** CFNumbers, in bytes. Rows and planes are always aligned to 64. */
CV_EXPORT const CFStringRef kCVPixelBufferBytesPerRowAlignmentKey;
CV_EXPORT const CFStringRef kCVPixelBufferPlaneAlignmentKey;

/** Accepted without effect: buffers allocate their memory themselves. */
CV_EXPORT const CFStringRef kCVPixelBufferMemoryAllocatorKey;
/** Accepted without effect: buffers are memory of the process, and there is no GPU. */
CV_EXPORT const CFStringRef kCVPixelBufferCGBitmapContextCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferCGImageCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferOpenGLCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfacePropertiesKey;
CV_EXPORT const CFStringRef kCVPixelBufferOpenGLESCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferMetalCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferOpenGLTextureCacheCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferOpenGLESTextureCacheCompatibilityKey;

/** Keys of attachments that describe the data of a sensor. */
CV_EXPORT const CFStringRef kCVPixelBufferVersatileBayerKey_BayerPattern;
CV_EXPORT const CFStringRef kCVPixelBufferProResRAWKey_SenselSitingOffsets;
CV_EXPORT const CFStringRef kCVPixelBufferProResRAWKey_BlackLevel;
CV_EXPORT const CFStringRef kCVPixelBufferProResRAWKey_WhiteLevel;
CV_EXPORT const CFStringRef kCVPixelBufferProResRAWKey_WhiteBalanceCCT;
CV_EXPORT const CFStringRef kCVPixelBufferProResRAWKey_WhiteBalanceRedFactor;
CV_EXPORT const CFStringRef kCVPixelBufferProResRAWKey_WhiteBalanceBlueFactor;
CV_EXPORT const CFStringRef kCVPixelBufferProResRAWKey_ColorMatrix;
CV_EXPORT const CFStringRef kCVPixelBufferProResRAWKey_GainFactor;
CV_EXPORT const CFStringRef kCVPixelBufferProResRAWKey_RecommendedCrop;
CV_EXPORT const CFStringRef kCVPixelBufferProResRAWKey_MetadataExtension;

/* ---- Buffers -------------------------------------------------------------------------------- */

/**
 * An image in memory. For NULL and for other objects, getters return 0, NULL or false, and other
 * functions return kCVReturnInvalidArgument. Any thread may use it. A program that writes pixels
 * must make sure that no other thread uses them.
 */
typedef CVImageBufferRef CVPixelBufferRef;

typedef CF_OPTIONS(CVOptionFlags, CVPixelBufferLockFlags) {
    /** The pixels are only read. */
    kCVPixelBufferLock_ReadOnly = 0x00000001,
};

CV_EXPORT CFTypeID CVPixelBufferGetTypeID(void);

CF_IMPLICIT_BRIDGING_DISABLED

/** Add and remove references; both accept NULL. Swift does so automatically. */
CV_EXPORT CVPixelBufferRef _Nullable CVPixelBufferRetain(CVPixelBufferRef _Nullable texture)
    CF_SWIFT_UNAVAILABLE("Swift retains buffers by itself");
CV_EXPORT void CVPixelBufferRelease(CF_RELEASES_ARGUMENT CVPixelBufferRef _Nullable texture)
    CF_SWIFT_UNAVAILABLE("Swift releases buffers by itself");

CF_IMPLICIT_BRIDGING_ENABLED

/**
 * Merges the dictionaries of an array into one, which the caller releases. Their sizes must agree.
 * Of pixel formats in arrays, the common ones remain. Alignments become their least common
 * multiple. Returns kCVReturnInvalidPixelBufferAttributes if the dictionaries disagree, or if that
 * multiple exceeds 65536 bytes.
 */
CV_EXPORT CVReturn CVPixelBufferCreateResolvedAttributesDictionary(
    CFAllocatorRef _Nullable allocator, CFArrayRef _Nullable attributes,
    CV_RETURNS_RETAINED_PARAMETER CFDictionaryRef _Nullable *_Nonnull resolvedDictionaryOut);

/**
 * Creates a buffer with its own memory, whose pixels are undefined. Rows are aligned to 64 bytes.
 * The attributes are read during the call only. Returns kCVReturnInvalidPixelFormat,
 * kCVReturnInvalidSize, kCVReturnInvalidPixelBufferAttributes, or kCVReturnInvalidArgument for a
 * size of 0.
 */
CV_EXPORT CVReturn CVPixelBufferCreate(CFAllocatorRef _Nullable allocator, size_t width,
    size_t height, OSType pixelFormatType, CFDictionaryRef _Nullable pixelBufferAttributes,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut);

typedef void (*CVPixelBufferReleaseBytesCallback)(void *_Nullable releaseRefCon,
    const void *_Nullable baseAddress);

/**
 * Creates a buffer of one plane over the caller's memory. The memory must remain valid until
 * releaseCallback (may be NULL) is called, once, after the last reference was released. The
 * callback is not called if this call fails.
 */
CV_EXPORT CVReturn CVPixelBufferCreateWithBytes(CFAllocatorRef _Nullable allocator, size_t width,
    size_t height, OSType pixelFormatType, void *baseAddress, size_t bytesPerRow,
    CVPixelBufferReleaseBytesCallback _Nullable releaseCallback, void *_Nullable releaseRefCon,
    CFDictionaryRef _Nullable pixelBufferAttributes,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut);

typedef void (*CVPixelBufferReleasePlanarBytesCallback)(void *_Nullable releaseRefCon,
    const void *_Nullable dataPtr, size_t dataSize, size_t numberOfPlanes,
    const void *_Nullable planeAddresses[_Nullable]);

/**
 * Works like CVPixelBufferCreateWithBytes, for several planes. dataPtr and dataSize may be NULL and
 * 0.
 */
CV_EXPORT CVReturn CVPixelBufferCreateWithPlanarBytes(CFAllocatorRef _Nullable allocator,
    size_t width, size_t height, OSType pixelFormatType, void *_Nullable dataPtr, size_t dataSize,
    size_t numberOfPlanes, void *_Nullable planeBaseAddress[_Nonnull],
    size_t planeWidth[_Nonnull], size_t planeHeight[_Nonnull], size_t planeBytesPerRow[_Nonnull],
    CVPixelBufferReleasePlanarBytesCallback _Nullable releaseCallback,
    void *_Nullable releaseRefCon, CFDictionaryRef _Nullable pixelBufferAttributes,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut);

/**
 * Locks the pixels for access by the processor. Each call needs a call of
 * CVPixelBufferUnlockBaseAddress with the same flags. Addresses are valid while the buffer is
 * locked, and never change.
 */
CV_EXPORT CVReturn CVPixelBufferLockBaseAddress(CVPixelBufferRef pixelBuffer,
    CVPixelBufferLockFlags lockFlags);
/**
 * Unlocks the pixels. Returns kCVReturnError if there is no lock. Returns kCVReturnInvalidArgument,
 * and changes nothing, if the locks have other flags.
 */
CV_EXPORT CVReturn CVPixelBufferUnlockBaseAddress(CVPixelBufferRef pixelBuffer,
    CVPixelBufferLockFlags unlockFlags);

CV_EXPORT size_t CVPixelBufferGetWidth(CVPixelBufferRef pixelBuffer);
CV_EXPORT size_t CVPixelBufferGetHeight(CVPixelBufferRef pixelBuffer);
CV_EXPORT OSType CVPixelBufferGetPixelFormatType(CVPixelBufferRef pixelBuffer);

/**
 * Returns the address of the first pixel. For several planes, returns the address of a
 * CVPlanarPixelBufferInfo, or NULL if there is none: use CVPixelBufferGetBaseAddressOfPlane.
 */
CV_EXPORT void *_Nullable CVPixelBufferGetBaseAddress(CVPixelBufferRef pixelBuffer);

/**
 * Returns the number of bytes from one row to the next. For several planes, returns a number whose
 * product with the height covers all of them.
 */
CV_EXPORT size_t CVPixelBufferGetBytesPerRow(CVPixelBufferRef pixelBuffer);

/** Returns the size of the buffer's memory in bytes. */
CV_EXPORT size_t CVPixelBufferGetDataSize(CVPixelBufferRef pixelBuffer);

/** Return true if the format has planes, and the number of planes: 0 if it has none. */
CV_EXPORT Boolean CVPixelBufferIsPlanar(CVPixelBufferRef pixelBuffer);
CV_EXPORT size_t CVPixelBufferGetPlaneCount(CVPixelBufferRef pixelBuffer);

/**
 * Return the size of a plane in its own samples, its address, and the number of bytes from one of
 * its rows to the next. A format without planes has plane 0, which is the image.
 */
CV_EXPORT size_t CVPixelBufferGetWidthOfPlane(CVPixelBufferRef pixelBuffer, size_t planeIndex);
CV_EXPORT size_t CVPixelBufferGetHeightOfPlane(CVPixelBufferRef pixelBuffer, size_t planeIndex);
CV_EXPORT void *_Nullable CVPixelBufferGetBaseAddressOfPlane(CVPixelBufferRef pixelBuffer,
    size_t planeIndex);
CV_EXPORT size_t CVPixelBufferGetBytesPerRowOfPlane(CVPixelBufferRef pixelBuffer,
    size_t planeIndex);

/** Stores the numbers of extended pixels around the image. Each pointer may be NULL. */
CV_EXPORT void CVPixelBufferGetExtendedPixels(CVPixelBufferRef pixelBuffer,
    size_t *_Nullable extraColumnsOnLeft, size_t *_Nullable extraColumnsOnRight,
    size_t *_Nullable extraRowsOnTop, size_t *_Nullable extraRowsOnBottom);

/**
 * Fills the extended pixels with the image's border. Returns kCVReturnUnsupported for formats whose
 * pixels are not whole bytes.
 */
CV_EXPORT CVReturn CVPixelBufferFillExtendedPixels(CVPixelBufferRef pixelBuffer);

/**
 * Returns the attributes with which the buffer was created, with its size and format. The caller
 * releases them.
 */
CV_EXPORT CFDictionaryRef _Nullable CVPixelBufferCopyCreationAttributes(
    CVPixelBufferRef pixelBuffer) CF_RETURNS_RETAINED;

/**
 * Returns true if the buffer has the size, the format, the alignment and the extended pixels that
 * the attributes require.
 */
CV_EXPORT Boolean CVPixelBufferIsCompatibleWithAttributes(CVPixelBufferRef pixelBuffer,
    CFDictionaryRef _Nullable attributes);

CF_IMPLICIT_BRIDGING_DISABLED
CF_ASSUME_NONNULL_END

#endif
