internal import Nalu

/// Decides when live pictures are shown: the delay after the arrival of the fastest samples.
///
/// The offset of a sample is its decode time less the time of the playback. If the offset of the fastest samples
/// differs from the delay, the clocks of sender and receiver have drifted apart, or the input has first delivered a
/// backlog.
struct LivePace {
    /// A change of the playback's time.
    enum Step: Equatable {
        case none
        /// Moves the time of the playback by seconds.
        case move(Double)
        /// The first sample, or the first one after the sender has restarted.
        case restart
    }

    private let delay: Double
    /// The host time in seconds of the first sample, and of the beginning of the present window.
    private var first: Double?
    private var windowStart = 0.0
    /// The largest offset in the window.
    private var most = -Double.infinity

    /// The seconds in which the input may deliver a backlog.
    private static let beginning = 1.0
    private static let window = 2.0
    /// Smaller differences, in seconds, are not corrected.
    private static let tolerance = 0.01
    /// The seconds between offset and delay above which the sender must have restarted.
    private static let mostOffset = 3.0

    /// - Parameter delay: the time from the arrival of a sample to its picture, in seconds.
    init(delay: Double) { self.delay = delay }

    /// Notes a sample that arrived at the host time `now`.
    mutating func note(offset: Double, at now: Double) -> Step {
        guard let first else {
            (self.first, windowStart) = (now, now)
            return .restart
        }
        if (offset - delay).magnitude > Self.mostOffset {
            self = LivePace(delay: delay)
            // Otherwise the next sample would restart too, and drop this one, which may be the key frame.
            (self.first, windowStart) = (now, now)
            return .restart
        }
        most = max(most, offset)
        if now - first < Self.beginning {
            guard offset > delay else { return .none }
            most = -.infinity
            return .move(offset - delay)
        }
        guard now - windowStart >= Self.window else { return .none }
        let difference = most - delay
        (windowStart, most) = (now, -.infinity)
        return difference.magnitude > Self.tolerance ? .move(difference) : .none
    }
}
