/// The shares of a data-rate limit at the seams between chunks of a video.
///
/// The encoder of a chunk has no information about the bits of the neighbouring chunks, and a window of the limit can
/// reach into two chunks. The limit is therefore divided in advance. Any stretch of a chunk holds at most `reserve` and
/// what arrives meanwhile. The beginning of a chunk holds at most `opening` and what has arrived since. A window of T
/// seconds across a seam then holds no more than `reserve + opening + flow`, which is the limit. This requires that no
/// chunk is shorter than the window.
struct SeamShares: Hashable, Sendable {
    /// Fractions of the limit; `flow` is what arrives during its window.
    let flow: Double
    let reserve: Double
    let opening: Double

    /// The fraction by which the encoder's own limit is smaller, because it sometimes misses its VBV buffer by some
    /// bits.
    static let slack = 0.015
    /// The fraction that `opening` gets of what `flow` leaves of the limit, found by trial. A larger opening improves
    /// the first frames of a chunk, a larger reserve improves the key frames in it.
    private static let openingPart = 0.45

    /// Computes the shares to plan with, for a window of `seconds` and frames that are `frameSeconds` apart.
    init(seconds: Double, frameSeconds: Double) {
        let planned = 1 - 2 * Self.slack
        // x264's VBV buffer begins with what arrives during a frame. If the window has few frames, that is a large part
        // of it.
        flow = min(0.77, planned / (1 + 3.5 * frameSeconds / seconds))
        opening = Self.openingPart * (planned - flow)
        reserve = planned - flow - opening
    }
}

/// The limits of a chunk next to its seams; see ``SeamShares``.
struct SeamGuard {
    let followsAnother: Bool
    let isFollowed: Bool
    let frameSeconds: Double

    /// The time of the first picture, and the bytes delivered since then under the limits of that time.
    private var beginning: (time: Double, since: UInt64, bytes: Double)?
    private var isPastBeginning = false

    /// Nil if the limits are not divided.
    init?(_ configuration: SessionConfiguration) {
        guard configuration.sharesLimits else { return nil }
        followsAnother = configuration.moreFramesBeforeStart
        isFollowed = configuration.moreFramesAfterEnd
        frameSeconds = 1 / configuration.live.rate.assumedFrameRate.perSecond
    }

    /// Notes the time of the next picture.
    mutating func advance(to time: Double, since: UInt64) {
        guard let beginning else {
            beginning = (time, since, 0)
            return
        }
        // The client's clock has restarted, or the limits have changed: no window reaches back over the seam.
        if time < beginning.time || since != beginning.since { isPastBeginning = true }
    }

    mutating func note(bytes: Double) {
        beginning?.bytes += bytes
    }

    /// Whether the beginning of the chunk may contain so many more bytes.
    func holdsBeginning(_ bytes: Double, at time: Double, _ limits: DataRateLimits) -> Bool {
        guard followsAnother, !isPastBeginning, let beginning else { return true }
        return limits.allSatisfy { limit in
            !limit.reaches(from: beginning.time, to: time)
                || holds(beginning.bytes + bytes, in: time - beginning.time, limit) { $0.opening }
        }
    }

    /// Whether a stretch of so many seconds may contain so many bytes, wherever the chunk ends.
    func holdsStretch(_ bytes: Double, in seconds: Double, _ limit: DataRateLimit) -> Bool {
        !isFollowed || holds(bytes, in: seconds, limit) { $0.reserve }
    }

    private func holds(
        _ bytes: Double, in seconds: Double, _ limit: DataRateLimit, _ share: (SeamShares) -> Double
    ) -> Bool {
        let shares = SeamShares(seconds: limit.seconds, frameSeconds: frameSeconds)
        return bytes <= limit.bytes * (share(shares) + SeamShares.slack + shares.flow * seconds / limit.seconds)
    }
}
