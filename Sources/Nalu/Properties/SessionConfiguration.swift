/// Every writable property of a session, typed. Unset properties are nil or have their default.
struct SessionConfiguration: Hashable, Sendable {
    var live = LiveSettings()
    var allowScaling = true

    /// Bits per second; 0 if unset.
    var constantBitRate = 0
    /// Bits per second; 0 if unset.
    var variableBitRate = 0
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
    var x264 = X264Configuration()
    /// The number of frames in the clip; 0 if unknown.
    var sourceFrameCount = 0
    /// The duration of the clip in seconds; 0 if unknown.
    var expectedDuration = 0.0
    /// Whether a multi-pass storage is set.
    var isMultiPass = false
    var enableLTR = false
    var allowIntraRefresh = false
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

    /// The profile of the stream. High with 10 bits is High 10.
    var profile: H264Profile {
        let named = (profileLevel ?? .highAuto).profile
        return named == .high && outputBitDepth == 10 ? .high10 : named
    }

    /// Returns the depth of the stream for a source format: the depth that was set. If none was set, it is 10 bits for
    /// a format of more than 8 bits without ProfileLevel, which would restrict the decoders, and 8 bits otherwise.
    func bitDepth(of format: PixelFormat) -> Int {
        outputBitDepth ?? (format.bitDepth > 8 && profileLevel == nil ? 10 : 8)
    }

    /// The highest bit rate of a fixed level in 1000 bits per second; nil if the level is not fixed.
    var fixedLevelRate: Int? {
        profileLevel?.levelIDC.flatMap(H264Level.level)?.kilobitsPerSecond(profile)
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
    var isLowDelay: Bool { realTime == true || maxFrameDelayCount == 0 || x264.isTunedForNoDelay || recovers }

    /// Whether recovery from loss is enabled, which needs an encoder without delay.
    var recovers: Bool { enableLTR || allowIntraRefresh }

    /// Whether the stream may have B-frames.
    var mayReorderFrames: Bool {
        profile.hasBFrames && allowFrameReordering != false && !isLowDelay && referenceBufferCount != 1
            && (maxFrameDelayCount < 0 || maxFrameDelayCount >= 3)
    }

    /// True if the stream will have B-frames. Encoder options can override the property.
    var reordersFrames: Bool { x264.reordersFrames(where: mayReorderFrames) }
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
