#include <VideoToolbox/VTCompressionProperties.h>

#include "../../Support/constant.h"

/* The text of each constant is the end of its name, unless Apple's constant has another text. */

NALU_CONSTANT(kVTCompressionPropertyKey_NumberOfPendingFrames, "NumberOfPendingFrames");
NALU_CONSTANT(kVTCompressionPropertyKey_PixelBufferPoolIsShared, "PixelBufferPoolIsShared");
NALU_CONSTANT(kVTCompressionPropertyKey_VideoEncoderPixelBufferAttributes, "VideoEncoderPixelBufferAttributes");

NALU_CONSTANT(kVTCompressionPropertyKey_MaxKeyFrameInterval, "MaxKeyFrameInterval");
NALU_CONSTANT(kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration, "MaxKeyFrameIntervalDuration");
NALU_CONSTANT(kVTCompressionPropertyKey_AllowTemporalCompression, "AllowTemporalCompression");
NALU_CONSTANT(kVTCompressionPropertyKey_AllowFrameReordering, "AllowFrameReordering");
NALU_CONSTANT(kVTCompressionPropertyKey_AllowOpenGOP, "AllowOpenGOP");
NALU_CONSTANT(kVTCompressionPropertyKey_ReferenceBufferCount, "ReferenceBufferCount");
NALU_CONSTANT(kVTCompressionPropertyKey_EnableLTR, "EnableLTR");

NALU_CONSTANT(kVTCompressionPropertyKey_AverageBitRate, "AverageBitRate");
NALU_CONSTANT(kVTCompressionPropertyKey_DataRateLimits, "DataRateLimits");
NALU_CONSTANT(kVTCompressionPropertyKey_Quality, "Quality");
NALU_CONSTANT(kVTCompressionPropertyKey_ConstantQualityFactor, "ConstantQualityFactor");
NALU_CONSTANT(kVTCompressionPropertyKey_ConstantBitRate, "ConstantBitRate");
NALU_CONSTANT(kVTCompressionPropertyKey_VariableBitRate, "VariableBitRate");
NALU_CONSTANT(kVTCompressionPropertyKey_VBVMaxBitRate, "VBVMaxBitRate");
NALU_CONSTANT(kVTCompressionPropertyKey_VBVBufferDuration, "VBVBufferDuration");
NALU_CONSTANT(kVTCompressionPropertyKey_VBVInitialDelayPercentage, "VBVInitialDelayPercentage");
NALU_CONSTANT(kVTCompressionPropertyKey_MaxAllowedFrameQP, "MaxAllowedFrameQP");
NALU_CONSTANT(kVTCompressionPropertyKey_MinAllowedFrameQP, "MinAllowedFrameQP");
NALU_CONSTANT(kVTCompressionPropertyKey_SpatialAdaptiveQPLevel, "SpatialAdaptiveQPLevel");
NALU_CONSTANT(kVTCompressionPropertyKey_SupportsBaseFrameQP, "SupportsBaseFrameQP");
NALU_CONSTANT(kVTCompressionPropertyKey_EstimatedAverageBytesPerFrame, "kVTProCodecPropertyKey_AverageBytesPerFrame");
NALU_CONSTANT(kVTCompressionPropertyKey_CalculateMeanSquaredError, "CalculateMeanSquaredError");
NALU_CONSTANT(kVTCompressionPropertyKey_TargetQualityForAlpha, "TargetQualityForAlpha");

NALU_CONSTANT(kVTCompressionPropertyKey_RealTime, "RealTime");
NALU_CONSTANT(kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality, "PrioritizeEncodingSpeedOverQuality");
NALU_CONSTANT(kVTCompressionPropertyKey_MaximizePowerEfficiency, "MaximizePowerEfficiency");
NALU_CONSTANT(kVTCompressionPropertyKey_MaxFrameDelayCount, "MaxFrameDelayCount");
NALU_CONSTANT(kVTCompressionPropertyKey_SuggestedLookAheadFrameCount, "SuggestedLookAheadFrameCount");
NALU_CONSTANT(kVTCompressionPropertyKey_ExpectedFrameRate, "ExpectedFrameRate");
NALU_CONSTANT(kVTCompressionPropertyKey_MaximumRealTimeFrameRate, "MaximumRealTimeFrameRate");

NALU_CONSTANT(kVTCompressionPropertyKey_SourceFrameCount, "SourceFrameCount");
NALU_CONSTANT(kVTCompressionPropertyKey_ExpectedDuration, "ExpectedDuration");
NALU_CONSTANT(kVTCompressionPropertyKey_MoreFramesBeforeStart, "MoreFramesBeforeStart");
NALU_CONSTANT(kVTCompressionPropertyKey_MoreFramesAfterEnd, "MoreFramesAfterEnd");
NALU_CONSTANT(kVTCompressionPropertyKey_MultiPassStorage, "MultiPassStorage");
NALU_CONSTANT(kVTCompressionPropertyKey_RecommendedParallelizationLimit, "RecommendedParallelizationLimit");
NALU_CONSTANT(kVTCompressionPropertyKey_RecommendedParallelizedSubdivisionMinimumFrameCount,
    "RecommendedParallelizedSubdivisionMinimumFrameCount");
NALU_CONSTANT(kVTCompressionPropertyKey_RecommendedParallelizedSubdivisionMinimumDuration,
    "RecommendedParallelizedSubdivisionMinimumDuration");

NALU_CONSTANT(kVTCompressionPropertyKey_ProfileLevel, "ProfileLevel");
NALU_CONSTANT(kVTCompressionPropertyKey_H264EntropyMode, "H264EntropyMode");
NALU_CONSTANT(kVTCompressionPropertyKey_MaxH264SliceBytes, "MaxH264SliceBytes");
NALU_CONSTANT(kVTCompressionPropertyKey_OutputBitDepth, "OutputBitDepth");
NALU_CONSTANT(kVTCompressionPropertyKey_Depth, "Depth");
NALU_CONSTANT(kVTCompressionPropertyKey_PreserveAlphaChannel, "kVTCodecPropertyKey_PreserveAlphaChannel");
NALU_CONSTANT(kVTCompressionPropertyKey_AlphaChannelMode, "AlphaChannelMode");
NALU_CONSTANT(kVTCompressionPropertyKey_BaseLayerFrameRateFraction, "BaseLayerFrameRateFraction");
NALU_CONSTANT(kVTCompressionPropertyKey_BaseLayerBitRateFraction, "BaseLayerBitRateFraction");
NALU_CONSTANT(kVTCompressionPropertyKey_BaseLayerFrameRate, "BaseLayerFrameRate");

NALU_CONSTANT(kVTCompressionPropertyKey_EncoderID, "EncoderID");
NALU_CONSTANT(kVTCompressionPropertyKey_UsingHardwareAcceleratedVideoEncoder, "UsingHardwareAcceleratedVideoEncoder");
NALU_CONSTANT(kVTCompressionPropertyKey_UsingGPURegistryID, "UsingMetalRegistryID");
NALU_CONSTANT(kVTCompressionPropertyKey_SupportedPresetDictionaries, "SupportedPresetDictionaries");

NALU_CONSTANT(kVTCompressionPropertyKey_CleanAperture, "CleanAperture");
NALU_CONSTANT(kVTCompressionPropertyKey_PixelAspectRatio, "PixelAspectRatio");
NALU_CONSTANT(kVTCompressionPropertyKey_FieldCount, "FieldCount");
NALU_CONSTANT(kVTCompressionPropertyKey_FieldDetail, "FieldDetail");
NALU_CONSTANT(kVTCompressionPropertyKey_AspectRatio16x9, "AspectRatio16x9");
NALU_CONSTANT(kVTCompressionPropertyKey_ProgressiveScan, "ProgressiveScan");
NALU_CONSTANT(kVTCompressionPropertyKey_ColorPrimaries, "ColorPrimaries");
NALU_CONSTANT(kVTCompressionPropertyKey_TransferFunction, "TransferFunction");
NALU_CONSTANT(kVTCompressionPropertyKey_YCbCrMatrix, "YCbCrMatrix");
NALU_CONSTANT(kVTCompressionPropertyKey_GammaLevel, "GammaLevel");
NALU_CONSTANT(kVTCompressionPropertyKey_ICCProfile, "ICCProfile");
NALU_CONSTANT(kVTCompressionPropertyKey_MasteringDisplayColorVolume, "MasteringDisplayColorVolume");
NALU_CONSTANT(kVTCompressionPropertyKey_ContentLightLevelInfo, "ContentLightLevelInfo");
NALU_CONSTANT(kVTCompressionPropertyKey_HDRMetadataInsertionMode, "HDRMetadataInsertionMode");
NALU_CONSTANT(kVTCompressionPropertyKey_PreserveDynamicHDRMetadata, "PreserveDynamicHDRMetadata");
NALU_CONSTANT(kVTCompressionPropertyKey_PixelTransferProperties, "PixelTransferProperties");

NALU_CONSTANT(kVTCompressionPropertyKey_MVHEVCVideoLayerIDs, "MVHEVCVideoLayerIDs");
NALU_CONSTANT(kVTCompressionPropertyKey_MVHEVCViewIDs, "MVHEVCViewIDs");
NALU_CONSTANT(kVTCompressionPropertyKey_MVHEVCLeftAndRightViewIDs, "MVHEVCLeftAndRightViewIDs");
NALU_CONSTANT(kVTCompressionPropertyKey_HeroEye, "HeroEye");
NALU_CONSTANT(kVTCompressionPropertyKey_StereoCameraBaseline, "StereoCameraBaseline");
NALU_CONSTANT(kVTCompressionPropertyKey_HorizontalDisparityAdjustment, "HorizontalDisparityAdjustment");
NALU_CONSTANT(kVTCompressionPropertyKey_HasLeftStereoEyeView, "HasLeftStereoEyeView");
NALU_CONSTANT(kVTCompressionPropertyKey_HasRightStereoEyeView, "HasRightStereoEyeView");
NALU_CONSTANT(kVTCompressionPropertyKey_HorizontalFieldOfView, "HorizontalFieldOfView");
NALU_CONSTANT(kVTCompressionPropertyKey_ProjectionKind, "ProjectionKind");
NALU_CONSTANT(kVTCompressionPropertyKey_ViewPackingKind, "ViewPackingKind");
NALU_CONSTANT(kVTCompressionPropertyKey_CameraCalibrationDataLensCollection, "CameraCalibrationDataLensCollection");

NALU_CONSTANT(kVTProfileLevel_HEVC_Main_AutoLevel, "HEVC_Main_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_HEVC_Main10_AutoLevel, "HEVC_Main10_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_HEVC_Main42210_AutoLevel, "HEVC_Main42210_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_HEVC_Monochrome_AutoLevel, "HEVC_Monochrome_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_HEVC_Monochrome10_AutoLevel, "HEVC_Monochrome10_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_1_3, "H264_Baseline_1_3");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_3_0, "H264_Baseline_3_0");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_3_1, "H264_Baseline_3_1");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_3_2, "H264_Baseline_3_2");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_4_0, "H264_Baseline_4_0");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_4_1, "H264_Baseline_4_1");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_4_2, "H264_Baseline_4_2");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_5_0, "H264_Baseline_5_0");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_5_1, "H264_Baseline_5_1");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_5_2, "H264_Baseline_5_2");
NALU_CONSTANT(kVTProfileLevel_H264_Baseline_AutoLevel, "H264_Baseline_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_H264_ConstrainedBaseline_AutoLevel, "H264_ConstrainedBaseline_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_H264_Main_3_0, "H264_Main_3_0");
NALU_CONSTANT(kVTProfileLevel_H264_Main_3_1, "H264_Main_3_1");
NALU_CONSTANT(kVTProfileLevel_H264_Main_3_2, "H264_Main_3_2");
NALU_CONSTANT(kVTProfileLevel_H264_Main_4_0, "H264_Main_4_0");
NALU_CONSTANT(kVTProfileLevel_H264_Main_4_1, "H264_Main_4_1");
NALU_CONSTANT(kVTProfileLevel_H264_Main_4_2, "H264_Main_4_2");
NALU_CONSTANT(kVTProfileLevel_H264_Main_5_0, "H264_Main_5_0");
NALU_CONSTANT(kVTProfileLevel_H264_Main_5_1, "H264_Main_5_1");
NALU_CONSTANT(kVTProfileLevel_H264_Main_5_2, "H264_Main_5_2");
NALU_CONSTANT(kVTProfileLevel_H264_Main_AutoLevel, "H264_Main_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_H264_Extended_5_0, "H264_Extended_5_0");
NALU_CONSTANT(kVTProfileLevel_H264_Extended_AutoLevel, "H264_Extended_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_H264_High_3_0, "H264_High_3_0");
NALU_CONSTANT(kVTProfileLevel_H264_High_3_1, "H264_High_3_1");
NALU_CONSTANT(kVTProfileLevel_H264_High_3_2, "H264_High_3_2");
NALU_CONSTANT(kVTProfileLevel_H264_High_4_0, "H264_High_4_0");
NALU_CONSTANT(kVTProfileLevel_H264_High_4_1, "H264_High_4_1");
NALU_CONSTANT(kVTProfileLevel_H264_High_4_2, "H264_High_4_2");
NALU_CONSTANT(kVTProfileLevel_H264_High_5_0, "H264_High_5_0");
NALU_CONSTANT(kVTProfileLevel_H264_High_5_1, "H264_High_5_1");
NALU_CONSTANT(kVTProfileLevel_H264_High_5_2, "H264_High_5_2");
NALU_CONSTANT(kVTProfileLevel_H264_High_AutoLevel, "H264_High_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_H264_ConstrainedHigh_AutoLevel, "H264_ConstrainedHigh_AutoLevel");
NALU_CONSTANT(kVTProfileLevel_MP4V_Simple_L0, "MP4V_Simple_L0");
NALU_CONSTANT(kVTProfileLevel_MP4V_Simple_L1, "MP4V_Simple_L1");
NALU_CONSTANT(kVTProfileLevel_MP4V_Simple_L2, "MP4V_Simple_L2");
NALU_CONSTANT(kVTProfileLevel_MP4V_Simple_L3, "MP4V_Simple_L3");
NALU_CONSTANT(kVTProfileLevel_MP4V_Main_L2, "MP4V_Main_L2");
NALU_CONSTANT(kVTProfileLevel_MP4V_Main_L3, "MP4V_Main_L3");
NALU_CONSTANT(kVTProfileLevel_MP4V_Main_L4, "MP4V_Main_L4");
NALU_CONSTANT(kVTProfileLevel_MP4V_AdvancedSimple_L0, "MP4V_AdvancedSimple_L0");
NALU_CONSTANT(kVTProfileLevel_MP4V_AdvancedSimple_L1, "MP4V_AdvancedSimple_L1");
NALU_CONSTANT(kVTProfileLevel_MP4V_AdvancedSimple_L2, "MP4V_AdvancedSimple_L2");
NALU_CONSTANT(kVTProfileLevel_MP4V_AdvancedSimple_L3, "MP4V_AdvancedSimple_L3");
NALU_CONSTANT(kVTProfileLevel_MP4V_AdvancedSimple_L4, "MP4V_AdvancedSimple_L4");
NALU_CONSTANT(kVTProfileLevel_H263_Profile0_Level10, "H263_Profile0_Level10");
NALU_CONSTANT(kVTProfileLevel_H263_Profile0_Level45, "H263_Profile0_Level45");
NALU_CONSTANT(kVTProfileLevel_H263_Profile3_Level45, "H263_Profile3_Level45");

NALU_CONSTANT(kVTH264EntropyMode_CAVLC, "CAVLC");
NALU_CONSTANT(kVTH264EntropyMode_CABAC, "CABAC");

NALU_CONSTANT(kVTHDRMetadataInsertionMode_None, "HDRMetadataInsertionMode_None");
NALU_CONSTANT(kVTHDRMetadataInsertionMode_Auto, "HDRMetadataInsertionMode_Auto");
NALU_CONSTANT(kVTHDRMetadataInsertionMode_RequestSDRRangePreservation,
    "HDRMetadataInsertionMode_RequestSDRRangePreservation");

NALU_CONSTANT(kVTAlphaChannelMode_StraightAlpha, "StraightAlpha");
NALU_CONSTANT(kVTAlphaChannelMode_PremultipliedAlpha, "PremultipliedAlpha");

NALU_CONSTANT(kVTCompressionPreset_HighQuality, "HighQuality");
NALU_CONSTANT(kVTCompressionPreset_Balanced, "Balanced");
NALU_CONSTANT(kVTCompressionPreset_HighSpeed, "HighSpeed");
NALU_CONSTANT(kVTCompressionPreset_VideoConferencing, "VideoConferencing");
NALU_CONSTANT(kVTCompressionPreset_ConsistentQuality, "ConsistentQuality");

NALU_CONSTANT(kVTProjectionKind_Rectilinear, "Rectilinear");
NALU_CONSTANT(kVTProjectionKind_Equirectangular, "Equirectangular");
NALU_CONSTANT(kVTProjectionKind_HalfEquirectangular, "HalfEquirectangular");
NALU_CONSTANT(kVTProjectionKind_ParametricImmersive, "ParametricImmersive");

NALU_CONSTANT(kVTViewPackingKind_SideBySide, "SideBySide");
NALU_CONSTANT(kVTViewPackingKind_OverUnder, "OverUnder");

NALU_CONSTANT(kVTHeroEye_Left, "Left");
NALU_CONSTANT(kVTHeroEye_Right, "Right");

NALU_CONSTANT(kVTCameraCalibrationLensAlgorithmKind_ParametricLens, "ParametricLens");
NALU_CONSTANT(kVTCameraCalibrationLensDomain_Color, "Color");
NALU_CONSTANT(kVTCameraCalibrationLensRole_Mono, "Mono");
NALU_CONSTANT(kVTCameraCalibrationLensRole_Left, "Left");
NALU_CONSTANT(kVTCameraCalibrationLensRole_Right, "Right");
NALU_CONSTANT(kVTCameraCalibrationExtrinsicOriginSource_StereoCameraSystemBaseline, "StereoCameraSystemBaseline");

NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_LensAlgorithmKind, "LensAlgorithmKind");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_LensDomain, "LensDomain");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_LensIdentifier, "LensIdentifier");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_LensRole, "LensRole");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_LensDistortions, "LensDistortions");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_RadialAngleLimit, "RadialAngleLimit");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_LensFrameAdjustmentsPolynomialX,
    "LensFrameAdjustmentsPolynomialX");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_LensFrameAdjustmentsPolynomialY,
    "LensFrameAdjustmentsPolynomialY");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_IntrinsicMatrix, "IntrinsicMatrix");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_IntrinsicMatrixProjectionOffset,
    "IntrinsicMatrixProjectionOffset");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_IntrinsicMatrixReferenceDimensions,
    "IntrinsicMatrixReferenceDimensions");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_ExtrinsicOriginSource, "ExtrinsicOriginSource");
NALU_CONSTANT(kVTCompressionPropertyCameraCalibrationKey_ExtrinsicOrientationQuaternion,
    "ExtrinsicOrientationQuaternion");

NALU_CONSTANT(kVTVideoEncoderSpecification_EncoderID, "EncoderID");
NALU_CONSTANT(kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder,
    "EnableHardwareAcceleratedVideoEncoder");
NALU_CONSTANT(kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder,
    "RequireHardwareAcceleratedVideoEncoder");
NALU_CONSTANT(kVTVideoEncoderSpecification_EnableLowLatencyRateControl, "EnableLowLatencyRateControl");
NALU_CONSTANT(kVTVideoEncoderSpecification_RequiredEncoderGPURegistryID, "RequiredEncoderGPURegistryID");
NALU_CONSTANT(kVTVideoEncoderSpecification_PreferredEncoderGPURegistryID, "PreferredEncoderGPURegistryID");

NALU_CONSTANT(kVTEncodeFrameOptionKey_ForceKeyFrame, "ForceKeyFrame");
NALU_CONSTANT(kVTEncodeFrameOptionKey_BaseFrameQP, "BaseFrameQP");
NALU_CONSTANT(kVTEncodeFrameOptionKey_AcknowledgedLTRTokens, "AcknowledgedLTRTokens");
NALU_CONSTANT(kVTEncodeFrameOptionKey_ForceLTRRefresh, "ForceLTRRefresh");

NALU_CONSTANT(kVTSampleAttachmentKey_RequireLTRAcknowledgementToken, "RequireLTRAcknowledgementToken");
NALU_CONSTANT(kVTSampleAttachmentKey_QualityMetrics, "QualityMetrics");

NALU_CONSTANT(kVTSampleAttachmentQualityMetricsKey_LumaMeanSquaredError, "LumaMeanSquaredError");
NALU_CONSTANT(kVTSampleAttachmentQualityMetricsKey_ChromaBlueMeanSquaredError, "ChromaBlueMeanSquaredError");
NALU_CONSTANT(kVTSampleAttachmentQualityMetricsKey_ChromaRedMeanSquaredError, "ChromaRedMeanSquaredError");
