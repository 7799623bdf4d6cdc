private import NaluLibc

/// From the rate properties to what the encoder gets.
///
/// A data-rate limit of L bits in any window of T seconds holds when the encoder's leaky bucket, of rate R and size B,
/// satisfies R·T + B ≤ L: in T seconds no more than R·T flows in, and the bucket can give B at once. ``SeamShares`` has
/// what holds for a part of a clip.
struct RateControl: Sendable {
    enum Mode: Sendable {
        /// Hold a bit rate.
        case bitRate
        /// Hold a quality, perhaps under a ceiling.
        case quality
        /// `x264.params` holds the rate.
        case options
        /// The same number of bits in each second.
        ///
        /// x264 is told the finest quality and a bucket, and fills up what would overflow. Told a bit rate, it controls it
        /// with care where the bucket is small: up to 70 % of the real clips were filler. A bucket that alone decides
        /// leaves about 1 %.
        case constant
        /// Hold a bit rate in the long term, in a bucket that the client describes.
        case variable
    }

    /// The aim when neither a bit rate nor a quality is set.
    static let normalQuality = 0.5
    /// The part of a data-rate limit that the steady rate may take: the rest is room for frames larger than others.
    static let steadyShare = 0.85
    /// Limits are aimed at a little lower, because x264 misses its bucket by some bits at times.
    static let margin = 0.97

    /// The part of the bucket of VariableBitRate that is planned with, however unevenly frames come.
    private static let leastPlanned = 0.5

    let mode: Mode
    let isLowDelay: Bool
    private let opening: RateSettings
    /// Of the modes that have a property of their own for it.
    private let ownRate: Int
    /// A part of a clip, to which other sessions have the rest.
    private let isPart: Bool
    private let followsPart: Bool

    init(_ configuration: SessionConfiguration) {
        opening = configuration.live.rate
        isLowDelay = configuration.isLowDelay
        isPart = configuration.moreFramesBeforeStart || configuration.moreFramesAfterEnd
        followsPart = configuration.moreFramesBeforeStart
        ownRate = max(configuration.constantBitRate, configuration.variableBitRate)
        if configuration.x264.ownsRate {
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

    /// A rise of the rate.
    ///
    /// x264 follows a raised rate over several seconds, because it weighs past complexity over many buckets. For some
    /// frames it is given a rate beyond the one wanted, by which it moves; and where it has no lookahead a bucket of
    /// little more than a frame, by which it forgets. Found by trial on the 720p clip, 250 kb/s to 8 Mb/s: a second
    /// after the rise the rate is the new one, and it is not overshot.
    struct Rise: Sendable {
        /// How far beyond the rate.
        let factor: Double
        /// nil: the bucket stays.
        let bucketInFrames: Double?
        /// How many frames it lasts.
        let frames: Int

        /// nil where the rate does not rise.
        init?(from old: Int, to new: Int, isLowDelay: Bool) {
            guard old > 0, new > old else { return nil }
            factor = min(isLowDelay ? 3 : 2, pow(Double(new) / Double(old), 0.6))
            bucketInFrames = isLowDelay ? 1.2 : nil
            frames = isLowDelay ? 12 : 20
        }
    }

    /// `durationRatio`: how much longer frames last than the encoder assumes. `trim`: see ``RateTrim``. `unevenness`: see
    /// ``Cadence``.
    func plan(
        _ settings: RateSettings, durationRatio: Double = 1, trim: Double = 1, during rise: Rise? = nil,
        unevenness: Double = 0
    ) -> RatePlan {
        if let ownBucket = ownBucket(settings, unevenness: unevenness) {
            let aim: RatePlan.Aim =
                mode == .constant ? .rateFactor(Self.finest) : .kilobitsPerSecond(Self.kilobits(Double(ownRate)))
            return RatePlan(aim: aim, bucket: ownBucket, maxSliceBytes: settings.maxSliceBytes)
        }
        // x264 makes a bucket that holds less than flows in during a frame larger, without asking.
        let frameSeconds = durationRatio / frameRate.perSecond
        let ceiling = ceiling(settings, frameSeconds: frameSeconds)

        let asked = settings.averageBitRate > 0 ? Double(settings.averageBitRate) : Double.infinity
        var rate = min(mode == .bitRate ? asked * trim : asked, ceiling)
        var buffer = min(asked * bufferSeconds, room(settings, at: rate))
        if let rise, mode == .bitRate {
            rate = min(rate * rise.factor, ceiling)
            let small = rise.bucketInFrames.map { rate * frameSeconds * $0 } ?? buffer
            buffer = min(buffer, small, room(settings, at: rate))
        }
        buffer = max(buffer, rate * frameSeconds)
        var bucket: RatePlan.Bucket?
        if rate.isFinite {
            bucket = RatePlan.Bucket(
                kilobitsPerSecond: Self.kilobits(rate * durationRatio), kilobits: Self.kilobits(buffer))
        }
        let aim: RatePlan.Aim
        if mode == .bitRate, let bucket {
            // Equal aim and bucket rate: x264 changes a running bit rate in this mode alone.
            aim = .kilobitsPerSecond(bucket.kilobitsPerSecond)
        } else {
            aim = .rateFactor(Self.rateFactor(settings.heldQuality ?? Self.normalQuality))
        }
        return RatePlan(aim: aim, bucket: bucket, maxSliceBytes: settings.maxSliceBytes)
    }

    private var frameRate: FrameRate { FrameRate(opening.expectedFrameRate) ?? .assumed }

    private var frameSeconds: Double { 1 / frameRate.perSecond }

    /// How many seconds of the rate the bucket of constant mode holds: as x264 fills up what would overflow, no sum of
    /// frames is further from its share. Without delay it is the frame that flows in and little more. With lookahead,
    /// B-frames take much less than the frames they lie between, and x264 aims at a bucket half to four fifths full.
    private var constantSeconds: Double {
        isLowDelay ? frameSeconds + 0.018 : max(0.5, 10 * frameSeconds)
    }

    /// What a stream of constant mode may hold; nil in the other modes.
    var channel: ConstantChannel? {
        guard mode == .constant else { return nil }
        let rate = Double(Self.kilobits(Double(ownRate))) * 1000
        return ConstantChannel(
            rate: rate, capacity: rate * constantSeconds, frameSeconds: frameSeconds, countsFrames: isLowDelay)
    }

    /// x264 lets a picture's own duration flow in behind it. Where the pictures between have other durations, B-frames are
    /// decoded at other times than x264 counts with; the bucket is planned smaller by what flows in during the difference.
    private func ownBucket(_ settings: RateSettings, unevenness: Double = 0) -> RatePlan.Bucket? {
        switch mode {
        case .constant:
            let rate = Self.kilobits(Double(ownRate))
            return RatePlan.Bucket(
                kilobitsPerSecond: rate, kilobits: Self.kilobits(Double(rate) * 1000 * constantSeconds))
        case .variable:
            let most = Double(settings.vbvMaxBitRate > 0 ? settings.vbvMaxBitRate : 2 * ownRate)
            let seconds = max(settings.vbvBufferDuration - unevenness, Self.leastPlanned * settings.vbvBufferDuration)
            return RatePlan.Bucket(kilobitsPerSecond: Self.kilobits(most), kilobits: Self.kilobits(most * seconds))
        default: return nil
        }
    }

    /// The highest steady rate under the limits.
    private func ceiling(_ settings: RateSettings, frameSeconds: Double) -> Double {
        guard isPart else {
            return Self.lowest(settings) { bits, seconds in
                min(Self.steadyShare * bits / seconds, bits / (seconds + frameSeconds))
            }
        }
        // x264 begins with a bucket of no less than flows in during a frame.
        return lowestShare(settings) { bits, seconds, shares in
            min(shares.flow * bits / seconds, shares.opening * bits / frameSeconds)
        }
    }

    /// The largest bucket under the limits.
    private func room(_ settings: RateSettings, at rate: Double) -> Double {
        if isPart { return lowestShare(settings) { bits, _, shares in bits * shares.reserve } }
        return Self.lowest(settings) { bits, seconds in bits - rate * seconds }
    }

    /// The bucket of a pass, which aims at the size of the whole clip and leaves all else to the limits; nil: there are none.
    func passBucket(_ settings: RateSettings) -> RatePlan.Bucket? {
        guard !settings.limits.isEmpty else { return nil }
        let rate = ceiling(settings, frameSeconds: frameSeconds)
        return RatePlan.Bucket(
            kilobitsPerSecond: Self.kilobits(rate),
            kilobits: Self.kilobits(max(room(settings, at: rate), rate * frameSeconds)))
    }

    /// The part of the bucket that is full at the first frame; nil: as x264 has it.
    func fill(of bucket: RatePlan.Bucket?, _ settings: RateSettings) -> Double? {
        guard followsPart, !settings.limits.isEmpty, let bucket, bucket.kilobits > 0 else { return nil }
        let bits = lowestShare(settings) { bits, _, shares in bits * shares.opening }
        return min(bits / (Double(bucket.kilobits) * 1000), BucketFill.initial)
    }

    /// The lowest value over the limits, in bits, seconds and shares; infinite when there are none.
    private func lowestShare(_ settings: RateSettings, _ value: (Double, Double, SeamShares) -> Double) -> Double {
        settings.limits.lowest {
            value($0.bytes * 8, $0.seconds, SeamShares(seconds: $0.seconds, frameSeconds: frameSeconds))
        }
    }

    /// The lowest value over the limits, in bits and seconds; infinite when there are none.
    private static func lowest(_ settings: RateSettings, _ value: (Double, Double) -> Double) -> Double {
        settings.limits.lowest { value($0.bytes * 8 * margin, $0.seconds) }
    }

    /// Can a running encoder go over to these settings?
    func checkChange(to settings: RateSettings) throws(NaluError) {
        func tooLate(_ key: PropertyKey, _ sentence: String) -> NaluError {
            NaluError(.tooLate, "\(key.rawValue) \(sentence)")
        }
        switch mode {
        case .bitRate:
            if settings.averageBitRate == 0 {
                throw tooLate(.averageBitRate, "cannot go to 0: the running encoder holds a bit rate")
            }
            if settings.heldQuality != nil {
                throw tooLate(
                    settings.qualityKey, "cannot be set: the running encoder holds AverageBitRate, not a quality")
            }
        case .quality:
            if settings.averageBitRate > 0 && settings.heldQuality == nil {
                throw tooLate(
                    .averageBitRate, "cannot be set: the running encoder holds a quality; set it before the first frame"
                )
            }
        case .constant, .variable:
            let key: PropertyKey = mode == .constant ? .constantBitRate : .variableBitRate
            if settings.averageBitRate > 0 { throw tooLate(.averageBitRate, "cannot be set beside \(key.rawValue)") }
            if settings.heldQuality != nil {
                throw tooLate(settings.qualityKey, "cannot be set beside \(key.rawValue)")
            }
        case .options:
            break  // X264Options.checkConflicts refuses every rate property together with such options.
        }
        if mode != .variable && settings.vbvMaxBitRate != opening.vbvMaxBitRate {
            throw tooLate(.vbvMaxBitRate, "cannot be set: the running encoder does not hold VariableBitRate")
        }
        if mode != .variable && settings.vbvBufferDuration != opening.vbvBufferDuration {
            throw tooLate(.vbvBufferDuration, "cannot be set: the running encoder does not hold VariableBitRate")
        }
        if (settings.maxSliceBytes == 0) != (opening.maxSliceBytes == 0) {
            throw tooLate(
                .maxH264SliceBytes,
                "cannot go from \(opening.maxSliceBytes) to \(settings.maxSliceBytes) while encoding")
        }
        if settings.expectedFrameRate != opening.expectedFrameRate && mode == .constant {
            throw tooLate(
                .expectedFrameRate, "cannot change: the running encoder gives each frame its share of ConstantBitRate")
        }
        if settings.expectedFrameRate != opening.expectedFrameRate && !isLowDelay {
            throw tooLate(
                .expectedFrameRate, "cannot change: the running encoder takes the frame rate from presentation times")
        }
    }

    private static let finest = 1.0

    /// Quality 0, 0.25, 0.5, 0.75 and 1 as x264's CRF, linear in between. CRF 0 would be lossless, which no profile
    /// up to High has.
    static func rateFactor(_ quality: Double) -> Double {
        let factors = [51.0, 30.0, 23.0, 17.0, finest]
        let position = min(max(quality, 0), 1) * 4
        let index = min(Int(position), 3)
        return factors[index] + (factors[index + 1] - factors[index]) * (position - Double(index))
    }

    /// How many seconds of its rate the bucket holds where no limit says otherwise: small enough that the rate a
    /// second after a change is the new one, large enough for a key frame.
    private var bufferSeconds: Double { isLowDelay ? 0.5 : 1 }

    private static func kilobits(_ bits: Double) -> Int {
        Int(min(max((bits / 1000).rounded(.down), 1), 2_000_000))
    }
}
