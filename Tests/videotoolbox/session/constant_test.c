/* Numbers and texts of the constants, as the framework has them. */
#include "check.h"

#include <VideoToolbox/VideoToolbox.h>

typedef struct text {
    const char *name;
    CFStringRef value;
    const char *text;
} text;

#define KEY(suffix) {"kVTCompressionPropertyKey_" #suffix, kVTCompressionPropertyKey_##suffix, #suffix}
#define LEVEL(suffix) {"kVTProfileLevel_" #suffix, kVTProfileLevel_##suffix, #suffix}
#define FRAME(suffix) {"kVTEncodeFrameOptionKey_" #suffix, kVTEncodeFrameOptionKey_##suffix, #suffix}
#define ENCODER(suffix) {"kVTVideoEncoderSpecification_" #suffix, kVTVideoEncoderSpecification_##suffix, #suffix}
#define LIST(suffix) {"kVTVideoEncoderList_" #suffix, kVTVideoEncoderList_##suffix, #suffix}
#define CONSTANT(name, text) {#name, name, text}
#define STATUS(name, number) {#name, name, number}

static void check_texts(const text *texts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char value[128] = "";
        CHECK(CFGetTypeID(texts[i].value) == CFStringGetTypeID());
        CFStringGetCString(texts[i].value, value, sizeof value, kCFStringEncodingUTF8);
        if (strcmp(value, texts[i].text) != 0) fprintf(stderr, "%s is \"%s\"\n", texts[i].name, value);
        CHECK(strcmp(value, texts[i].text) == 0);
    }
}

#define CHECK_TEXTS(texts) check_texts(texts, sizeof(texts) / sizeof *(texts))

static void test_properties(void) {
    const text texts[] = {
        KEY(NumberOfPendingFrames), KEY(PixelBufferPoolIsShared), KEY(VideoEncoderPixelBufferAttributes),
        KEY(MaxKeyFrameInterval), KEY(MaxKeyFrameIntervalDuration), KEY(AllowTemporalCompression),
        KEY(AllowFrameReordering), KEY(AllowOpenGOP), KEY(AverageBitRate), KEY(DataRateLimits), KEY(Quality),
        KEY(ConstantQualityFactor),
        KEY(TargetQualityForAlpha), KEY(MoreFramesBeforeStart), KEY(MoreFramesAfterEnd),
        KEY(PrioritizeEncodingSpeedOverQuality), KEY(ConstantBitRate),
        KEY(VariableBitRate), KEY(VBVMaxBitRate), KEY(VBVBufferDuration), KEY(VBVInitialDelayPercentage),
        KEY(ProfileLevel), KEY(OutputBitDepth), KEY(HDRMetadataInsertionMode), KEY(H264EntropyMode), KEY(Depth),
        KEY(MaxFrameDelayCount), KEY(MaxH264SliceBytes), KEY(RealTime),
        KEY(MaximizePowerEfficiency), KEY(SourceFrameCount), KEY(ExpectedFrameRate), KEY(MaximumRealTimeFrameRate),
        KEY(BaseLayerFrameRateFraction), KEY(BaseLayerBitRateFraction), KEY(ExpectedDuration), KEY(BaseLayerFrameRate),
        KEY(ReferenceBufferCount), KEY(CalculateMeanSquaredError), KEY(UsingHardwareAcceleratedVideoEncoder),
        KEY(SupportsBaseFrameQP), KEY(CleanAperture), KEY(PixelAspectRatio), KEY(FieldCount),
        KEY(FieldDetail), KEY(AspectRatio16x9), KEY(ProgressiveScan), KEY(ColorPrimaries), KEY(TransferFunction),
        KEY(YCbCrMatrix), KEY(ICCProfile), KEY(MasteringDisplayColorVolume), KEY(ContentLightLevelInfo),
        KEY(GammaLevel), KEY(AlphaChannelMode), KEY(PixelTransferProperties), KEY(MultiPassStorage), KEY(EncoderID),
        KEY(RecommendedParallelizationLimit), KEY(RecommendedParallelizedSubdivisionMinimumFrameCount),
        KEY(RecommendedParallelizedSubdivisionMinimumDuration), KEY(PreserveDynamicHDRMetadata), KEY(MaxAllowedFrameQP),
        KEY(MinAllowedFrameQP), KEY(EnableLTR), KEY(MVHEVCVideoLayerIDs), KEY(MVHEVCViewIDs),
        KEY(MVHEVCLeftAndRightViewIDs), KEY(HeroEye), KEY(StereoCameraBaseline), KEY(HorizontalDisparityAdjustment),
        KEY(HasLeftStereoEyeView), KEY(HasRightStereoEyeView), KEY(HorizontalFieldOfView), KEY(ProjectionKind),
        KEY(ViewPackingKind), KEY(CameraCalibrationDataLensCollection), KEY(SuggestedLookAheadFrameCount),
        KEY(SpatialAdaptiveQPLevel), KEY(SupportedPresetDictionaries)};
    CHECK_EQ(sizeof texts / sizeof *texts, 80);
    CHECK_TEXTS(texts);
}

/* Texts that differ from the last part of the name. */
static void test_texts_of_their_own(void) {
    const text texts[] = {
        CONSTANT(kVTCompressionPropertyKey_EstimatedAverageBytesPerFrame, "kVTProCodecPropertyKey_AverageBytesPerFrame"),
        CONSTANT(kVTCompressionPropertyKey_PreserveAlphaChannel, "kVTCodecPropertyKey_PreserveAlphaChannel"),
        CONSTANT(kVTCompressionPropertyKey_UsingGPURegistryID, "UsingMetalRegistryID"),
        CONSTANT(kVTDecompressionPropertyKey_UsingGPURegistryID, "UsingMetalRegistryID"),
        CONSTANT(kVTHDRMetadataInsertionMode_None, "HDRMetadataInsertionMode_None"),
        CONSTANT(kVTHDRMetadataInsertionMode_Auto, "HDRMetadataInsertionMode_Auto"),
        CONSTANT(kVTHDRMetadataInsertionMode_RequestSDRRangePreservation,
            "HDRMetadataInsertionMode_RequestSDRRangePreservation"),
        CONSTANT(kVTRotation_0, "Rotation0"), CONSTANT(kVTRotation_CW90, "RotationCW90"),
        CONSTANT(kVTRotation_180, "Rotation180"), CONSTANT(kVTRotation_CCW90, "RotationCCW90")};
    CHECK_TEXTS(texts);
}

static void test_profiles(void) {
    const text texts[] = {
        LEVEL(HEVC_Main_AutoLevel), LEVEL(HEVC_Main10_AutoLevel), LEVEL(HEVC_Main42210_AutoLevel),
        LEVEL(HEVC_Monochrome_AutoLevel), LEVEL(HEVC_Monochrome10_AutoLevel), LEVEL(H264_Baseline_1_3),
        LEVEL(H264_Baseline_3_0), LEVEL(H264_Baseline_3_1), LEVEL(H264_Baseline_3_2), LEVEL(H264_Baseline_4_0),
        LEVEL(H264_Baseline_4_1), LEVEL(H264_Baseline_4_2), LEVEL(H264_Baseline_5_0), LEVEL(H264_Baseline_5_1),
        LEVEL(H264_Baseline_5_2), LEVEL(H264_Baseline_AutoLevel), LEVEL(H264_ConstrainedBaseline_AutoLevel),
        LEVEL(H264_Main_3_0), LEVEL(H264_Main_3_1), LEVEL(H264_Main_3_2), LEVEL(H264_Main_4_0), LEVEL(H264_Main_4_1),
        LEVEL(H264_Main_4_2), LEVEL(H264_Main_5_0), LEVEL(H264_Main_5_1), LEVEL(H264_Main_5_2),
        LEVEL(H264_Main_AutoLevel), LEVEL(H264_Extended_5_0), LEVEL(H264_Extended_AutoLevel), LEVEL(H264_High_3_0),
        LEVEL(H264_High_3_1), LEVEL(H264_High_3_2), LEVEL(H264_High_4_0), LEVEL(H264_High_4_1), LEVEL(H264_High_4_2),
        LEVEL(H264_High_5_0), LEVEL(H264_High_5_1), LEVEL(H264_High_5_2), LEVEL(H264_High_AutoLevel),
        LEVEL(H264_ConstrainedHigh_AutoLevel), LEVEL(MP4V_Simple_L0), LEVEL(MP4V_Simple_L1), LEVEL(MP4V_Simple_L2),
        LEVEL(MP4V_Simple_L3), LEVEL(MP4V_Main_L2), LEVEL(MP4V_Main_L3), LEVEL(MP4V_Main_L4),
        LEVEL(MP4V_AdvancedSimple_L0), LEVEL(MP4V_AdvancedSimple_L1), LEVEL(MP4V_AdvancedSimple_L2),
        LEVEL(MP4V_AdvancedSimple_L3), LEVEL(MP4V_AdvancedSimple_L4), LEVEL(H263_Profile0_Level10),
        LEVEL(H263_Profile0_Level45), LEVEL(H263_Profile3_Level45)};
    CHECK_EQ(sizeof texts / sizeof *texts, 55);
    CHECK_TEXTS(texts);
}

static void test_other_keys(void) {
    const text texts[] = {
        FRAME(ForceKeyFrame), FRAME(BaseFrameQP), FRAME(AcknowledgedLTRTokens), FRAME(ForceLTRRefresh),
        ENCODER(EncoderID), ENCODER(EnableHardwareAcceleratedVideoEncoder),
        ENCODER(RequireHardwareAcceleratedVideoEncoder), ENCODER(EnableLowLatencyRateControl),
        ENCODER(RequiredEncoderGPURegistryID), ENCODER(PreferredEncoderGPURegistryID), LIST(CodecType), LIST(EncoderID),
        LIST(CodecName), LIST(EncoderName), LIST(DisplayName), LIST(GPURegistryID), LIST(SupportedSelectionProperties),
        LIST(PerformanceRating), LIST(QualityRating), LIST(InstanceLimit), LIST(IsHardwareAccelerated),
        LIST(SupportsFrameReordering), LIST(SupportsMultiPass)};
    CHECK_TEXTS(texts);
}

/* FFmpeg looks up these constants at run time, and falls back to its own texts. Both have to be the same. */
static void test_what_ffmpeg_falls_back_to(void) {
    const text texts[] = {
        CONSTANT(kCVImageBufferColorPrimaries_ITU_R_2020, "ITU_R_2020"),
        CONSTANT(kCVImageBufferTransferFunction_ITU_R_2020, "ITU_R_2020"),
        CONSTANT(kCVImageBufferYCbCrMatrix_ITU_R_2020, "ITU_R_2020"),
        CONSTANT(kVTCompressionPropertyKey_H264EntropyMode, "H264EntropyMode"), CONSTANT(kVTH264EntropyMode_CAVLC,
        "CAVLC"), CONSTANT(kVTH264EntropyMode_CABAC, "CABAC"), CONSTANT(kVTProfileLevel_H264_Baseline_4_0,
        "H264_Baseline_4_0"), CONSTANT(kVTProfileLevel_H264_Baseline_4_2, "H264_Baseline_4_2"),
        CONSTANT(kVTProfileLevel_H264_Baseline_5_0, "H264_Baseline_5_0"), CONSTANT(kVTProfileLevel_H264_Baseline_5_1,
        "H264_Baseline_5_1"), CONSTANT(kVTProfileLevel_H264_Baseline_5_2, "H264_Baseline_5_2"),
        CONSTANT(kVTProfileLevel_H264_Baseline_AutoLevel, "H264_Baseline_AutoLevel"),
        CONSTANT(kVTProfileLevel_H264_Main_4_2, "H264_Main_4_2"), CONSTANT(kVTProfileLevel_H264_Main_5_1,
        "H264_Main_5_1"), CONSTANT(kVTProfileLevel_H264_Main_5_2, "H264_Main_5_2"),
        CONSTANT(kVTProfileLevel_H264_Main_AutoLevel, "H264_Main_AutoLevel"), CONSTANT(kVTProfileLevel_H264_High_3_0,
        "H264_High_3_0"), CONSTANT(kVTProfileLevel_H264_High_3_1, "H264_High_3_1"),
        CONSTANT(kVTProfileLevel_H264_High_3_2, "H264_High_3_2"), CONSTANT(kVTProfileLevel_H264_High_4_0,
        "H264_High_4_0"), CONSTANT(kVTProfileLevel_H264_High_4_1, "H264_High_4_1"),
        CONSTANT(kVTProfileLevel_H264_High_4_2, "H264_High_4_2"), CONSTANT(kVTProfileLevel_H264_High_5_1,
        "H264_High_5_1"), CONSTANT(kVTProfileLevel_H264_High_5_2, "H264_High_5_2"),
        CONSTANT(kVTProfileLevel_H264_High_AutoLevel, "H264_High_AutoLevel"),
        CONSTANT(kVTProfileLevel_H264_Extended_5_0, "H264_Extended_5_0"),
        CONSTANT(kVTProfileLevel_H264_Extended_AutoLevel, "H264_Extended_AutoLevel"),
        CONSTANT(kVTProfileLevel_H264_ConstrainedBaseline_AutoLevel, "H264_ConstrainedBaseline_AutoLevel"),
        CONSTANT(kVTProfileLevel_H264_ConstrainedHigh_AutoLevel, "H264_ConstrainedHigh_AutoLevel"),
        CONSTANT(kVTProfileLevel_HEVC_Main_AutoLevel, "HEVC_Main_AutoLevel"),
        CONSTANT(kVTProfileLevel_HEVC_Main10_AutoLevel, "HEVC_Main10_AutoLevel"),
        CONSTANT(kVTProfileLevel_HEVC_Main42210_AutoLevel, "HEVC_Main42210_AutoLevel"),
        CONSTANT(kVTCompressionPropertyKey_RealTime, "RealTime"),
        CONSTANT(kVTCompressionPropertyKey_TargetQualityForAlpha, "TargetQualityForAlpha"),
        CONSTANT(kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality, "PrioritizeEncodingSpeedOverQuality"),
        CONSTANT(kVTCompressionPropertyKey_ConstantBitRate, "ConstantBitRate"),
        CONSTANT(kVTCompressionPropertyKey_EncoderID, "EncoderID"),
        CONSTANT(kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder,
        "EnableHardwareAcceleratedVideoEncoder"),
        CONSTANT(kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder,
        "RequireHardwareAcceleratedVideoEncoder"), CONSTANT(kVTVideoEncoderSpecification_EnableLowLatencyRateControl,
        "EnableLowLatencyRateControl"), CONSTANT(kVTCompressionPropertyKey_AllowOpenGOP, "AllowOpenGOP"),
        CONSTANT(kVTCompressionPropertyKey_MaximizePowerEfficiency, "MaximizePowerEfficiency"),
        CONSTANT(kVTCompressionPropertyKey_ReferenceBufferCount, "ReferenceBufferCount"),
        CONSTANT(kVTCompressionPropertyKey_MaxAllowedFrameQP, "MaxAllowedFrameQP"),
        CONSTANT(kVTCompressionPropertyKey_MinAllowedFrameQP, "MinAllowedFrameQP"),
        CONSTANT(kVTCompressionPropertyKey_SpatialAdaptiveQPLevel, "SpatialAdaptiveQPLevel")};
    CHECK_EQ(sizeof texts / sizeof *texts, 46);
    CHECK_TEXTS(texts);
}

static void test_statuses(void) {
    const struct {
        const char *name;
        OSStatus value;
        OSStatus expected;
    } statuses[] = {
        STATUS(kVTPropertyNotSupportedErr, -12900), STATUS(kVTPropertyReadOnlyErr, -12901), STATUS(kVTParameterErr,
        -12902), STATUS(kVTInvalidSessionErr, -12903), STATUS(kVTAllocationFailedErr, -12904),
        STATUS(kVTPixelTransferNotSupportedErr, -12905), STATUS(kVTCouldNotFindVideoDecoderErr, -12906),
        STATUS(kVTCouldNotCreateInstanceErr, -12907), STATUS(kVTCouldNotFindVideoEncoderErr, -12908),
        STATUS(kVTVideoDecoderBadDataErr, -12909), STATUS(kVTVideoDecoderUnsupportedDataFormatErr, -12910),
        STATUS(kVTVideoDecoderMalfunctionErr, -12911), STATUS(kVTVideoEncoderMalfunctionErr, -12912),
        STATUS(kVTVideoDecoderNotAvailableNowErr, -12913), STATUS(kVTImageRotationNotSupportedErr, -12914),
        STATUS(kVTPixelRotationNotSupportedErr, -12914), STATUS(kVTVideoEncoderNotAvailableNowErr, -12915),
        STATUS(kVTFormatDescriptionChangeNotSupportedErr, -12916), STATUS(kVTInsufficientSourceColorDataErr, -12917),
        STATUS(kVTCouldNotCreateColorCorrectionDataErr, -12918), STATUS(kVTColorSyncTransformConvertFailedErr, -12919),
        STATUS(kVTVideoDecoderAuthorizationErr, -12210), STATUS(kVTVideoEncoderAuthorizationErr, -12211),
        STATUS(kVTColorCorrectionPixelTransferFailedErr, -12212), STATUS(kVTMultiPassStorageIdentifierMismatchErr,
        -12213), STATUS(kVTMultiPassStorageInvalidErr, -12214), STATUS(kVTFrameSiloInvalidTimeStampErr, -12215),
        STATUS(kVTFrameSiloInvalidTimeRangeErr, -12216), STATUS(kVTCouldNotFindTemporalFilterErr, -12217),
        STATUS(kVTPixelTransferNotPermittedErr, -12218), STATUS(kVTColorCorrectionImageRotationFailedErr, -12219),
        STATUS(kVTVideoDecoderRemovedErr, -17690), STATUS(kVTSessionMalfunctionErr, -17691),
        STATUS(kVTVideoDecoderNeedsRosettaErr, -17692), STATUS(kVTVideoEncoderNeedsRosettaErr, -17693),
        STATUS(kVTVideoDecoderReferenceMissingErr, -17694), STATUS(kVTVideoDecoderCallbackMessagingErr, -17695),
        STATUS(kVTVideoDecoderUnknownErr, -17696), STATUS(kVTExtensionDisabledErr, -17697),
        STATUS(kVTVideoEncoderMVHEVCVideoLayerIDsMismatchErr, -17698), STATUS(kVTCouldNotOutputTaggedBufferGroupErr,
        -17699), STATUS(kVTCouldNotFindExtensionErr, -19510), STATUS(kVTExtensionConflictErr, -19511),
        STATUS(kVTVideoEncoderAutoWhiteBalanceNotLockedErr, -19512)};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) CHECK_EQ(statuses[i].value, statuses[i].expected);
}

/* Behaviour 20: programs release constants which they never retained. */
static void test_constants_are_immortal(void) {
    for (int i = 0; i < 100; i++) {
        CFRelease(kVTProfileLevel_H264_High_AutoLevel);
        CFRelease(kVTCompressionPropertyKey_RealTime);
        CFRelease(kCFBooleanTrue);
    }
    CHECK(CFEqual(kVTProfileLevel_H264_High_AutoLevel, CFSTR("H264_High_AutoLevel")));
    CHECK(CFEqual(kVTCompressionPropertyKey_RealTime, CFSTR("RealTime")));
}

/* The classes have names, which logs show. */
static void test_types(void) {
    CHECK(VTCompressionSessionGetTypeID() != VTMultiPassStorageGetTypeID());
    CHECK(VTMultiPassStorageGetTypeID() != VTFrameSiloGetTypeID());
    CHECK_EQ(kVTEncodeInfo_Asynchronous, 1);
    CHECK_EQ(kVTEncodeInfo_FrameDropped, 2);
    CHECK_EQ(kVTCompressionSessionBeginFinalPass, 1);
    CHECK_EQ(kVTUnlimitedFrameDelayCount, -1);
    CHECK_EQ(kVTQPModulationLevel_Default, -1);
    CHECK_EQ(kVTQPModulationLevel_Disable, 0);
    CHECK(!VTIsStereoMVHEVCEncodeSupported());
    VTRegisterProfessionalVideoWorkflowVideoDecoders();
    VTRegisterProfessionalVideoWorkflowVideoEncoders();
}

int main(void) {
    RUN(test_properties);
    RUN(test_texts_of_their_own);
    RUN(test_profiles);
    RUN(test_other_keys);
    RUN(test_what_ffmpeg_falls_back_to);
    RUN(test_statuses);
    RUN(test_constants_are_immortal);
    RUN(test_types);
    return check_result();
}
