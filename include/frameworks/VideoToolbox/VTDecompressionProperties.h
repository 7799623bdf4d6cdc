/*
 * VideoToolbox/VTDecompressionProperties.h - properties of decompression sessions.
 *
 * A property that is not supported gives kVTPropertyNotSupportedErr, one that is read-only gives
 * kVTPropertyReadOnlyErr when it is set. A value of another type gives kVTParameterErr.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VTDECOMPRESSIONPROPERTIES_H
#define VTDECOMPRESSIONPROPERTIES_H

#include <VideoToolbox/VTBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* ---- Pixel buffers ------------------------------------------------------------------------- */

/* CVPixelBufferPool, read-only. Where the session takes its pixel buffers from. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_PixelBufferPool;

/* CFBoolean, read-only. false: the pool is the session's own. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_PixelBufferPoolIsShared;

/* CFNumber, or NULL for the default. How many pixel buffers the pool keeps at least. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_OutputPoolRequestedMinimumBufferCount;

/* ---- Frames that are being decoded --------------------------------------------------------- */

/* CFNumber, read-only. Frames whose callback is still to come. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded;

/* CFDictionary of a CMTime, read-only. The earliest time of those frames. */
VT_EXPORT const CFStringRef
    kVTDecompressionPropertyKey_MinOutputPresentationTimeStampOfFramesBeingDecoded;

/* CFDictionary of a CMTime, read-only. The latest time of those frames. */
VT_EXPORT const CFStringRef
    kVTDecompressionPropertyKey_MaxOutputPresentationTimeStampOfFramesBeingDecoded;

/* ---- Content ------------------------------------------------------------------------------- */

/* CFBoolean, read-only. Whether frames refer to others. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_ContentHasInterframeDependencies;

/* ---- Hardware ------------------------------------------------------------------------------ */

/* CFBoolean, in a decoder specification. true, the default, is accepted; the decoder is
 * software. */
VT_EXPORT const CFStringRef kVTVideoDecoderSpecification_EnableHardwareAcceleratedVideoDecoder;

/* CFBoolean, in a decoder specification. The software decoder answers, unless the environment has
 * NALU_VT_STRICT_HARDWARE=1: then creation gives kVTCouldNotFindVideoDecoderErr. */
VT_EXPORT const CFStringRef kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder;

/* CFBoolean, read-only. false. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder;

/* CFNumber, in a decoder specification. The same. */
VT_EXPORT const CFStringRef kVTVideoDecoderSpecification_RequiredDecoderGPURegistryID;

/* CFNumber, in a decoder specification. No effect. */
VT_EXPORT const CFStringRef kVTVideoDecoderSpecification_PreferredDecoderGPURegistryID;

/* CFNumber, read-only. Always absent: copying gives NULL. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_UsingGPURegistryID;

/* ---- Speed --------------------------------------------------------------------------------- */

/* CFBoolean, or NULL. A hint that is kept and has no effect; frames are decoded as they come. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_RealTime;

/* CFBoolean. A hint that is kept and has no effect. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_MaximizePowerEfficiency;

/* CFNumber, 0 for the default. The number of threads; it holds from the next format on. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_ThreadCount;

/* ---- Fields -------------------------------------------------------------------------------- */

/* CFString of the following. Only BothFields is supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_FieldMode;
VT_EXPORT const CFStringRef kVTDecompressionProperty_FieldMode_BothFields;
VT_EXPORT const CFStringRef kVTDecompressionProperty_FieldMode_TopFieldOnly;
VT_EXPORT const CFStringRef kVTDecompressionProperty_FieldMode_BottomFieldOnly;
VT_EXPORT const CFStringRef kVTDecompressionProperty_FieldMode_SingleField;
VT_EXPORT const CFStringRef kVTDecompressionProperty_FieldMode_DeinterlaceFields;

/* CFString of the following. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_DeinterlaceMode;
VT_EXPORT const CFStringRef kVTDecompressionProperty_DeinterlaceMode_VerticalFilter;
VT_EXPORT const CFStringRef kVTDecompressionProperty_DeinterlaceMode_Temporal;

/* ---- Reduced work -------------------------------------------------------------------------- */

/* CFDictionary with the following keys. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_ReducedResolutionDecode;

/* CFNumber */
VT_EXPORT const CFStringRef kVTDecompressionResolutionKey_Width;

/* CFNumber */
VT_EXPORT const CFStringRef kVTDecompressionResolutionKey_Height;

/* CFNumber. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_ReducedCoefficientDecode;

/* CFNumber, 0.0 to 1.0. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_ReducedFrameDelivery;

/* CFString of the following. Which frames give images; the others are dropped. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_OnlyTheseFrames;

/* The default. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_OnlyTheseFrames_AllFrames;

/* Frames that others may refer to. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_OnlyTheseFrames_NonDroppableFrames;

/* Frames that refer to no others. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_OnlyTheseFrames_IFrames;

/* Frames at which decoding can start. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_OnlyTheseFrames_KeyFrames;

/* CFNumber. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionProperty_TemporalLevelLimit;

/* CFArray, read-only. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_SuggestedQualityOfServiceTiers;

/* ---- Formats ------------------------------------------------------------------------------- */

/* CFArray of CFNumber, read-only. What pixel formats images can have. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByQuality;

/* CFArray of CFNumber, read-only. The same, those first that cost least. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_SupportedPixelFormatsOrderedByPerformance;

/* CFArray, read-only. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_PixelFormatsWithReducedResolutionSupport;

/* CFBoolean. Kept; without effect, since only format descriptions change the size. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_AllowBitstreamToChangeFrameDimensions;

/* CFDictionary, properties for the VTPixelTransferSession that converts images. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_PixelTransferProperties;

/* ---- High dynamic range and RAW ------------------------------------------------------------ */

/* CFBoolean. Kept; there is no such metadata. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_PropagatePerFrameHDRDisplayMetadata;

/* CFBoolean. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_GeneratePerFrameHDRDisplayMetadata;

/* CFBoolean, read-only. false. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_DecoderProducesRAWOutput;

/* CFBoolean. Not supported. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_RequestRAWOutput;

/* ---- Several images ------------------------------------------------------------------------ */

/* CFArray of CFNumber. Not supported: the base layer alone is decoded. */
VT_EXPORT const CFStringRef kVTDecompressionPropertyKey_RequestedMVHEVCVideoLayerIDs;

/* ---- Options of a frame -------------------------------------------------------------------- */

/* CFNumber. No effect. */
VT_EXPORT const CFStringRef kVTDecodeFrameOptionKey_ContentAnalyzerRotation;

/* CFDictionary. No effect. */
VT_EXPORT const CFStringRef kVTDecodeFrameOptionKey_ContentAnalyzerCropRectangle;

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
