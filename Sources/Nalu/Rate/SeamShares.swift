/// How a data-rate limit is shared where parts of a clip meet.
///
/// A part does not know how its neighbours spend their bits, and a window of the limit can reach into both. So the limit is
/// divided before: any stretch of a part holds at most `reserve` and what flows in meanwhile, and the beginning of a part at
/// most `opening` and what flows in since. In a window of T seconds over a seam that is no more than
/// `reserve + opening + flow`, which is the limit, if no part is shorter than the window.
struct SeamShares: Hashable, Sendable {
    /// Shares of the limit; `flow` is what flows in during its window.
    let flow: Double
    let reserve: Double
    let opening: Double

    /// What the encoder is to keep is smaller by this: it misses its bucket by some bits at times.
    static let slack = 0.015
    /// Of what does not flow, found by trial: a larger opening makes the first frames of a part better, a larger reserve the
    /// key frames in it.
    private static let openingPart = 0.45

    /// What is planned with, in a window of `seconds` of frames that are `frameSeconds` apart.
    init(seconds: Double, frameSeconds: Double) {
        let planned = 1 - 2 * Self.slack
        // x264 lets a bucket begin with what flows in during a frame. Where the window has few frames, that is much of it.
        flow = min(0.77, planned / (1 + 3.5 * frameSeconds / seconds))
        opening = Self.openingPart * (planned - flow)
        reserve = planned - flow - opening
    }
}

/// What a part of a clip may hold next to its seams; see ``SeamShares``.
struct SeamGuard {
    let followsAnother: Bool
    let isFollowed: Bool
    let frameSeconds: Double

    /// The time of the first picture, and what was delivered from there on under the limits that held then.
    private var beginning: (time: Double, since: UInt64, bytes: Double)?
    private var isPastBeginning = false

    /// nil where the clip has no other parts.
    init?(_ configuration: SessionConfiguration) {
        followsAnother = configuration.moreFramesBeforeStart
        isFollowed = configuration.moreFramesAfterEnd
        guard followsAnother || isFollowed else { return nil }
        frameSeconds = 1 / (FrameRate(configuration.live.rate.expectedFrameRate) ?? .assumed).perSecond
    }

    /// A picture came out.
    mutating func advance(to time: Double, since: UInt64) {
        guard let beginning else {
            beginning = (time, since, 0)
            return
        }
        // A new epoch of the client's clock, or other limits: no window reaches back over the seam.
        if time < beginning.time || since != beginning.since { isPastBeginning = true }
    }

    mutating func note(bytes: Double) {
        beginning?.bytes += bytes
    }

    /// May the part go on with so many bytes?
    func holdsBeginning(_ bytes: Double, at time: Double, _ limits: DataRateLimits) -> Bool {
        guard followsAnother, !isPastBeginning, let beginning else { return true }
        return limits.allSatisfy { limit in
            !limit.reaches(from: beginning.time, to: time)
                || holds(beginning.bytes + bytes, in: time - beginning.time, limit) { $0.opening }
        }
    }

    /// May a stretch of so many seconds hold so many bytes, wherever the part ends?
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
