/**
 * @file
 * The properties of decompression sessions.
 *
 * VTSessionSetProperty and VTSessionCopyProperty accept these keys. A CFNumber is accepted as a
 * CFBoolean too. An unsupported property or string, or a value of another type, returns
 * kVTPropertyNotSupportedErr. Setting a read-only property returns kVTPropertyReadOnlyErr, and a
 * number out of range returns kVTParameterErr.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTDECOMPRESSIONPROPERTIES_H
#define VTDECOMPRESSIONPROPERTIES_H

#include <VideoToolbox/VTBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* ---- Pixel buffers ------------------------------------------------------------------------- */

/** CVPixelBufferPool, read-only: the pool of the images that have to be converted. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_PixelBufferPool;

/** CFBoolean, read-only. false: the pool is the session's own. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_PixelBufferPoolIsShared;

/**
 * CFNumber, 0 to 1000; default 0: the number of pixel buffers that a pool keeps at least. It
 * applies to pools that are created later: before the first converted image, or for another
 * size.
 */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount;

/* ---- Frames that are being decoded --------------------------------------------------------- */

/** CFNumber, read-only: frames whose callback has not been called yet. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded;

/** CFDictionary of a CMTime, read-only: the earliest presentation time of those frames. */
VT_EXPORT const CFStringRef
    kVTDecompressionPropertyKey_MinOutputPresentationTimeStampOfFramesBeingDecoded;

/** CFDictionary of a CMTime, read-only: the latest presentation time of those frames. */
VT_EXPORT const CFStringRef
    kVTDecompressionPropertyKey_MaxOutputPresentationTimeStampOfFramesBeingDecoded;

/* ---- Content ------------------------------------------------------------------------------- */

/** CFBoolean, read-only: true if frames refer to other frames. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_ContentHasInterframeDependencies;

/* ---- Hardware ------------------------------------------------------------------------------ */

/** CFBoolean, in a decoder specification. Accepted without effect: there is no hardware decoder. */
VT_EXPORT const CFStringRef kVTVideoDecoderSpecification_EnableHardwareAcceleratedVideoDecoder;

/**
 * CFBoolean, in a decoder specification: true creates a session with the software decoder. True
 * returns kVTCouldNotFindVideoDecoderErr if the environment has NALU_VT_STRICT_HARDWARE=1, or if
 * the library was configured with the CMake option of that name.
 */
VT_EXPORT const CFStringRef kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder;

/** CFBoolean, read-only: false. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder;

/**
 * CFNumber, in a decoder specification, that requires hardware, like
 * RequireHardwareAcceleratedVideoDecoder.
 */
VT_EXPORT const CFStringRef kVTVideoDecoderSpecification_RequiredDecoderGPURegistryID;

/** CFNumber, in a decoder specification. No effect: no GPU is used. */
VT_EXPORT const CFStringRef kVTVideoDecoderSpecification_PreferredDecoderGPURegistryID;

/** CFNumber, read-only: always NULL, with noErr. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_UsingGPURegistryID;

/* ---- Speed --------------------------------------------------------------------------------- */

/** CFBoolean, or NULL. Accepted without effect: every frame is decoded as soon as possible. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_RealTime;

/** CFBoolean. Accepted without effect: ThreadCount sets the number of processors in use. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_MaximizePowerEfficiency;

/**
 * CFNumber, 0 to 64: the number of threads; 0, the default: one for each processor. It takes effect
 * at the next frame at which decoding can start.
 */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_ThreadCount;

/* ---- Fields -------------------------------------------------------------------------------- */

/** CFString: one of the following. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_FieldMode;
VT_EXPORT const CFStringRef kVTDecompressionProperty_FieldMode_BothFields; /**< the default */
/** Not supported: an image always has both fields. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_FieldMode_TopFieldOnly;
VT_EXPORT const CFStringRef kVTDecompressionProperty_FieldMode_BottomFieldOnly;
VT_EXPORT const CFStringRef kVTDecompressionProperty_FieldMode_SingleField;
VT_EXPORT const CFStringRef kVTDecompressionProperty_FieldMode_DeinterlaceFields;

/** CFString, one of the following. Not supported: images are never deinterlaced. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_DeinterlaceMode;
VT_EXPORT const CFStringRef kVTDecompressionProperty_DeinterlaceMode_VerticalFilter;
VT_EXPORT const CFStringRef kVTDecompressionProperty_DeinterlaceMode_Temporal;

/* ---- Reduced work -------------------------------------------------------------------------- */

/**
 * CFDictionary with the following keys, CFNumbers. Not supported: the width and height in the image
 * buffer attributes scale images after they are decoded.
 */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_ReducedResolutionDecode;
VT_EXPORT const CFStringRef kVTDecompressionResolutionKey_Width;
VT_EXPORT const CFStringRef kVTDecompressionResolutionKey_Height;

/** CFNumber. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_ReducedCoefficientDecode;

/** CFNumber, 0.0 to 1.0. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_ReducedFrameDelivery;

/**
 * CFString, one of the following: the frames that have images. The others are reported as
 * dropped.
 */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_OnlyTheseFrames;

/** All frames; the default. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_OnlyTheseFrames_AllFrames;

/** Frames that other frames may refer to. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_OnlyTheseFrames_NonDroppableFrames;

/** Frames that refer to no other frame; of H.265 only random access pictures. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_OnlyTheseFrames_IFrames;

/** IDR frames. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_OnlyTheseFrames_KeyFrames;

/** CFNumber. Not supported: all temporal levels are decoded. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_TemporalLevelLimit;

/** CFArray, read-only. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_SuggestedQualityOfServiceTiers;

/* ---- Formats ------------------------------------------------------------------------------- */

/**
 * CFArray of CFNumber, read-only: the pixel formats that images can have. The first ones lose
 * nothing.
 */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByQuality;

/**
 * CFArray of CFNumber, read-only: the pixel formats that images can have. The first ones are the
 * fastest.
 */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByPerformance;

/** CFArray, read-only. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_PixelFormatsWithReducedResolutionSupport;

/** CFBoolean. Accepted without effect: only format descriptions change the size. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_AllowBitstreamToChangeFrameDimensions;

/**
 * CFDictionary, empty by default: properties for the VTPixelTransferSession that converts
 * images.
 */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_PixelTransferProperties;

/* ---- High dynamic range and RAW ------------------------------------------------------------ */

/** CFBoolean. Accepted without effect: images have no metadata of single frames. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_PropagatePerFrameHDRDisplayMetadata;

/** CFBoolean. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_GeneratePerFrameHDRDisplayMetadata;

/** CFBoolean, read-only: false. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_DecoderProducesRAWOutput;

/** CFBoolean. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_RequestRAWOutput;

/* ---- Several images ------------------------------------------------------------------------ */

/** CFArray of CFNumber. Not supported: only the base layer is decoded. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_RequestedMVHEVCVideoLayerIDs;

/* ---- Options of a frame -------------------------------------------------------------------- */

/** CFNumber. No effect: there is no content analyzer. */
VT_EXPORT const CFStringRef kVTDecodeFrameOptionKey_ContentAnalyzerRotation;

/** CFDictionary. No effect: there is no content analyzer. */
VT_EXPORT const CFStringRef kVTDecodeFrameOptionKey_ContentAnalyzerCropRectangle;

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
