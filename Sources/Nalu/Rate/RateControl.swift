private import NaluLibc

/// Computes the encoder's rate settings from the rate properties.
///
/// A data-rate limit is L bits in any window of T seconds. It holds if the rate R and the size B of the encoder's VBV
/// buffer satisfy R·T + B ≤ L. In T seconds no more than R·T arrives, and the buffer can release B at once.
/// ``SeamShares`` has the condition for a chunk.
struct RateControl: Sendable {
    enum Mode: Sendable {
        /// Hold a bit rate.
        case bitRate
        /// Hold a quality, perhaps under a highest rate.
        case quality
        /// The encoder's own options control the rate.
        case options
        /// Hold the same number of bits in each second.
        ///
        /// The encoder has the finest quality and a VBV buffer, and writes filler data against overflow. With a bit rate and a
        /// small buffer, x264 controls the rate too carefully: up to 70 % of the real clips were filler. If the buffer
        /// alone decides, about 1 % is filler.
        case constant
        /// Hold a bit rate in the long term, in a VBV buffer that the client describes.
        case variable
    }

    /// The quality if neither a bit rate nor a quality is set.
    static let normalQuality = 0.5
    /// The fraction of a data-rate limit that the steady rate may take. The rest is room for larger frames.
    static let steadyShare = 0.85
    /// The fraction of a limit that is aimed at, because x264 sometimes misses its VBV buffer by some bits.
    static let margin = 0.97

    /// The least fraction of VariableBitRate's VBV buffer that is planned with, however unevenly frames arrive.
    private static let leastPlanned = 0.5

    let mode: Mode
    let isLowDelay: Bool
    let takesLiveRate: Bool
    let followsRateAtOnce: Bool
    private let opening: RateSettings
    /// The bit rate of the modes that have a property of their own for it.
    private let ownRate: Int
    /// Whether the limits are divided by ``SeamShares``.
    private let sharesLimits: Bool
    private let followsChunk: Bool
    /// The highest bit rate of a fixed level in 1000 bits per second; otherwise nil.
    private let levelRate: Int?

    /// - Parameters:
    ///   - takesLiveRate: whether the encoder accepts another rate with each frame.
    ///   - followsRateAtOnce: whether the encoder needs no correction of its rate.
    init(_ configuration: SessionConfiguration, takesLiveRate: Bool = true, followsRateAtOnce: Bool = false) {
        self.takesLiveRate = takesLiveRate
        self.followsRateAtOnce = followsRateAtOnce
        opening = configuration.live.rate
        isLowDelay = configuration.isLowDelay
        sharesLimits = configuration.sharesLimits
        followsChunk = configuration.moreFramesBeforeStart
        levelRate = configuration.fixedLevelRate
        ownRate = max(configuration.constantBitRate, configuration.variableBitRate)
        if configuration.own.ownsRate {
            mode = .options
        } else if configuration.constantBitRate > 0 {
            mode = .constant
        } else if configuration.variableBitRate > 0 {
            mode = .variable
        } else if opening.averageBitRate > 0 && opening.heldQuality == nil {
            mode = .bitRate
        } else {
            mode = .quality
        }
    }

    /// The ratio of rates from which on a change is a step. The correction of the rate continues over smaller changes:
    /// a client that follows a network makes ten in a second.
    private static let step = 1.25

    static func isStep(from old: Int, to new: Int) -> Bool {
        guard old > 0, new > 0 else { return true }
        return Double(max(old, new)) >= step * Double(min(old, new))
    }

    /// The settings of the frames after a rise of the rate.
    ///
    /// x264 follows a raised rate over several seconds, because it weighs past complexity over many buffers. For some
    /// frames it therefore gets a rate beyond the wanted one, so that it follows faster. Without lookahead it also gets
    /// a VBV buffer of little more than a frame, so that past complexity has little weight. The values were found by
    /// trial on the 720p clip, 250 kb/s to 8 Mb/s. A second after the rise the rate is the new one, without an
    /// overshoot.
    struct Rise: Sendable {
        /// The ratio of the encoder's rate to the wanted one.
        let factor: Double
        /// The size of the VBV buffer in frames; nil to keep the buffer.
        let vbvBufferInFrames: Double?
        /// The number of frames with these settings.
        let frames: Int

        /// Nil if the rate does not rise.
        init?(from old: Int, to new: Int, isLowDelay: Bool) {
            guard old > 0, new > old else { return nil }
            factor = min(isLowDelay ? 3 : 2, pow(Double(new) / Double(old), 0.6))
            vbvBufferInFrames = isLowDelay ? 1.2 : nil
            frames = isLowDelay ? 12 : 20
        }
    }

    /// Returns the encoder's rate settings. `durationRatio` is the real duration of frames divided by the one that the
    /// encoder assumes. For `trim` see ``RateTrim``, for `isSettling` ``RateSettling``, for `unevenness` ``Cadence``.
    func plan(
        _ settings: RateSettings, durationRatio: Double = 1, trim: Double = 1, during rise: Rise? = nil,
        isSettling: Bool = false, unevenness: Double = 0
    ) -> RatePlan {
        if let ownVBVBuffer = ownVBVBuffer(settings, unevenness: unevenness) {
            let aim: RatePlan.Aim =
                mode == .constant ? .quality(1) : .kilobitsPerSecond(Self.kilobits(Double(ownRate)))
            return RatePlan(aim: aim, vbvBuffer: ownVBVBuffer, maxSliceBytes: settings.maxSliceBytes)
        }
        // No encoder's VBV buffer can hold less than what arrives during a frame; x264 silently enlarges it.
        let frameSeconds = durationRatio / frameRate.perSecond
        let ceiling = ceiling(settings, frameSeconds: frameSeconds)

        let asked = settings.averageBitRate > 0 ? Double(settings.averageBitRate) : Double.infinity
        var rate = min(mode == .bitRate ? asked * trim : asked, ceiling)
        var buffer = min(asked * (isSettling ? RateSettling.bufferSeconds : bufferSeconds), room(settings, at: rate))
        if let rise, mode == .bitRate {
            rate = min(rate * rise.factor, ceiling)
            let small = rise.vbvBufferInFrames.map { rate * frameSeconds * $0 } ?? buffer
            buffer = min(buffer, small, room(settings, at: rate))
        }
        buffer = max(buffer, rate * frameSeconds)
        var vbvBuffer: RatePlan.VBVBuffer?
        if rate.isFinite {
            vbvBuffer = RatePlan.VBVBuffer(
                kilobitsPerSecond: Self.kilobits(rate * durationRatio), kilobits: Self.kilobits(buffer))
        }
        let aim: RatePlan.Aim
        if mode == .bitRate, let vbvBuffer {
            // Aim and buffer have the same rate: only then can x264 change a running bit rate.
            aim = .kilobitsPerSecond(vbvBuffer.kilobitsPerSecond)
        } else {
            aim = .quality(settings.heldQuality ?? Self.normalQuality)
        }
        return RatePlan(aim: aim, vbvBuffer: vbvBuffer, maxSliceBytes: settings.maxSliceBytes)
    }

    private var frameRate: FrameRate { opening.assumedFrameRate }

    private var frameSeconds: Double { 1 / frameRate.perSecond }

    /// The size of constant mode's VBV buffer in seconds of the rate. It limits how far a sum of frames is from its
    /// share, because the encoder writes filler data against overflow. Without delay, the buffer holds what arrives
    /// during a frame and little more. With lookahead, B-frames take much less than the frames around them, and x264
    /// aims at a buffer half to four fifths full.
    private var constantSeconds: Double {
        isLowDelay ? frameSeconds + 0.018 : max(0.5, 10 * frameSeconds)
    }

    /// The channel of constant mode; nil in the other modes.
    var channel: ConstantChannel? {
        guard mode == .constant else { return nil }
        let rate = Double(Self.kilobits(Double(ownRate))) * 1000
        return ConstantChannel(
            rate: rate, capacity: rate * constantSeconds, frameSeconds: frameSeconds, countsFrames: isLowDelay)
    }

    /// Returns the VBV buffer of the modes with their own rate. x264 adds the bits of a picture's own duration after
    /// the picture. If the pictures in between have other durations, B-frames are decoded at other times than x264
    /// assumes. The planned buffer is therefore smaller by the bits that arrive during the difference.
    private func ownVBVBuffer(_ settings: RateSettings, unevenness: Double = 0) -> RatePlan.VBVBuffer? {
        switch mode {
        case .constant:
            let rate = Self.kilobits(Double(ownRate))
            return RatePlan.VBVBuffer(
                kilobitsPerSecond: rate, kilobits: Self.kilobits(Double(rate) * 1000 * constantSeconds))
        case .variable:
            let most = Double(settings.vbvMaxBitRate > 0 ? settings.vbvMaxBitRate : 2 * ownRate)
            let seconds = max(settings.vbvBufferDuration - unevenness, Self.leastPlanned * settings.vbvBufferDuration)
            return RatePlan.VBVBuffer(kilobitsPerSecond: Self.kilobits(most), kilobits: Self.kilobits(most * seconds))
        default: return nil
        }
    }

    /// Returns the highest steady rate under the limits.
    private func ceiling(_ settings: RateSettings, frameSeconds: Double) -> Double {
        guard sharesLimits else {
            return Self.lowest(settings) { bits, seconds in
                min(Self.steadyShare * bits / seconds, bits / (seconds + frameSeconds))
            }
        }
        // x264's buffer begins with no less than what arrives during a frame.
        return lowestShare(settings) { bits, seconds, shares in
            min(shares.flow * bits / seconds, shares.opening * bits / frameSeconds)
        }
    }

    /// Returns the largest VBV buffer under the limits.
    private func room(_ settings: RateSettings, at rate: Double) -> Double {
        if sharesLimits { return lowestShare(settings) { bits, _, shares in bits * shares.reserve } }
        return Self.lowest(settings) { bits, seconds in bits - rate * seconds }
    }

    /// Returns the VBV buffer of a pass; nil if there are no limits. A pass aims at the size of the entire clip, and
    /// leaves everything else to the limits.
    func passVBVBuffer(_ settings: RateSettings) -> RatePlan.VBVBuffer? {
        guard !settings.limits.isEmpty else { return nil }
        let rate = ceiling(settings, frameSeconds: frameSeconds)
        return RatePlan.VBVBuffer(
            kilobitsPerSecond: Self.kilobits(rate),
            kilobits: Self.kilobits(max(room(settings, at: rate), rate * frameSeconds)))
    }

    /// Returns the highest bit rate of a pass under the limits and the level; 0 if there is none.
    func highestPassRate(_ settings: RateSettings) -> Int {
        let rates = [passVBVBuffer(settings)?.kilobitsPerSecond, levelRate].compactMap { $0 }
        return min(rates.min() ?? 0, 2_000_000) * 1000
    }

    /// Returns the fullness of the VBV buffer at the first frame, as a fraction; nil for the encoder's default.
    func fill(of vbvBuffer: RatePlan.VBVBuffer?, _ settings: RateSettings) -> Double? {
        guard sharesLimits, followsChunk, !settings.limits.isEmpty, let vbvBuffer, vbvBuffer.kilobits > 0 else {
            return nil
        }
        let bits = lowestShare(settings) { bits, _, shares in bits * shares.opening }
        return min(bits / (Double(vbvBuffer.kilobits) * 1000), VBVFill.initial)
    }

    /// Returns the lowest value over the limits, computed from bits, seconds and shares; infinite if there are no
    /// limits.
    private func lowestShare(_ settings: RateSettings, _ value: (Double, Double, SeamShares) -> Double) -> Double {
        settings.limits.lowest {
            value($0.bytes * 8, $0.seconds, SeamShares(seconds: $0.seconds, frameSeconds: frameSeconds))
        }
    }

    /// Returns the lowest value over the limits, computed from bits and seconds; infinite if there are no limits.
    private static func lowest(_ settings: RateSettings, _ value: (Double, Double) -> Double) -> Double {
        settings.limits.lowest { value($0.bytes * 8 * margin, $0.seconds) }
    }

    /// Throws `.tooLate` if a running encoder cannot change to these settings.
    func checkChange(to settings: RateSettings) throws(NaluError) {
        func tooLate(_ key: PropertyKey, _ sentence: String) -> NaluError {
            NaluError(.tooLate, "\(key.rawValue) \(sentence)")
        }
        switch mode {
        case .bitRate:
            if settings.averageBitRate == 0 {
                throw tooLate(.averageBitRate, "cannot become 0, because the running encoder has a bit rate")
            }
            if settings.heldQuality != nil {
                throw tooLate(
                    settings.qualityKey, "cannot be set, because the running encoder has AverageBitRate, not a quality")
            }
        case .quality:
            if settings.averageBitRate > 0 && settings.heldQuality == nil {
                throw tooLate(
                    .averageBitRate,
                    "cannot be set, because the running encoder has a quality; set it before the first frame"
                )
            }
        case .constant, .variable:
            let key: PropertyKey = mode == .constant ? .constantBitRate : .variableBitRate
            if settings.averageBitRate > 0 {
                throw tooLate(.averageBitRate, "cannot be set together with \(key.rawValue)")
            }
            if settings.heldQuality != nil {
                throw tooLate(settings.qualityKey, "cannot be set together with \(key.rawValue)")
            }
        case .options:
            break  // EncoderOptions.checkConflicts refuses every rate property together with such options.
        }
        if !takesLiveRate, let key = settings.change(from: opening) {
            throw tooLate(key, "cannot change, because the encoder cannot change its rate while it runs")
        }
        if mode != .variable && settings.vbvMaxBitRate != opening.vbvMaxBitRate {
            throw tooLate(.vbvMaxBitRate, "cannot be set, because the running encoder has no VariableBitRate")
        }
        if mode != .variable && settings.vbvBufferDuration != opening.vbvBufferDuration {
            throw tooLate(.vbvBufferDuration, "cannot be set, because the running encoder has no VariableBitRate")
        }
        if (settings.maxSliceBytes == 0) != (opening.maxSliceBytes == 0) {
            throw tooLate(
                .maxH264SliceBytes,
                "cannot change from \(opening.maxSliceBytes) to \(settings.maxSliceBytes) while encoding")
        }
        if settings.expectedFrameRate != opening.expectedFrameRate && mode == .constant {
            throw tooLate(
                .expectedFrameRate, "cannot change, because the running encoder plans ConstantBitRate by frames")
        }
        if settings.expectedFrameRate != opening.expectedFrameRate && !isLowDelay {
            throw tooLate(.expectedFrameRate, "cannot change, because the running encoder uses the presentation times")
        }
    }

    /// The size of the VBV buffer in seconds of its rate, if no limit demands another. It is small enough that the new
    /// rate holds a second after a change, and large enough for a key frame.
    private var bufferSeconds: Double { isLowDelay ? 0.5 : 1 }

    private static func kilobits(_ bits: Double) -> Int {
        Int(min(max((bits / 1000).rounded(.down), 1), 2_000_000))
    }
}
