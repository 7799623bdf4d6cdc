/// Every writable property of a session, typed. Unset properties are nil or have their default.
struct SessionConfiguration: Hashable, Sendable {
    private(set) var codec = Codec.h264
    var live = LiveSettings()
    var allowScaling = true

    /// Bits per second; 0 if unset.
    var constantBitRate = 0
    /// Bits per second; 0 if unset.
    var variableBitRate = 0
    /// Whether rate control counts the parameter sets before each key frame.
    var parameterSetsInStream = false
    /// The fullness of the VBV buffer at the beginning, in percent.
    var vbvInitialDelayPercentage = 90.0
    var allowFrameReordering: Bool?
    var allowOpenGOP = false
    var moreFramesBeforeStart = false
    var moreFramesAfterEnd = false
    var limitsOverSeams = true
    var profileLevel: ProfileLevel?
    var entropyMode: EntropyMode?
    var maxFrameDelayCount = -1
    var realTime: Bool?
    var allowMultipleSlices = true
    var allowBPyramid = true
    /// The number of reference frames; 0 if the encoder decides.
    var referenceBufferCount = 0
    var suggestedLookAheadFrameCount: Int?
    var maxLookAheadFrameCount: Int?
    var prioritizeEncodingSpeedOverQuality: Bool?
    var maximizePowerEfficiency: Bool?
    var calculateMeanSquaredError = false
    /// -1 if preset and tune decide; 0 to disable.
    var spatialAdaptiveQPLevel = -1
    var signal = SignalSettings()
    var pixelAspectRatio: PixelAspectRatio?
    var picture = PictureSettings()
    private var ownOptions = AnyEncoderOptions(NoEncoderOptions())
    /// The number of frames in the clip; 0 if unknown.
    var sourceFrameCount = 0
    /// The duration of the clip in seconds; 0 if unknown.
    var expectedDuration = 0.0
    /// Whether a multi-pass storage is set.
    var isMultiPass = false
    var enableLTR = false
    var allowIntraRefresh = false
    /// The fraction of the frames in the base layer: 1, 0.5 or 0.25.
    var baseLayerFrameRateFraction = 1.0
    var baseLayerBitRateFraction: Double?
    /// 8 or 10; nil for ``bitDepth(of:)``.
    var outputBitDepth: Int?

    enum EntropyMode: String, CaseIterable, Sendable {
        case cavlc = "CAVLC"
        case cabac = "CABAC"
    }

    struct PixelAspectRatio: Hashable, Sendable {
        var horizontal: Int
        var vertical: Int
    }

    init() {}

    /// The configuration of a session with that encoder that sets nothing.
    init(_ encoder: EncoderTraits) {
        codec = encoder.codec
        own = encoder.options
    }

    /// The settings that only the session's encoder has.
    var own: any EncoderOptions {
        get { ownOptions.value }
        set { ownOptions.value = newValue }
    }

    /// Returns the depth of the stream for a source format: the depth that was set. If none was set, it is that of
    /// ProfileLevel, which restricts the decoders: 10 bits for HEVC_Main10_AutoLevel. Without a ProfileLevel it is 10
    /// bits for a format of more than 8 bits, and 8 bits otherwise, and for an encoder without 10 bits.
    func bitDepth(of format: PixelFormat) -> Int {
        if let outputBitDepth { return outputBitDepth }
        guard let profileLevel else { return format.bitDepth > 8 && !codec.tenBitProfiles.isEmpty ? 10 : 8 }
        return profileLevel.profile.maxBitDepth >= 10 ? 10 : 8
    }

    /// Whether DataRateLimits are divided into shares because other sessions encode the neighbouring chunks.
    var sharesLimits: Bool { limitsOverSeams && (moreFramesBeforeStart || moreFramesAfterEnd) }

    /// The average size of a frame; nil if the encoder holds no average rate, or the frame rate is unknown.
    var averageBytesPerFrame: Int64? {
        let rate = max(live.rate.averageBitRate, constantBitRate, variableBitRate)
        guard rate > 0, live.rate.expectedFrameRate > 0, live.rate.heldQuality == nil else { return nil }
        // A frame rate can be as small as any double. The result is limited to the integers that a double expresses
        // exactly.
        return Int64(min((Double(rate) / 8 / live.rate.expectedFrameRate).rounded(), 0x1p53))
    }

    /// Whether ``Governor`` keeps the frame rate.
    var governs: Bool { realTime == true && live.governsSpeed && live.rate.expectedFrameRate > 0 }

    /// Whether lookahead, B-frames and delayed frames are excluded.
    var isLowDelay: Bool { settingWithoutDelay != nil }

    /// The setting that makes the session one without delay, for error messages; nil if none does.
    var settingWithoutDelay: String? {
        if realTime == true { return "RealTime true" }
        if maxFrameDelayCount == 0 { return "MaxFrameDelayCount 0" }
        if recovers { return enableLTR ? "EnableLTR true" : "NaluAllowIntraRefresh true" }
        if hasTemporalLayers { return "BaseLayerFrameRateFraction \(baseLayerFrameRateFraction)" }
        return own.settingWithoutDelay
    }

    /// Whether recovery from loss is enabled, which needs an encoder without delay.
    var recovers: Bool { enableLTR || allowIntraRefresh }

    /// Whether the stream may have B-frames.
    var mayReorderFrames: Bool {
        profile.hasBFrames && allowFrameReordering != false && !isLowDelay && referenceBufferCount != 1
            && (maxFrameDelayCount < 0 || maxFrameDelayCount >= own.leastDelayForReordering)
    }

    /// True if the stream will have B-frames. Encoder options can override the property.
    var reordersFrames: Bool { own.reordersFrames(where: mayReorderFrames) }
}

/// The settings of the stream's pictures, except their colour.
struct PictureSettings: Hashable, Sendable {
    var cleanAperture: CleanAperture?
    var masteringDisplay: MasteringDisplay?
    var contentLight: ContentLightLevel?
    /// The mode; nil for automatic.
    var hdrMetadataInsertion: HDRMetadataInsertionMode?
    var fieldCount: Int?
    var fieldDetail: FieldDetail?
}
