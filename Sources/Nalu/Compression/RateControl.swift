#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Darwin)
private import Darwin
#endif

/// From the rate properties to what the encoder is told.
///
/// A data-rate limit of L bits in any window of T seconds holds when the encoder's leaky bucket, of rate R and size B,
/// satisfies R·T + B ≤ L: in T seconds no more than R·T flows in, and the bucket can give B at once.
struct RateControl: Sendable {
    enum Mode: Sendable {
        /// Hold a bit rate.
        case bitRate
        /// Hold a quality, perhaps under a ceiling.
        case quality
        /// `x264.params` holds the rate.
        case options
    }

    /// The aim when neither a bit rate nor a quality is set.
    static let normalQuality = 0.5
    /// The part of a data-rate limit that the steady rate may take: the rest is room for frames larger than others.
    static let steadyShare = 0.85
    /// Limits are aimed at a little lower, because x264 misses its bucket by some bits at times.
    static let margin = 0.97

    let mode: Mode
    let isLowDelay: Bool
    private let opening: RateSettings

    init(_ configuration: SessionConfiguration) {
        opening = configuration.live.rate
        isLowDelay = configuration.isLowDelay
        if configuration.x264Params.ownsRate {
            mode = .options
        } else if opening.averageBitRate > 0 && opening.quality == nil {
            mode = .bitRate
        } else {
            mode = .quality
        }
    }

    /// A rise of the rate in a session without lookahead.
    ///
    /// There x264 follows a raised rate over five seconds, because it weighs past complexity over many buckets. For
    /// some frames it is given a bucket of little more than a frame, by which it forgets, and a rate beyond the one
    /// wanted, by which it moves. Found by trial on the 720p clip, 250 kb/s to 8 Mb/s: the second second after the rise
    /// lies within a tenth of the rate, and the first does not overshoot.
    struct Rise: Sendable {
        static let frames = 12
        static let bucketInFrames = 1.2
        /// How far beyond the rate.
        let factor: Double

        /// nil where the rate does not rise.
        init?(from old: Int, to new: Int) {
            guard old > 0, new > old else { return nil }
            factor = min(3, pow(Double(new) / Double(old), 0.6))
        }
    }

    /// `durationRatio`: how much longer frames last than the encoder assumes.
    func plan(_ settings: RateSettings, durationRatio: Double = 1, during rise: Rise? = nil) -> RatePlan {
        var rate: Double? = settings.averageBitRate > 0 ? Double(settings.averageBitRate) : nil
        var buffer = rate.map { $0 * bufferSeconds }
        let limits = settings.limits
        var ceiling = Double.infinity
        if !limits.isEmpty {
            ceiling = (limits.map { $0.bytes * 8 * Self.margin / $0.seconds }.min() ?? 0) * Self.steadyShare
            let limited = min(rate ?? .infinity, ceiling)
            let room = limits.map { $0.bytes * 8 * Self.margin - limited * $0.seconds }.min() ?? 0
            rate = limited
            buffer = min(buffer ?? .infinity, room)
        }
        if let rise, mode == .bitRate, let steady = rate, let whole = buffer {
            let raised = min(steady * rise.factor, ceiling)
            let frameRate = (FrameRate(opening.expectedFrameRate) ?? .assumed).perSecond
            rate = raised
            buffer = min(whole, raised * durationRatio / frameRate * Rise.bucketInFrames)
        }
        var bucket: RatePlan.Bucket?
        if let rate, let buffer {
            bucket = RatePlan.Bucket(
                kilobitsPerSecond: Self.kilobits(rate * durationRatio), kilobits: Self.kilobits(buffer))
        }
        let aim: RatePlan.Aim
        if mode == .bitRate, let bucket {
            // Equal aim and bucket rate: x264 changes a running bit rate in this mode alone.
            aim = .kilobitsPerSecond(bucket.kilobitsPerSecond)
        } else {
            aim = .rateFactor(Self.rateFactor(settings.quality ?? Self.normalQuality))
        }
        return RatePlan(aim: aim, bucket: bucket, maxSliceBytes: settings.maxSliceBytes)
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
            if settings.quality != nil {
                throw tooLate(.quality, "cannot be set: the running encoder holds AverageBitRate, not a quality")
            }
        case .quality:
            if settings.averageBitRate > 0 && settings.quality == nil {
                throw tooLate(
                    .averageBitRate, "cannot be set: the running encoder holds a quality; set it before the first frame")
            }
        case .options:
            break  // X264Options.checkConflicts refuses every rate property beside such options.
        }
        if (settings.maxSliceBytes == 0) != (opening.maxSliceBytes == 0) {
            throw tooLate(
                .maxH264SliceBytes, "cannot go from \(opening.maxSliceBytes) to \(settings.maxSliceBytes) while encoding")
        }
        if settings.expectedFrameRate != opening.expectedFrameRate && !isLowDelay {
            throw tooLate(
                .expectedFrameRate, "cannot change: the running encoder takes the frame rate from presentation times")
        }
    }

    /// Quality 0, 0.25, 0.5, 0.75 and 1 as x264's CRF, linear in between. CRF 0 would be lossless, which no profile
    /// up to High has.
    static func rateFactor(_ quality: Double) -> Double {
        let factors = [51.0, 30.0, 23.0, 17.0, 1.0]
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
