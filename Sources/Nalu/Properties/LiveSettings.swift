/// The settings of rate control. A trivial value, so that each queued frame can have a copy.
struct RateSettings: Hashable, Sendable {
    /// Bits per second; 0 if the encoder decides.
    var averageBitRate = 0
    var limits = DataRateLimits()
    var quality: Double?
    var constantQualityFactor: Double?
    /// Frames per second; 0 if unknown.
    var expectedFrameRate = 0.0
    /// The limit of a slice in bytes; 0 for none.
    var maxSliceBytes = 0
    /// The rate of VariableBitRate's VBV buffer in bits per second; 0 for twice VariableBitRate.
    var vbvMaxBitRate = 0
    /// The size of VariableBitRate's VBV buffer, in seconds of its rate.
    var vbvBufferDuration = 2.5

    /// The quality that the encoder holds, perhaps under a highest rate; nil if it holds a rate, or nothing is set.
    var heldQuality: Double? { constantQualityFactor ?? quality }
    /// The property that ``heldQuality`` comes from.
    var qualityKey: PropertyKey { constantQualityFactor != nil ? .constantQualityFactor : .quality }

    /// ExpectedFrameRate as streams state it; nil if it is unknown.
    var frameRate: FrameRate? { FrameRate(expectedFrameRate) }
    /// The frame rate that rate control computes with.
    var assumedFrameRate: FrameRate { frameRate ?? .assumed }
    /// The bit rate that the level must allow, in 1000 bits per second; 0 if the encoder holds a quality, or no rate is set.
    var heldKilobits: Int { heldQuality == nil ? (averageBitRate + 999) / 1000 : 0 }

    /// Returns the first property of the encoder's rate that differs from another setting; nil if none does.
    func change(from other: RateSettings) -> PropertyKey? {
        if averageBitRate != other.averageBitRate { return .averageBitRate }
        if limits != other.limits { return .dataRateLimits }
        if heldQuality != other.heldQuality { return qualityKey }
        return expectedFrameRate != other.expectedFrameRate ? .expectedFrameRate : nil
    }
}

/// The settings of ``KeyFramePolicy``.
struct KeyFrameSettings: Hashable, Sendable {
    /// The most frames from one key frame to the next; 0 if the encoder decides.
    var maxInterval = 0
    /// The most seconds from one key frame to the next; 0 for no limit.
    var maxDuration = 0.0
    var allowTemporalCompression = true
}

/// The bounds of every macroblock's QP, 0 to 51; nil for the encoder's own.
struct QPBounds: Hashable, Sendable {
    var least: Int?
    var most: Int?
}

/// The settings that can change while encoding. A frame has a copy of those that were in force when it was passed.
struct LiveSettings: Hashable, Sendable {
    var rate = RateSettings()
    var keyFrames = KeyFrameSettings()
    var qpBounds = QPBounds()
    /// Whether to keep the frame rate by adjusting the effort of the encoder's analysis.
    var governsSpeed = true
    var transfer = PixelTransferSettings()
}
