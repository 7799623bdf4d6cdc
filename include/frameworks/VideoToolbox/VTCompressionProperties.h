/**
 * @file
 * The properties of compression sessions.
 *
 * VTSessionSetProperty and VTSessionCopyProperty accept these keys. A comment states the type of
 * the value, its unit and, if it is short, its range. VTSessionCopySupportedPropertyDictionary
 * returns all ranges. A CFNumber may be an integer or a floating-point number, and is accepted as a
 * CFBoolean too. A key with `Not supported` returns kVTPropertyNotSupportedErr. A value with
 * `Accepted without effect` is stored and read back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTCOMPRESSIONPROPERTIES_H
#define VTCOMPRESSIONPROPERTIES_H

#include <VideoToolbox/VTBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* ---- Frames and buffers ---------------------------------------------------------------------- */

/** CFNumber, read-only: frames whose output has not been delivered yet */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_NumberOfPendingFrames;
/** CFBoolean, read-only: buffers of the session's pool fit the encoder without conversion */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_PixelBufferPoolIsShared;
/** CFDictionary, read-only: attributes of pixel buffers that need no conversion */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_VideoEncoderPixelBufferAttributes;

/* ---- Key frames and references --------------------------------------------------------------- */

/** CFNumber, frames; 0: the encoder decides; 1: key frames only */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MaxKeyFrameInterval;
/** CFNumber, seconds; 0: no limit */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration;
/** CFBoolean, default true; false: key frames only */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_AllowTemporalCompression;
/**
 * CFBoolean: B-frames may be used. Default true if profile and delay allow it. A B-frame never
 * refers to another B-frame, so decode and presentation order differ by at most one frame. The
 * value that is read describes the stream, so it may be false after true was set
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_AllowFrameReordering;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_AllowOpenGOP; /**< CFBoolean, default false */
/** CFNumber, frames: 1 to 16; 0: the encoder decides */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ReferenceBufferCount;
/**
 * CFBoolean, default false: long-term references. Samples have tokens that a receiver acknowledges.
 * A frame can be restricted to acknowledged frames as references
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_EnableLTR;

/* ---- Rate and quality ------------------------------------------------------------------------ */

/**
 * CFNumber, bits per second; 0: none. The rate overrides Quality. It can change between frames; a
 * change from 0 or to 0 after the first frame returns kVTPropertyReadOnlyErr
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_AverageBitRate;
/**
 * CFArray of one or two pairs of CFNumbers: bytes, seconds. No window of that time contains more
 * bytes. Some programs pass uninitialized limits, so [0, 0] is no limit. A pair below 0.05 seconds,
 * 1000 bytes or 1000 bytes per second is no limit either. Negative numbers return kVTParameterErr
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_DataRateLimits;
/** CFNumber, 0.0 to 1.0: 0.25 low, 0.5 normal, 0.75 high. No effect while a bit rate is set */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_Quality;
/**
 * CFNumber, 0.0 to 1.0, on the scale of Quality: a consistent visual quality. A bit rate and
 * DataRateLimits are ceilings then, and Quality has no effect. ConstantBitRate and VariableBitRate
 * exclude it. New in macOS 27
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ConstantQualityFactor;
/**
 * CFNumber, bits per second: a constant rate, kept with filler data. Without ExpectedFrameRate it
 * is an average without filler data. With it, a change between frames first has pending frames
 * encoded, and the next frame is a key frame with its own parameter sets
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ConstantBitRate;
/** CFNumber, bits per second: a variable rate, limited by the three VBV properties */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_VariableBitRate;
/**
 * CFNumber, bits per second: the highest rate. The VBV properties have no effect without
 * VariableBitRate
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_VBVMaxBitRate;
/** CFNumber, seconds of VBVMaxBitRate: the size of the VBV buffer; default 2.5 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_VBVBufferDuration;
/** CFNumber, percent: the fullness of the VBV buffer at the first frame, 0 to 100; default 90 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_VBVInitialDelayPercentage;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MaxAllowedFrameQP; /**< CFNumber, 0 to 51 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MinAllowedFrameQP; /**< CFNumber, 0 to 51 */
/** CFNumber: kVTQPModulationLevel_... */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_SpatialAdaptiveQPLevel;
/** CFBoolean, read-only: true if the frame option BaseFrameQP has an effect */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_SupportsBaseFrameQP;
/** CFNumber, read-only; needs a bit rate and ExpectedFrameRate */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_EstimatedAverageBytesPerFrame;
/** CFBoolean: each sample has kVTSampleAttachmentKey_QualityMetrics */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_CalculateMeanSquaredError;
/** Not supported: H.264 has no alpha here. */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_TargetQualityForAlpha;

/* ---- Delay and speed ------------------------------------------------------------------------- */

/**
 * CFBoolean; true: no frame is delayed. This property, the next one, MaxFrameDelayCount and
 * ProfileLevel can change between frames, as ConstantBitRate does
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_RealTime;
/** CFBoolean; true: faster, with lower quality at the same rate */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality;
/** CFBoolean; true: one thread. No effect while RealTime is true */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MaximizePowerEfficiency;
/**
 * CFNumber, frames that the encoder may delay. If it is not set, the encoder looks at most 12
 * frames ahead. kVTUnlimitedFrameDelayCount allows the whole lookahead. It is also read back if no
 * value was set
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MaxFrameDelayCount;
/** CFNumber, frames that rate control reads before it encodes one */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_SuggestedLookAheadFrameCount;
/**
 * CFNumber, frames per second; 0: not known. After its first frame, an encoder with lookahead uses
 * the times of the frames
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ExpectedFrameRate;
/** Not supported: no capacity is reserved for a highest frame rate. */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MaximumRealTimeFrameRate;

/* ---- The video ------------------------------------------------------------------------------- */

/**
 * CFNumber, frames; 0: not known. No effect without AverageBitRate, or with MultiPassStorage. After
 * the first frame, setting it returns kVTPropertyReadOnlyErr
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_SourceFrameCount;
/** CFNumber, seconds; 0: not known. The rules of SourceFrameCount apply */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ExpectedDuration;
/** CFBoolean: another session's samples precede those of this one */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MoreFramesBeforeStart;
/** CFBoolean: another session's samples follow those of this one */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MoreFramesAfterEnd;
/** VTMultiPassStorageRef: the session makes several passes */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MultiPassStorage;
/** CFNumber, read-only: the number of simultaneous sessions that keeps all processors busy */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_RecommendedParallelizationLimit;
/** CFNumber, read-only, frames: the shortest chunk of a video that is worth its own session */
VT_EXPORT const CFStringRef
    kVTCompressionPropertyKey_RecommendedParallelizedSubdivisionMinimumFrameCount;
/** CFDictionary, read-only: the same as a CMTime (CMTimeCopyAsDictionary) */
VT_EXPORT const CFStringRef
    kVTCompressionPropertyKey_RecommendedParallelizedSubdivisionMinimumDuration;

/* ---- The stream ------------------------------------------------------------------------------ */

/** CFString: kVTProfileLevel_...; default H264_High_AutoLevel */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ProfileLevel;
/** CFString: kVTH264EntropyMode_... */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_H264EntropyMode;
/** CFNumber, bytes; 0: no limit */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MaxH264SliceBytes;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_OutputBitDepth; /**< CFNumber: 8 or 10 */
/** Accepted without effect: only codecs that store RGB pixels have it. */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_Depth;
/** Accepted without effect: H.264 has no alpha here. */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_PreserveAlphaChannel;
/** Accepted without effect: H.264 has no alpha here. */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_AlphaChannelMode;
/**
 * CFNumber: 0.25, 0.5 or 1. Samples of the other frames have false for
 * kCMSampleAttachmentKey_IsDependedOnByOthers.
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_BaseLayerFrameRateFraction;
/** CFNumber, 0.3 to 0.9: the base layer's fraction of the bits; needs BaseLayerFrameRateFraction */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_BaseLayerBitRateFraction;
/** Not supported: BaseLayerFrameRateFraction sets the fraction of the frames. */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_BaseLayerFrameRate;

/* ---- The encoder ----------------------------------------------------------------------------- */

/** CFString, read-only; VTSessionSetProperties ignores it */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_EncoderID;
/** CFBoolean, read-only: false */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_UsingHardwareAcceleratedVideoEncoder;
/** CFNumber, read-only: NULL, since no GPU is used */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_UsingGPURegistryID;
/** CFDictionary, read-only: kVTCompressionPreset_... to CFDictionary of properties */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_SupportedPresetDictionaries;

/* ---- The picture ----------------------------------------------------------------------------- */

/* Colour, light and geometry are written to the stream and the format description. Colours that are
 * not set come from the first frame's attachments. */

/** CFDictionary with kCMFormatDescriptionKey_CleanAperture... keys */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_CleanAperture;
/** CFDictionary with kCMFormatDescriptionKey_PixelAspectRatio... keys */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_PixelAspectRatio;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_FieldCount; /**< CFNumber: 1 or 2 */
/** CFString: kCMFormatDescriptionFieldDetail_... */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_FieldDetail;
/** Accepted without effect: only DV streams have this flag. */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_AspectRatio16x9;
/** Accepted without effect: only DV streams have this flag. */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ProgressiveScan;
/** CFString: kCMFormatDescriptionColorPrimaries_... */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ColorPrimaries;
/** CFString: kCMFormatDescriptionTransferFunction_... */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_TransferFunction;
/** CFString: kCMFormatDescriptionYCbCrMatrix_... */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_YCbCrMatrix;
/**
 * CFNumber: an extension of the samples' format description. The stream has a code for the transfer
 * function, but no exponent
 */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_GammaLevel;
/** CFData: an extension of the samples' format description. The stream cannot contain a profile */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ICCProfile;
/** CFData of 24 bytes, big endian, as in the SEI message */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MasteringDisplayColorVolume;
/** CFData of 4 bytes, big endian, as in the SEI message */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ContentLightLevelInfo;
/** CFString: kVTHDRMetadataInsertionMode_... */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_HDRMetadataInsertionMode;
/** Accepted without effect: frames have no such metadata here. */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_PreserveDynamicHDRMetadata;
/** CFDictionary: how frames of another size are scaled (VTPixelTransferProperties.h) */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_PixelTransferProperties;

/* ---- Spatial video --------------------------------------------------------------------------- */

/** Not supported: spatial video needs MV-HEVC, which no session encodes. */
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MVHEVCVideoLayerIDs;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MVHEVCViewIDs;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MVHEVCLeftAndRightViewIDs;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_HeroEye;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_StereoCameraBaseline;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_HorizontalDisparityAdjustment;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_HasLeftStereoEyeView;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_HasRightStereoEyeView;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_HorizontalFieldOfView;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ProjectionKind;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ViewPackingKind;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_CameraCalibrationDataLensCollection;

/* ---- Numbers --------------------------------------------------------------------------------- */

enum { kVTUnlimitedFrameDelayCount = -1 };

/** Values of SpatialAdaptiveQPLevel. */
enum {
    kVTQPModulationLevel_Default = -1,
    kVTQPModulationLevel_Disable = 0,
};

/* ---- Values of ProfileLevel ------------------------------------------------------------------ */

/* The encoders write the H.264 profiles other than Extended, and HEVC Main and Main 10. Other
 * values return kVTParameterErr.
 * An AutoLevel is the lowest level that allows the size and the rate. */

VT_EXPORT const CFStringRef kVTProfileLevel_HEVC_Main_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_HEVC_Main10_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_HEVC_Main42210_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_HEVC_Monochrome_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_HEVC_Monochrome10_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_1_3;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_3_0;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_3_1;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_3_2;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_4_0;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_4_1;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_4_2;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_5_0;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_5_1;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_5_2;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Baseline_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_ConstrainedBaseline_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Main_3_0;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Main_3_1;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Main_3_2;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Main_4_0;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Main_4_1;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Main_4_2;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Main_5_0;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Main_5_1;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Main_5_2;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Main_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Extended_5_0;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_Extended_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_High_3_0;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_High_3_1;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_High_3_2;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_High_4_0;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_High_4_1;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_High_4_2;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_High_5_0;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_High_5_1;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_High_5_2;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_High_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_ConstrainedHigh_AutoLevel;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_Simple_L0;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_Simple_L1;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_Simple_L2;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_Simple_L3;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_Main_L2;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_Main_L3;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_Main_L4;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_AdvancedSimple_L0;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_AdvancedSimple_L1;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_AdvancedSimple_L2;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_AdvancedSimple_L3;
VT_EXPORT const CFStringRef kVTProfileLevel_MP4V_AdvancedSimple_L4;
VT_EXPORT const CFStringRef kVTProfileLevel_H263_Profile0_Level10;
VT_EXPORT const CFStringRef kVTProfileLevel_H263_Profile0_Level45;
VT_EXPORT const CFStringRef kVTProfileLevel_H263_Profile3_Level45;

/* ---- Values of H264EntropyMode --------------------------------------------------------------- */

VT_EXPORT const CFStringRef kVTH264EntropyMode_CAVLC;
VT_EXPORT const CFStringRef kVTH264EntropyMode_CABAC;

/* ---- Values of HDRMetadataInsertionMode ------------------------------------------------------ */

VT_EXPORT const CFStringRef kVTHDRMetadataInsertionMode_None;
VT_EXPORT const CFStringRef kVTHDRMetadataInsertionMode_Auto;
/** Not supported: no metadata is computed from the pictures. */
VT_EXPORT const CFStringRef kVTHDRMetadataInsertionMode_RequestSDRRangePreservation;

/* ---- Values of AlphaChannelMode -------------------------------------------------------------- */

/** Accepted without effect: H.264 has no alpha here. */
VT_EXPORT const CFStringRef kVTAlphaChannelMode_StraightAlpha;
VT_EXPORT const CFStringRef kVTAlphaChannelMode_PremultipliedAlpha;

/* ---- Presets --------------------------------------------------------------------------------- */

/** Keys of SupportedPresetDictionaries. */
VT_EXPORT const CFStringRef kVTCompressionPreset_HighQuality;
VT_EXPORT const CFStringRef kVTCompressionPreset_Balanced;
VT_EXPORT const CFStringRef kVTCompressionPreset_HighSpeed;
VT_EXPORT const CFStringRef kVTCompressionPreset_VideoConferencing;
VT_EXPORT const CFStringRef kVTCompressionPreset_ConsistentQuality; /**< macOS 27 */

/* ---- Values of spatial video ----------------------------------------------------------------- */

/** Not supported: no session has the properties with these values. */
VT_EXPORT const CFStringRef kVTProjectionKind_Rectilinear;
VT_EXPORT const CFStringRef kVTProjectionKind_Equirectangular;
VT_EXPORT const CFStringRef kVTProjectionKind_HalfEquirectangular;
VT_EXPORT const CFStringRef kVTProjectionKind_ParametricImmersive;
VT_EXPORT const CFStringRef kVTViewPackingKind_SideBySide;
VT_EXPORT const CFStringRef kVTViewPackingKind_OverUnder;
VT_EXPORT const CFStringRef kVTHeroEye_Left;
VT_EXPORT const CFStringRef kVTHeroEye_Right;
VT_EXPORT const CFStringRef kVTCameraCalibrationLensAlgorithmKind_ParametricLens;
VT_EXPORT const CFStringRef kVTCameraCalibrationLensDomain_Color;
VT_EXPORT const CFStringRef kVTCameraCalibrationLensRole_Mono;
VT_EXPORT const CFStringRef kVTCameraCalibrationLensRole_Left;
VT_EXPORT const CFStringRef kVTCameraCalibrationLensRole_Right;
VT_EXPORT const CFStringRef kVTCameraCalibrationExtrinsicOriginSource_StereoCameraSystemBaseline;
VT_EXPORT const CFStringRef kVTCompressionPropertyCameraCalibrationKey_LensAlgorithmKind;
VT_EXPORT const CFStringRef kVTCompressionPropertyCameraCalibrationKey_LensDomain;
VT_EXPORT const CFStringRef kVTCompressionPropertyCameraCalibrationKey_LensIdentifier;
VT_EXPORT const CFStringRef kVTCompressionPropertyCameraCalibrationKey_LensRole;
VT_EXPORT const CFStringRef kVTCompressionPropertyCameraCalibrationKey_LensDistortions;
VT_EXPORT const CFStringRef kVTCompressionPropertyCameraCalibrationKey_RadialAngleLimit;
VT_EXPORT const CFStringRef
    kVTCompressionPropertyCameraCalibrationKey_LensFrameAdjustmentsPolynomialX;
VT_EXPORT const CFStringRef
    kVTCompressionPropertyCameraCalibrationKey_LensFrameAdjustmentsPolynomialY;
VT_EXPORT const CFStringRef kVTCompressionPropertyCameraCalibrationKey_IntrinsicMatrix;
VT_EXPORT const CFStringRef
    kVTCompressionPropertyCameraCalibrationKey_IntrinsicMatrixProjectionOffset;
VT_EXPORT const CFStringRef
    kVTCompressionPropertyCameraCalibrationKey_IntrinsicMatrixReferenceDimensions;
VT_EXPORT const CFStringRef kVTCompressionPropertyCameraCalibrationKey_ExtrinsicOriginSource;
VT_EXPORT const CFStringRef
    kVTCompressionPropertyCameraCalibrationKey_ExtrinsicOrientationQuaternion;

/* ---- Encoder specification ------------------------------------------------------------------- */

/** Keys of the dictionary that VTCompressionSessionCreate accepts. */
/** CFString: the ID of an encoder in VTCopyVideoEncoderList */
VT_EXPORT const CFStringRef kVTVideoEncoderSpecification_EncoderID;
/** CFBoolean. No effect: there is no hardware encoder. */
VT_EXPORT const CFStringRef kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder;
/**
 * CFBoolean. Programs set it by habit, so true creates a session with the software encoder, whose
 * UsingHardwareAcceleratedVideoEncoder is false. True returns kVTCouldNotFindVideoEncoderErr if the
 * environment has NALU_VT_STRICT_HARDWARE=1, or if the library was configured with the CMake option
 * of that name.
 */
VT_EXPORT const CFStringRef kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder;
/** CFBoolean; true: no frame is delayed, and all key frames after the first are forced ones */
VT_EXPORT const CFStringRef kVTVideoEncoderSpecification_EnableLowLatencyRateControl;
/** CFNumber that requires hardware, like RequireHardwareAcceleratedVideoEncoder */
VT_EXPORT const CFStringRef kVTVideoEncoderSpecification_RequiredEncoderGPURegistryID;
/** CFNumber. No effect: no GPU is used. */
VT_EXPORT const CFStringRef kVTVideoEncoderSpecification_PreferredEncoderGPURegistryID;

/* ---- Frame options --------------------------------------------------------------------------- */

/**
 * Keys of the dictionary that VTCompressionSessionEncodeFrame accepts. A value of another type
 * returns kVTParameterErr there.
 */
VT_EXPORT const CFStringRef kVTEncodeFrameOptionKey_ForceKeyFrame; /**< CFBoolean */
/**
 * CFNumber, 0 to 51: rate control is off for this frame. A session whose SupportsBaseFrameQP is
 * false refuses the frame: x264's unless the property CFSTR("x264.params") has crf, x265's if a bit
 * rate is set.
 */
VT_EXPORT const CFStringRef kVTEncodeFrameOptionKey_BaseFrameQP;
/** CFArray of the CFNumbers (tokens) that the receiver acknowledged; no effect without EnableLTR */
VT_EXPORT const CFStringRef kVTEncodeFrameOptionKey_AcknowledgedLTRTokens;
/** CFBoolean: the frame refers only to acknowledged frames; a key frame without EnableLTR */
VT_EXPORT const CFStringRef kVTEncodeFrameOptionKey_ForceLTRRefresh;

/* ---- Attachments of samples ------------------------------------------------------------------ */

/** CFNumber that the sample's receiver returns; see AcknowledgedLTRTokens */
VT_EXPORT const CFStringRef kVTSampleAttachmentKey_RequireLTRAcknowledgementToken;
/** CFDictionary with the keys below, if CalculateMeanSquaredError is true */
VT_EXPORT const CFStringRef kVTSampleAttachmentKey_QualityMetrics;

/** CFNumber: the mean squared error of the samples of a plane */
VT_EXPORT const CFStringRef kVTSampleAttachmentQualityMetricsKey_LumaMeanSquaredError;
VT_EXPORT const CFStringRef kVTSampleAttachmentQualityMetricsKey_ChromaBlueMeanSquaredError;
VT_EXPORT const CFStringRef kVTSampleAttachmentQualityMetricsKey_ChromaRedMeanSquaredError;

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
