import Testing

@testable import Nalu

/// Every property of VideoToolbox is supported, or is rejected with the reason.
@Suite struct UnsupportedPropertyTests {
    /// The kVTCompressionPropertyKey_ names of VideoToolbox up to macOS 27.
    static let videoToolbox: [PropertyKey] = [
        "NumberOfPendingFrames", "PixelBufferPoolIsShared", "VideoEncoderPixelBufferAttributes", "MaxKeyFrameInterval",
        "MaxKeyFrameIntervalDuration", "AllowTemporalCompression", "AllowFrameReordering", "AllowOpenGOP",
        "AverageBitRate", "DataRateLimits", "Quality", "ConstantQualityFactor", "TargetQualityForAlpha",
        "MoreFramesBeforeStart",
        "MoreFramesAfterEnd", "PrioritizeEncodingSpeedOverQuality", "ConstantBitRate", "EstimatedAverageBytesPerFrame",
        "VariableBitRate", "VBVMaxBitRate", "VBVBufferDuration", "VBVInitialDelayPercentage", "ProfileLevel",
        "OutputBitDepth", "HDRMetadataInsertionMode", "H264EntropyMode", "Depth", "PreserveAlphaChannel",
        "MaxFrameDelayCount", "MaxH264SliceBytes", "RealTime", "MaximizePowerEfficiency", "SourceFrameCount",
        "ExpectedFrameRate", "MaximumRealTimeFrameRate", "BaseLayerFrameRateFraction", "BaseLayerBitRateFraction",
        "ExpectedDuration", "BaseLayerFrameRate", "ReferenceBufferCount", "CalculateMeanSquaredError",
        "UsingHardwareAcceleratedVideoEncoder", "UsingGPURegistryID", "SupportsBaseFrameQP", "CleanAperture",
        "PixelAspectRatio", "FieldCount", "FieldDetail", "AspectRatio16x9", "ProgressiveScan", "ColorPrimaries",
        "TransferFunction", "YCbCrMatrix", "ICCProfile", "MasteringDisplayColorVolume", "ContentLightLevelInfo",
        "GammaLevel", "AlphaChannelMode", "PixelTransferProperties", "MultiPassStorage", "EncoderID",
        "RecommendedParallelizationLimit", "RecommendedParallelizedSubdivisionMinimumFrameCount",
        "RecommendedParallelizedSubdivisionMinimumDuration", "PreserveDynamicHDRMetadata", "MaxAllowedFrameQP",
        "MinAllowedFrameQP", "EnableLTR", "MVHEVCVideoLayerIDs", "MVHEVCViewIDs", "MVHEVCLeftAndRightViewIDs",
        "HeroEye", "StereoCameraBaseline", "HorizontalDisparityAdjustment", "HasLeftStereoEyeView",
        "HasRightStereoEyeView", "HorizontalFieldOfView", "ProjectionKind", "ViewPackingKind",
        "CameraCalibrationDataLensCollection", "SuggestedLookAheadFrameCount", "SpatialAdaptiveQPLevel",
        "SupportedPresetDictionaries",
    ]

    @Test func videoToolboxHas83Keys() {
        #expect(Self.videoToolbox.count == 83 && Set(Self.videoToolbox).count == 83)
    }

    @Test(arguments: videoToolbox)
    func everyKeyHasARowOrAReason(key: PropertyKey) {
        let reasons = PropertyCatalog.unsupported.filter { $0.key == key }.count
        #expect(reasons == (PropertyCatalog.info(key) == nil ? 1 : 0))
    }

    @Test func reasonsAreGivenForVideoToolboxsKeysOnlyAndInItsOrder() {
        let refused = Set(PropertyCatalog.unsupported.map { $0.key })
        #expect(PropertyCatalog.unsupported.map { $0.key } == Self.videoToolbox.filter { refused.contains($0) })
    }

    /// The name of a property that VideoToolbox lacks shows this.
    @Test func propertiesOutsideVideoToolboxHaveOwnNames() {
        for row in PropertyCatalog.all where !Self.videoToolbox.contains(row.key) {
            #expect(["Nalu", "x264.", "x265."].contains { row.key.rawValue.hasPrefix($0) }, "\(row.key.rawValue)")
        }
    }
}
