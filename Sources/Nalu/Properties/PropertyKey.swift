/// The name of a property, in VideoToolbox's spelling. ``PropertyCatalog`` says what each one is.
public struct PropertyKey: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        rawValue = value
    }

    public static let enableLTR: PropertyKey = "EnableLTR"
    public static let allowIntraRefresh: PropertyKey = "NaluAllowIntraRefresh"
    public static let averageBitRate: PropertyKey = "AverageBitRate"
    public static let dataRateLimits: PropertyKey = "DataRateLimits"
    public static let constantBitRate: PropertyKey = "ConstantBitRate"
    public static let variableBitRate: PropertyKey = "VariableBitRate"
    public static let vbvMaxBitRate: PropertyKey = "VBVMaxBitRate"
    public static let vbvBufferDuration: PropertyKey = "VBVBufferDuration"
    public static let vbvInitialDelayPercentage: PropertyKey = "VBVInitialDelayPercentage"
    public static let quality: PropertyKey = "Quality"
    public static let expectedFrameRate: PropertyKey = "ExpectedFrameRate"
    public static let maxKeyFrameInterval: PropertyKey = "MaxKeyFrameInterval"
    public static let maxKeyFrameIntervalDuration: PropertyKey = "MaxKeyFrameIntervalDuration"
    public static let sourceFrameCount: PropertyKey = "SourceFrameCount"
    public static let expectedDuration: PropertyKey = "ExpectedDuration"
    public static let allowTemporalCompression: PropertyKey = "AllowTemporalCompression"
    public static let allowFrameReordering: PropertyKey = "AllowFrameReordering"
    public static let allowOpenGOP: PropertyKey = "AllowOpenGOP"
    public static let moreFramesBeforeStart: PropertyKey = "MoreFramesBeforeStart"
    public static let moreFramesAfterEnd: PropertyKey = "MoreFramesAfterEnd"
    public static let profileLevel: PropertyKey = "ProfileLevel"
    public static let h264EntropyMode: PropertyKey = "H264EntropyMode"
    public static let maxH264SliceBytes: PropertyKey = "MaxH264SliceBytes"
    public static let allowMultipleSlices: PropertyKey = "NaluAllowMultipleSlices"
    public static let maxFrameDelayCount: PropertyKey = "MaxFrameDelayCount"
    public static let realTime: PropertyKey = "RealTime"
    public static let colorPrimaries: PropertyKey = "ColorPrimaries"
    public static let transferFunction: PropertyKey = "TransferFunction"
    public static let yCbCrMatrix: PropertyKey = "YCbCrMatrix"
    public static let pixelAspectRatio: PropertyKey = "PixelAspectRatio"
    public static let cleanAperture: PropertyKey = "CleanAperture"
    public static let masteringDisplayColorVolume: PropertyKey = "MasteringDisplayColorVolume"
    public static let contentLightLevelInfo: PropertyKey = "ContentLightLevelInfo"
    public static let hdrMetadataInsertionMode: PropertyKey = "HDRMetadataInsertionMode"
    public static let fieldCount: PropertyKey = "FieldCount"
    public static let fieldDetail: PropertyKey = "FieldDetail"
    public static let allowScaling: PropertyKey = "NaluAllowScaling"
    public static let x264Preset: PropertyKey = "x264.preset"
    public static let x264Tune: PropertyKey = "x264.tune"
    public static let x264Params: PropertyKey = "x264.params"
    public static let x264Effective: PropertyKey = "x264.effective"
    public static let numberOfPendingFrames: PropertyKey = "NumberOfPendingFrames"
    public static let usingHardwareAcceleratedVideoEncoder: PropertyKey = "UsingHardwareAcceleratedVideoEncoder"
    public static let encoderID: PropertyKey = "EncoderID"
    public static let reorderDepth: PropertyKey = "NaluReorderDepth"
    public static let maxAllowedFrameQP: PropertyKey = "MaxAllowedFrameQP"
    public static let minAllowedFrameQP: PropertyKey = "MinAllowedFrameQP"
    public static let spatialAdaptiveQPLevel: PropertyKey = "SpatialAdaptiveQPLevel"
    public static let referenceBufferCount: PropertyKey = "ReferenceBufferCount"
    public static let suggestedLookAheadFrameCount: PropertyKey = "SuggestedLookAheadFrameCount"
    public static let prioritizeEncodingSpeedOverQuality: PropertyKey = "PrioritizeEncodingSpeedOverQuality"
    public static let maximizePowerEfficiency: PropertyKey = "MaximizePowerEfficiency"
    public static let estimatedAverageBytesPerFrame: PropertyKey = "EstimatedAverageBytesPerFrame"
    public static let supportsBaseFrameQP: PropertyKey = "SupportsBaseFrameQP"
    public static let outputBitDepth: PropertyKey = "OutputBitDepth"
}
