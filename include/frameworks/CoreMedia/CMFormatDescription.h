/**
 * @file
 * Descriptions of samples: codec, size, colour, parameter sets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMFORMATDESCRIPTION_H
#define CMFORMATDESCRIPTION_H

#include <CoreGraphics/CGGeometry.h>
#include <CoreMedia/CMBase.h>
#include <CoreVideo/CVImageBuffer.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

CF_ENUM(OSStatus) {
    kCMFormatDescriptionError_InvalidParameter = -12710,
    kCMFormatDescriptionError_AllocationFailed = -12711,
    kCMFormatDescriptionError_ValueNotAvailable = -12718,
};

typedef FourCharCode CMMediaType;
CF_ENUM(CMMediaType) {
    kCMMediaType_Video = 'vide',
    kCMMediaType_Audio = 'soun',
    kCMMediaType_Muxed = 'muxx',
    kCMMediaType_Text = 'text',
    kCMMediaType_ClosedCaption = 'clcp',
    kCMMediaType_Subtitle = 'sbtl',
    kCMMediaType_TimeCode = 'tmcd',
    kCMMediaType_Metadata = 'meta',
    kCMMediaType_TaggedBufferGroup = 'tbgr',
    kCMMediaType_AuxiliaryPicture = 'auxv',
};

typedef FourCharCode CMPixelFormatType;
CF_ENUM(CMPixelFormatType) {
    kCMPixelFormat_32ARGB = 32,
    kCMPixelFormat_32BGRA = 'BGRA',
    kCMPixelFormat_24RGB = 24,
    kCMPixelFormat_16BE555 = 16,
    kCMPixelFormat_16BE565 = 'B565',
    kCMPixelFormat_16LE555 = 'L555',
    kCMPixelFormat_16LE565 = 'L565',
    kCMPixelFormat_16LE5551 = '5551',
    kCMPixelFormat_422YpCbCr8 = '2vuy',
    kCMPixelFormat_422YpCbCr8_yuvs = 'yuvs',
    kCMPixelFormat_444YpCbCr8 = 'v308',
    kCMPixelFormat_4444YpCbCrA8 = 'v408',
    kCMPixelFormat_422YpCbCr16 = 'v216',
    kCMPixelFormat_422YpCbCr10 = 'v210',
    kCMPixelFormat_444YpCbCr10 = 'v410',
    kCMPixelFormat_8IndexedGray_WhiteIsZero = 40,
};

typedef FourCharCode CMVideoCodecType;
CF_ENUM(CMVideoCodecType) {
    kCMVideoCodecType_422YpCbCr8 = kCMPixelFormat_422YpCbCr8,
    kCMVideoCodecType_Animation = 'rle ',
    kCMVideoCodecType_Cinepak = 'cvid',
    kCMVideoCodecType_JPEG = 'jpeg',
    kCMVideoCodecType_JPEG_OpenDML = 'dmb1',
    kCMVideoCodecType_JPEG_XL = 'jxlc',
    kCMVideoCodecType_SorensonVideo = 'SVQ1',
    kCMVideoCodecType_SorensonVideo3 = 'SVQ3',
    kCMVideoCodecType_H263 = 'h263',
    kCMVideoCodecType_H264 = 'avc1',
    kCMVideoCodecType_HEVC = 'hvc1',
    kCMVideoCodecType_HEVCWithAlpha = 'muxa',
    kCMVideoCodecType_DolbyVisionHEVC = 'dvh1',
    kCMVideoCodecType_MPEG4Video = 'mp4v',
    kCMVideoCodecType_MPEG2Video = 'mp2v',
    kCMVideoCodecType_MPEG1Video = 'mp1v',
    kCMVideoCodecType_VP9 = 'vp09',
    kCMVideoCodecType_DVCNTSC = 'dvc ',
    kCMVideoCodecType_DVCPAL = 'dvcp',
    kCMVideoCodecType_DVCProPAL = 'dvpp',
    kCMVideoCodecType_DVCPro50NTSC = 'dv5n',
    kCMVideoCodecType_DVCPro50PAL = 'dv5p',
    kCMVideoCodecType_DVCPROHD720p60 = 'dvhp',
    kCMVideoCodecType_DVCPROHD720p50 = 'dvhq',
    kCMVideoCodecType_DVCPROHD1080i60 = 'dvh6',
    kCMVideoCodecType_DVCPROHD1080i50 = 'dvh5',
    kCMVideoCodecType_DVCPROHD1080p30 = 'dvh3',
    kCMVideoCodecType_DVCPROHD1080p25 = 'dvh2',
    kCMVideoCodecType_AppleProRes4444XQ = 'ap4x',
    kCMVideoCodecType_AppleProRes4444 = 'ap4h',
    kCMVideoCodecType_AppleProRes422HQ = 'apch',
    kCMVideoCodecType_AppleProRes422 = 'apcn',
    kCMVideoCodecType_AppleProRes422LT = 'apcs',
    kCMVideoCodecType_AppleProRes422Proxy = 'apco',
    kCMVideoCodecType_AppleProResRAW = 'aprn',
    kCMVideoCodecType_AppleProResRAWHQ = 'aprh',
    kCMVideoCodecType_DisparityHEVC = 'dish',
    kCMVideoCodecType_DepthHEVC = 'deph',
    kCMVideoCodecType_AV1 = 'av01',
};

/** Values of kCMFormatDescriptionConformsToMPEG2VideoProfile. */
CF_ENUM(int32_t) {
    kCMMPEG2VideoProfile_HDV_720p30 = 'hdv1',
    kCMMPEG2VideoProfile_HDV_1080i60 = 'hdv2',
    kCMMPEG2VideoProfile_HDV_1080i50 = 'hdv3',
    kCMMPEG2VideoProfile_HDV_720p24 = 'hdv4',
    kCMMPEG2VideoProfile_HDV_720p25 = 'hdv5',
    kCMMPEG2VideoProfile_HDV_1080p24 = 'hdv6',
    kCMMPEG2VideoProfile_HDV_1080p25 = 'hdv7',
    kCMMPEG2VideoProfile_HDV_1080p30 = 'hdv8',
    kCMMPEG2VideoProfile_HDV_720p60 = 'hdv9',
    kCMMPEG2VideoProfile_HDV_720p50 = 'hdva',
    kCMMPEG2VideoProfile_XDCAM_HD_1080i60_VBR35 = 'xdv2',
    kCMMPEG2VideoProfile_XDCAM_HD_1080i50_VBR35 = 'xdv3',
    kCMMPEG2VideoProfile_XDCAM_HD_1080p24_VBR35 = 'xdv6',
    kCMMPEG2VideoProfile_XDCAM_HD_1080p25_VBR35 = 'xdv7',
    kCMMPEG2VideoProfile_XDCAM_HD_1080p30_VBR35 = 'xdv8',
    kCMMPEG2VideoProfile_XDCAM_EX_720p24_VBR35 = 'xdv4',
    kCMMPEG2VideoProfile_XDCAM_EX_720p25_VBR35 = 'xdv5',
    kCMMPEG2VideoProfile_XDCAM_EX_720p30_VBR35 = 'xdv1',
    kCMMPEG2VideoProfile_XDCAM_EX_720p50_VBR35 = 'xdva',
    kCMMPEG2VideoProfile_XDCAM_EX_720p60_VBR35 = 'xdv9',
    kCMMPEG2VideoProfile_XDCAM_EX_1080i60_VBR35 = 'xdvb',
    kCMMPEG2VideoProfile_XDCAM_EX_1080i50_VBR35 = 'xdvc',
    kCMMPEG2VideoProfile_XDCAM_EX_1080p24_VBR35 = 'xdvd',
    kCMMPEG2VideoProfile_XDCAM_EX_1080p25_VBR35 = 'xdve',
    kCMMPEG2VideoProfile_XDCAM_EX_1080p30_VBR35 = 'xdvf',
    kCMMPEG2VideoProfile_XDCAM_HD422_720p50_CBR50 = 'xd5a',
    kCMMPEG2VideoProfile_XDCAM_HD422_720p60_CBR50 = 'xd59',
    kCMMPEG2VideoProfile_XDCAM_HD422_1080i60_CBR50 = 'xd5b',
    kCMMPEG2VideoProfile_XDCAM_HD422_1080i50_CBR50 = 'xd5c',
    kCMMPEG2VideoProfile_XDCAM_HD422_1080p24_CBR50 = 'xd5d',
    kCMMPEG2VideoProfile_XDCAM_HD422_1080p25_CBR50 = 'xd5e',
    kCMMPEG2VideoProfile_XDCAM_HD422_1080p30_CBR50 = 'xd5f',
    kCMMPEG2VideoProfile_XDCAM_HD_540p = 'xdhd',
    kCMMPEG2VideoProfile_XDCAM_HD422_540p = 'xdh2',
    kCMMPEG2VideoProfile_XDCAM_HD422_720p24_CBR50 = 'xd54',
    kCMMPEG2VideoProfile_XDCAM_HD422_720p25_CBR50 = 'xd55',
    kCMMPEG2VideoProfile_XDCAM_HD422_720p30_CBR50 = 'xd51',
    kCMMPEG2VideoProfile_XF = 'xfz1',
};

/* ---- Types of other media, which no function here supports ----------------------------------- */

typedef FourCharCode CMAudioCodecType;
CF_ENUM(CMAudioCodecType) {
    kCMAudioCodecType_AAC_LCProtected = 'paac',
    kCMAudioCodecType_AAC_AudibleProtected = 'aaac',
};

typedef CF_OPTIONS(uint32_t, CMAudioFormatDescriptionMask) {
    kCMAudioFormatDescriptionMask_StreamBasicDescription = 1u << 0,
    kCMAudioFormatDescriptionMask_MagicCookie = 1u << 1,
    kCMAudioFormatDescriptionMask_ChannelLayout = 1u << 2,
    kCMAudioFormatDescriptionMask_Extensions = 1u << 3,
    kCMAudioFormatDescriptionMask_All = 15u,
};

typedef FourCharCode CMMuxedStreamType;
CF_ENUM(CMMuxedStreamType) {
    kCMMuxedStreamType_MPEG1System = 'mp1s',
    kCMMuxedStreamType_MPEG2Transport = 'mp2t',
    kCMMuxedStreamType_MPEG2Program = 'mp2p',
    kCMMuxedStreamType_DV = 'dv  ',
    kCMMuxedStreamType_EmbeddedDeviceScreenRecording = 'isr ',
};

typedef FourCharCode CMClosedCaptionFormatType;
CF_ENUM(CMClosedCaptionFormatType) {
    kCMClosedCaptionFormatType_CEA608 = 'c608',
    kCMClosedCaptionFormatType_CEA708 = 'c708',
    kCMClosedCaptionFormatType_ATSC = 'atcc',
};

typedef FourCharCode CMTextFormatType;
CF_ENUM(CMTextFormatType) {
    kCMTextFormatType_QTText = 'text',
    kCMTextFormatType_3GText = 'tx3g',
};

typedef uint32_t CMTextDisplayFlags;
CF_ENUM(CMTextDisplayFlags) {
    kCMTextDisplayFlag_scrollIn = 0x00000020,
    kCMTextDisplayFlag_scrollOut = 0x00000040,
    kCMTextDisplayFlag_scrollDirectionMask = 0x00000180,
    kCMTextDisplayFlag_scrollDirection_bottomToTop = 0x00000000,
    kCMTextDisplayFlag_scrollDirection_rightToLeft = 0x00000080,
    kCMTextDisplayFlag_scrollDirection_topToBottom = 0x00000100,
    kCMTextDisplayFlag_scrollDirection_leftToRight = 0x00000180,
    kCMTextDisplayFlag_continuousKaraoke = 0x00000800,
    kCMTextDisplayFlag_writeTextVertically = 0x00020000,
    kCMTextDisplayFlag_fillTextRegion = 0x00040000,
    kCMTextDisplayFlag_obeySubtitleFormatting = 0x20000000,
    kCMTextDisplayFlag_forcedSubtitlesPresent = 0x40000000,
    kCMTextDisplayFlag_allSubtitlesForced = 0x80000000u,
};

typedef int8_t CMTextJustificationValue;
CF_ENUM(CMTextJustificationValue) {
    kCMTextJustification_left_top = 0,
    kCMTextJustification_centered = 1,
    kCMTextJustification_bottom_right = -1,
};

typedef FourCharCode CMSubtitleFormatType;
CF_ENUM(CMSubtitleFormatType) {
    kCMSubtitleFormatType_3GText = 'tx3g',
    kCMSubtitleFormatType_WebVTT = 'wvtt',
};

typedef FourCharCode CMTimeCodeFormatType;
CF_ENUM(CMTimeCodeFormatType) {
    kCMTimeCodeFormatType_TimeCode32 = 'tmcd',
    kCMTimeCodeFormatType_TimeCode64 = 'tc64',
    kCMTimeCodeFormatType_Counter32 = 'cn32',
    kCMTimeCodeFormatType_Counter64 = 'cn64',
};

CF_ENUM(uint32_t) {
    kCMTimeCodeFlag_DropFrame = 1u << 0,
    kCMTimeCodeFlag_24HourMax = 1u << 1,
    kCMTimeCodeFlag_NegTimesOK = 1u << 2,
};

typedef FourCharCode CMMetadataFormatType;
CF_ENUM(CMMetadataFormatType) {
    kCMMetadataFormatType_ICY = 'icy ',
    kCMMetadataFormatType_ID3 = 'id3 ',
    kCMMetadataFormatType_Boxed = 'mebx',
    kCMMetadataFormatType_EMSG = 'emsg',
};

typedef FourCharCode CMTaggedBufferGroupFormatType;
CF_ENUM(CMTaggedBufferGroupFormatType) {
    kCMTaggedBufferGroupFormatType_TaggedBufferGroup = 'tbgr',
};

/**
 * A description of a stream of samples. It is immutable, so any thread may use it. CFRelease
 * releases a reference. Functions that create a description return
 * kCMFormatDescriptionError_InvalidParameter for a wrong argument, or
 * kCMFormatDescriptionError_AllocationFailed. Getters return 0 or NULL for NULL.
 */
typedef const struct CF_BRIDGED_TYPE(id) opaqueCMFormatDescription *CMFormatDescriptionRef;
typedef CMFormatDescriptionRef CMVideoFormatDescriptionRef;
typedef CMFormatDescriptionRef CMAudioFormatDescriptionRef;
typedef CMFormatDescriptionRef CMMuxedFormatDescriptionRef;
typedef CMFormatDescriptionRef CMClosedCaptionFormatDescriptionRef;
typedef CMFormatDescriptionRef CMTextFormatDescriptionRef;
typedef CMFormatDescriptionRef CMTimeCodeFormatDescriptionRef;
typedef CMFormatDescriptionRef CMMetadataFormatDescriptionRef;
typedef CMFormatDescriptionRef CMTaggedBufferGroupFormatDescriptionRef;

/** A size in pixels. */
typedef struct {
    int32_t width;
    int32_t height;
} CMVideoDimensions;

/* ---- Any media ------------------------------------------------------------------------------ */

/**
 * Creates a format description for media that have no creation function of their own.
 *
 * extensions: a property list, which is copied.
 */
CM_EXPORT OSStatus CMFormatDescriptionCreate(CFAllocatorRef _Nullable allocator,
    CMMediaType mediaType, FourCharCode mediaSubType, CFDictionaryRef _Nullable extensions,
    CM_RETURNS_RETAINED_PARAMETER CMFormatDescriptionRef _Nullable *_Nonnull formatDescriptionOut)
    CM_SWIFT_NAME("CMFormatDescriptionCreate(allocator:mediaType:mediaSubType:extensions:"
                  "formatDescriptionOut:)");

CM_EXPORT CFTypeID CMFormatDescriptionGetTypeID(void);

/** Returns true if two descriptions have the same content, and for NULL and NULL. */
CM_EXPORT Boolean CMFormatDescriptionEqual(CMFormatDescriptionRef _Nullable formatDescription,
    CMFormatDescriptionRef _Nullable otherFormatDescription)
    CF_SWIFT_NAME(CMFormatDescriptionEqual(_:otherFormatDescription:));

/**
 * Returns true if two descriptions have the same content, apart from some extensions.
 *
 * formatDescriptionExtensionKeysToIgnore: NULL, a key, or an array of keys.
 * sampleDescriptionExtensionAtomKeysToIgnore: NULL, an atom's type as a string, or an array.
 */
CM_EXPORT Boolean CMFormatDescriptionEqualIgnoringExtensionKeys(
    CMFormatDescriptionRef _Nullable formatDescription,
    CMFormatDescriptionRef _Nullable otherFormatDescription,
    CFTypeRef _Nullable formatDescriptionExtensionKeysToIgnore,
    CFTypeRef _Nullable sampleDescriptionExtensionAtomKeysToIgnore)
    CM_SWIFT_NAME("CMFormatDescriptionEqualIgnoringExtensionKeys(_:otherFormatDescription:"
                  "extensionKeysToIgnore:sampleDescriptionExtensionAtomKeysToIgnore:)");

CM_EXPORT CMMediaType CMFormatDescriptionGetMediaType(CMFormatDescriptionRef desc);
CM_EXPORT FourCharCode CMFormatDescriptionGetMediaSubType(CMFormatDescriptionRef desc);

/** Returns all extensions, which the description owns, or NULL if there are none. */
CM_EXPORT CFDictionaryRef _Nullable CMFormatDescriptionGetExtensions(CMFormatDescriptionRef desc);

/** Returns the extension of a key, which the description owns, or NULL if there is none. */
CM_EXPORT CFPropertyListRef _Nullable CMFormatDescriptionGetExtension(CMFormatDescriptionRef desc,
    CFStringRef extensionKey) CF_SWIFT_NAME(CMFormatDescriptionGetExtension(_:extensionKey:));

/* ---- Video ---------------------------------------------------------------------------------- */

/**
 * Creates a format description of video.
 *
 * extensions: NULL, or copied. kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms with
 *   "avcC" or "hvcC" contains the parameter sets for H.264 or H.265. Parameter sets without
 *   emulation prevention or stop bit are corrected; the extension itself remains unchanged.
 */
CM_EXPORT OSStatus CMVideoFormatDescriptionCreate(CFAllocatorRef _Nullable allocator,
    CMVideoCodecType codecType, int32_t width, int32_t height,
    CFDictionaryRef _Nullable extensions,
    CM_RETURNS_RETAINED_PARAMETER CMVideoFormatDescriptionRef _Nullable
        *_Nonnull formatDescriptionOut)
    CM_SWIFT_NAME("CMVideoFormatDescriptionCreate(allocator:codecType:width:height:extensions:"
                  "formatDescriptionOut:)");

/** Creates a format description of uncompressed images: pixel format, size and attachments. */
CM_EXPORT OSStatus CMVideoFormatDescriptionCreateForImageBuffer(CFAllocatorRef _Nullable allocator,
    CVImageBufferRef imageBuffer,
    CM_RETURNS_RETAINED_PARAMETER CMVideoFormatDescriptionRef _Nullable
        *_Nonnull formatDescriptionOut)
    CM_SWIFT_NAME("CMVideoFormatDescriptionCreateForImageBuffer(allocator:imageBuffer:"
                  "formatDescriptionOut:)");

/**
 * Creates a format description for H.264. Size, colour and pixel aspect ratio come from the first
 * SPS.
 *
 * parameterSetPointers, parameterSetSizes: SPS and PPS without start codes, in any order; copied.
 * NALUnitHeaderLength: the size of the length before each NAL unit of a sample: 1, 2 or 4 bytes.
 * Returns: kCMFormatDescriptionError_InvalidParameter also for parameter sets that cannot be read.
 */
CM_EXPORT OSStatus CMVideoFormatDescriptionCreateFromH264ParameterSets(
    CFAllocatorRef _Nullable allocator, size_t parameterSetCount,
    const uint8_t *_Nonnull const *_Nonnull parameterSetPointers, const size_t *parameterSetSizes,
    int NALUnitHeaderLength,
    CM_RETURNS_RETAINED_PARAMETER CMFormatDescriptionRef _Nullable *_Nonnull formatDescriptionOut)
    CM_SWIFT_NAME("CMVideoFormatDescriptionCreateFromH264ParameterSets(allocator:"
                  "parameterSetCount:parameterSetPointers:parameterSetSizes:nalUnitHeaderLength:"
                  "formatDescriptionOut:)");

/**
 * Creates a format description for H.265 from VPS, SPS, PPS, and SEI messages that apply to the
 * whole stream.
 */
CM_EXPORT OSStatus CMVideoFormatDescriptionCreateFromHEVCParameterSets(
    CFAllocatorRef _Nullable allocator, size_t parameterSetCount,
    const uint8_t *_Nonnull const *_Nonnull parameterSetPointers, const size_t *parameterSetSizes,
    int NALUnitHeaderLength, CFDictionaryRef _Nullable extensions,
    CM_RETURNS_RETAINED_PARAMETER CMFormatDescriptionRef _Nullable *_Nonnull formatDescriptionOut)
    CM_SWIFT_NAME("CMVideoFormatDescriptionCreateFromHEVCParameterSets(allocator:"
                  "parameterSetCount:parameterSetPointers:parameterSetSizes:nalUnitHeaderLength:"
                  "extensions:formatDescriptionOut:)");

/**
 * Returns a parameter set for H.264: SPS first, then PPS. The bytes are valid as long as the
 * description exists. Each of the four pointers may be NULL. The count and the header length do not
 * depend on the index.
 *
 * Returns: kCMFormatDescriptionError_InvalidParameter for an index beyond the last, and for another
 *   codec; kCMFormatDescriptionError_ValueNotAvailable if there are no parameter sets.
 */
CM_EXPORT OSStatus CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
    CMFormatDescriptionRef videoDesc, size_t parameterSetIndex,
    const uint8_t *_Nullable *_Nullable parameterSetPointerOut,
    size_t *_Nullable parameterSetSizeOut, size_t *_Nullable parameterSetCountOut,
    int *_Nullable NALUnitHeaderLengthOut)
    CM_SWIFT_NAME("CMVideoFormatDescriptionGetH264ParameterSetAtIndex(_:parameterSetIndex:"
                  "parameterSetPointerOut:parameterSetSizeOut:parameterSetCountOut:"
                  "nalUnitHeaderLengthOut:)");

/** Returns a parameter set for H.265: VPS, SPS, PPS, then SEI. */
CM_EXPORT OSStatus CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(
    CMFormatDescriptionRef videoDesc, size_t parameterSetIndex,
    const uint8_t *_Nullable *_Nullable parameterSetPointerOut,
    size_t *_Nullable parameterSetSizeOut, size_t *_Nullable parameterSetCountOut,
    int *_Nullable NALUnitHeaderLengthOut)
    CM_SWIFT_NAME("CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(_:parameterSetIndex:"
                  "parameterSetPointerOut:parameterSetSizeOut:parameterSetCountOut:"
                  "nalUnitHeaderLengthOut:)");

#define CMVideoFormatDescriptionGetCodecType(desc) CMFormatDescriptionGetMediaSubType(desc)

/** Returns the size in pixels; 0 x 0 for other media. */
CM_EXPORT CMVideoDimensions CMVideoFormatDescriptionGetDimensions(
    CMVideoFormatDescriptionRef videoDesc);

/**
 * Returns the size at which images are displayed: in square pixels, of the clean aperture, or
 * both.
 */
CM_EXPORT CGSize CMVideoFormatDescriptionGetPresentationDimensions(
    CMVideoFormatDescriptionRef videoDesc, Boolean usePixelAspectRatio, Boolean useCleanAperture)
    CF_REFINED_FOR_SWIFT;

/** Returns the displayed part in pixels; the whole image if the extension is missing. */
CM_EXPORT CGRect CMVideoFormatDescriptionGetCleanAperture(CMVideoFormatDescriptionRef videoDesc,
    Boolean originIsAtTopLeft) CF_REFINED_FOR_SWIFT;

/**
 * Returns the extension keys that are also keys of image buffers' attachments. The array is
 * static.
 */
CM_EXPORT CFArrayRef CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers(void);

/** Returns true if size, pixel format and the attachments of those keys equal the description's. */
CM_EXPORT Boolean CMVideoFormatDescriptionMatchesImageBuffer(CMVideoFormatDescriptionRef desc,
    CVImageBufferRef imageBuffer)
    CF_SWIFT_NAME(CMVideoFormatDescriptionMatchesImageBuffer(_:imageBuffer:));

/* ---- Keys and values of extensions --------------------------------------------------------- */

/** Extensions of any media. */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_OriginalCompressionSettings;
/** CFDictionary from atom types as CFString, such as "avcC", to CFData or arrays of CFData */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms;
/** CFData */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_VerbatimSampleDescription;
/** CFData */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_VerbatimISOSampleEntry;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ProtectedContentOriginalFormat;

/**
 * Extensions of video. Values that image buffers can have too have the same keys and values
 * there.
 */
/** CFString */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_FormatName;
/** CFNumber */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_Depth;
/** CFDictionary of the keys below, each to a CFNumber or to a fraction as an array of two */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_CleanAperture;
CM_EXPORT const CFStringRef kCMFormatDescriptionKey_CleanApertureWidth;
CM_EXPORT const CFStringRef kCMFormatDescriptionKey_CleanApertureHeight;
CM_EXPORT const CFStringRef kCMFormatDescriptionKey_CleanApertureHorizontalOffset;
CM_EXPORT const CFStringRef kCMFormatDescriptionKey_CleanApertureVerticalOffset;
CM_EXPORT const CFStringRef kCMFormatDescriptionKey_CleanApertureWidthRational;
CM_EXPORT const CFStringRef kCMFormatDescriptionKey_CleanApertureHeightRational;
CM_EXPORT const CFStringRef kCMFormatDescriptionKey_CleanApertureHorizontalOffsetRational;
CM_EXPORT const CFStringRef kCMFormatDescriptionKey_CleanApertureVerticalOffsetRational;
/** CFNumber: 1 or 2 */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_FieldCount;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_FieldDetail;
CM_EXPORT const CFStringRef kCMFormatDescriptionFieldDetail_TemporalTopFirst;
CM_EXPORT const CFStringRef kCMFormatDescriptionFieldDetail_TemporalBottomFirst;
CM_EXPORT const CFStringRef kCMFormatDescriptionFieldDetail_SpatialFirstLineEarly;
CM_EXPORT const CFStringRef kCMFormatDescriptionFieldDetail_SpatialFirstLineLate;
/** CFDictionary of the two keys below to CFNumber */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_PixelAspectRatio;
CM_EXPORT const CFStringRef kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing;
CM_EXPORT const CFStringRef kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ColorPrimaries;
CM_EXPORT const CFStringRef kCMFormatDescriptionColorPrimaries_ITU_R_709_2;
CM_EXPORT const CFStringRef kCMFormatDescriptionColorPrimaries_EBU_3213;
CM_EXPORT const CFStringRef kCMFormatDescriptionColorPrimaries_SMPTE_C;
CM_EXPORT const CFStringRef kCMFormatDescriptionColorPrimaries_DCI_P3;
CM_EXPORT const CFStringRef kCMFormatDescriptionColorPrimaries_P3_D65;
CM_EXPORT const CFStringRef kCMFormatDescriptionColorPrimaries_ITU_R_2020;
CM_EXPORT const CFStringRef kCMFormatDescriptionColorPrimaries_P22;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_TransferFunction;
CM_EXPORT const CFStringRef kCMFormatDescriptionTransferFunction_ITU_R_709_2;
CM_EXPORT const CFStringRef kCMFormatDescriptionTransferFunction_SMPTE_240M_1995;
CM_EXPORT const CFStringRef kCMFormatDescriptionTransferFunction_UseGamma;
CM_EXPORT const CFStringRef kCMFormatDescriptionTransferFunction_ITU_R_2020;
CM_EXPORT const CFStringRef kCMFormatDescriptionTransferFunction_SMPTE_ST_428_1;
CM_EXPORT const CFStringRef kCMFormatDescriptionTransferFunction_SMPTE_ST_2084_PQ;
CM_EXPORT const CFStringRef kCMFormatDescriptionTransferFunction_ITU_R_2100_HLG;
CM_EXPORT const CFStringRef kCMFormatDescriptionTransferFunction_Linear;
CM_EXPORT const CFStringRef kCMFormatDescriptionTransferFunction_sRGB;
/** CFNumber, used with UseGamma */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_GammaLevel;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_YCbCrMatrix;
CM_EXPORT const CFStringRef kCMFormatDescriptionYCbCrMatrix_ITU_R_709_2;
CM_EXPORT const CFStringRef kCMFormatDescriptionYCbCrMatrix_ITU_R_601_4;
CM_EXPORT const CFStringRef kCMFormatDescriptionYCbCrMatrix_SMPTE_240M_1995;
CM_EXPORT const CFStringRef kCMFormatDescriptionYCbCrMatrix_ITU_R_2020;
/** CFBoolean */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_FullRangeVideo;
/** CFData */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ICCProfile;
/** CFNumber */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_BytesPerRow;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ChromaLocationTopField;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ChromaLocationBottomField;
CM_EXPORT const CFStringRef kCMFormatDescriptionChromaLocation_Left;
CM_EXPORT const CFStringRef kCMFormatDescriptionChromaLocation_Center;
CM_EXPORT const CFStringRef kCMFormatDescriptionChromaLocation_TopLeft;
CM_EXPORT const CFStringRef kCMFormatDescriptionChromaLocation_Top;
CM_EXPORT const CFStringRef kCMFormatDescriptionChromaLocation_BottomLeft;
CM_EXPORT const CFStringRef kCMFormatDescriptionChromaLocation_Bottom;
CM_EXPORT const CFStringRef kCMFormatDescriptionChromaLocation_DV420;
CM_EXPORT const CFStringRef kCMFormatDescriptionConformsToMPEG2VideoProfile;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_TemporalQuality;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_SpatialQuality;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_VerbatimImageDescription;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_Version;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_RevisionLevel;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_Vendor;
CM_EXPORT const CFStringRef kCMFormatDescriptionVendor_Apple;
/** CFData, 24 bytes */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_MasteringDisplayColorVolume;
/** CFData, 4 bytes */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ContentLightLevelInfo;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ContentColorVolume;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_AlternativeTransferCharacteristics;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_AuxiliaryTypeInfo;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_AlphaChannelMode;
CM_EXPORT const CFStringRef kCMFormatDescriptionAlphaChannelMode_StraightAlpha;
CM_EXPORT const CFStringRef kCMFormatDescriptionAlphaChannelMode_PremultipliedAlpha;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ContainsAlphaChannel;
/** CFNumber */
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_BitsPerComponent;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_AmbientViewingEnvironment;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_LogTransferFunction;
CM_EXPORT const CFStringRef kCMFormatDescriptionLogTransferFunction_AppleLog;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_HorizontalFieldOfView;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_HeroEye;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_HasLeftStereoEyeView;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_HasRightStereoEyeView;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_HasAdditionalViews;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_StereoCameraBaseline;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_HorizontalDisparityAdjustment;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ProjectionKind;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ViewPackingKind;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_CameraCalibrationDataLensCollection;
CM_EXPORT const CFStringRef kCMFormatDescriptionExtension_ConvertedFromExternalSphericalTags;
CM_EXPORT const CFStringRef kCMFormatDescriptionHeroEye_Left;
CM_EXPORT const CFStringRef kCMFormatDescriptionHeroEye_Right;
CM_EXPORT const CFStringRef kCMFormatDescriptionProjectionKind_Rectilinear;
CM_EXPORT const CFStringRef kCMFormatDescriptionProjectionKind_Equirectangular;
CM_EXPORT const CFStringRef kCMFormatDescriptionProjectionKind_HalfEquirectangular;
CM_EXPORT const CFStringRef kCMFormatDescriptionProjectionKind_ParametricImmersive;
CM_EXPORT const CFStringRef kCMFormatDescriptionProjectionKind_AppleImmersiveVideo;
CM_EXPORT const CFStringRef kCMFormatDescriptionViewPackingKind_SideBySide;
CM_EXPORT const CFStringRef kCMFormatDescriptionViewPackingKind_OverUnder;

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
