/// What rate control is asked for. A trivial value, so that each queued frame can carry its own.
struct RateSettings: Hashable, Sendable {
    /// Bits a second; 0: the encoder decides.
    var averageBitRate = 0
    var limits = DataRateLimits()
    var quality: Double?
    var constantQualityFactor: Double?
    /// Frames a second; 0: not known.
    var expectedFrameRate = 0.0
    /// 0: no limit.
    var maxSliceBytes = 0
    /// Bits a second, together with VariableBitRate; 0: twice that.
    var vbvMaxBitRate = 0
    /// Seconds of that rate.
    var vbvBufferDuration = 2.5

    /// The quality that the encoder holds, perhaps under a ceiling; nil: it holds a rate, if there is one.
    var heldQuality: Double? { constantQualityFactor ?? quality }
    /// The property that ``heldQuality`` comes from.
    var qualityKey: PropertyKey { constantQualityFactor != nil ? .constantQualityFactor : .quality }
}

/// What ``KeyFramePolicy`` is asked for.
struct KeyFrameSettings: Hashable, Sendable {
    /// Frames; 0: the encoder decides.
    var maxInterval = 0
    /// Seconds; 0: no limit.
    var maxDuration = 0.0
    var allowTemporalCompression = true
}

/// The bounds of every macroblock's quantiser, 0 to 51; nil: the encoder's.
struct QuantiserBounds: Hashable, Sendable {
    var least: Int?
    var most: Int?
}

/// The settings that can change while encoding. A frame carries those that were in force when it was handed in.
struct LiveSettings: Hashable, Sendable {
    var rate = RateSettings()
    var keyFrames = KeyFrameSettings()
    var quantisers = QuantiserBounds()
    /// Hold the frame rate by what the encoder's analysis may cost.
    var governsSpeed = true
    var transfer = PixelTransferSettings()
}
