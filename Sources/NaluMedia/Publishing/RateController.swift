/// Chooses the bit rate of a live session from what the link delivers, so that the queue in front of the link stays
/// short.
///
/// The type is pure: it reads no clock, and its decisions depend only on the feedback. Pass ``update(_:)`` new feedback
/// several times in a second, and ask ``skipsFrame`` before each frame. docs/live.md describes the rules.
public struct RateController: Sendable {
    /// The state of the queue and the link at one time.
    public struct Feedback: Sendable {
        /// Seconds on any clock that never goes back.
        public var time: Double
        /// The age of the oldest sample that the receiver has not acknowledged, in seconds.
        public var queueDelay: Double
        /// The bytes that the receiver has not acknowledged.
        public var queuedBytes: Int
        /// The bytes that the receiver has acknowledged, since any time.
        public var deliveredBytes: Int
        /// The bytes that were handed in, since any time.
        public var producedBytes: Int
        /// The least round trip of the link, in seconds; 0 if it is not known.
        public var leastRoundTrip: Double

        public init(
            time: Double, queueDelay: Double, queuedBytes: Int, deliveredBytes: Int, producedBytes: Int,
            leastRoundTrip: Double
        ) {
            self.time = time
            self.queueDelay = queueDelay
            self.queuedBytes = queuedBytes
            self.deliveredBytes = deliveredBytes
            self.producedBytes = producedBytes
            self.leastRoundTrip = leastRoundTrip
        }
    }

    /// The seconds over which deliveries are measured: usually, and at most while the queue stays busy.
    private static let (window, longestWindow) = (0.2, 0.5)
    /// The seconds over which the session's own rate is measured.
    private static let rateWindow = 1.0
    /// Fractions of the maximum delay. Above `busy`, the queue counts as never empty. Below `calm`, the rate may rise.
    /// Above `long`, the rate falls. Above `full`, frames are skipped.
    private static let (busy, calm, long, full) = (0.1, 0.2, 0.4, 0.8)
    /// The share of the measured capacity that is used after an overload.
    private static let share = 0.85
    /// The least seconds between two increases, and between two decreases.
    private static let stepInterval = 0.1
    private static let decreaseInterval = 0.2
    /// The factors of an increase, near the last overload and elsewhere.
    private static let (slowStep, fastStep) = (1.015, 1.035)
    /// Bits per second, for a link that delivers nothing.
    private static let leastCapacity = 20_000.0

    private let minimum: Double
    private let maximum: Double
    private let maximumDelay: Double

    /// The chosen rate, in bits per second.
    public private(set) var bitRate: Double
    /// The rate that the link can deliver, or a lower bound of it, in bits per second.
    public private(set) var capacity: Double
    /// Whether the next frame must be skipped, because it would arrive too late.
    public private(set) var skipsFrame = false

    private var history: [Feedback] = []
    private var lastDecrease = -Double.infinity
    private var lastStep = -Double.infinity
    private var busySince: Double?
    /// The rate at which the link was overloaded last.
    private var ceiling = Double.infinity

    /// Creates a controller that begins with the maximum rate.
    ///
    /// - Parameters:
    ///   - minimumBitRate: the least rate, in bits per second. Frames are skipped if the link delivers less.
    ///   - maximumBitRate: the highest rate, in bits per second; at least the minimum.
    ///   - maximumDelay: the longest delay in the queue, in seconds.
    public init(minimumBitRate: Double, maximumBitRate: Double, maximumDelay: Double) {
        minimum = max(1, minimumBitRate)
        maximum = max(minimum, maximumBitRate)
        self.maximumDelay = max(0.01, maximumDelay)
        bitRate = maximum
        capacity = maximum
    }

    /// Forgets the link, after a new connection. The rate stays.
    public mutating func restart() {
        history.removeAll(keepingCapacity: true)
        busySince = nil
        skipsFrame = false
        capacity = max(capacity, bitRate)
    }

    /// Takes new feedback, and chooses ``bitRate`` and ``skipsFrame``.
    public mutating func update(_ feedback: Feedback) {
        if let last = history.last, feedback.time <= last.time { return }
        history.append(feedback)
        while let first = history.first, feedback.time - first.time > Self.rateWindow * 1.5 { history.removeFirst() }
        let delay = max(0, feedback.queueDelay - min(feedback.leastRoundTrip, maximumDelay / 2))
        measure(delay, feedback)
        let drain = Double(feedback.queuedBytes) * 8 / max(capacity, Self.leastCapacity)
        skipsFrame = max(0, drain - feedback.leastRoundTrip) > Self.full * maximumDelay
        if delay > Self.long * maximumDelay {
            decrease(feedback.time)
        } else if delay < Self.calm * maximumDelay {
            increase(feedback)
        }
    }

    /// Updates ``capacity``. A queue that is never empty shows the capacity; otherwise the link's delivery is a lower
    /// bound.
    private mutating func measure(_ delay: Double, _ feedback: Feedback) {
        busySince = delay > Self.busy * maximumDelay ? busySince ?? feedback.time : nil
        let busy = busySince.map { feedback.time - $0 } ?? 0
        // Acknowledgements come in bursts, so as much of the busy time as possible counts.
        let window = min(max(busy, Self.window), Self.longestWindow)
        guard let delivered = rate(over: window, \.deliveredBytes) else { return }
        capacity = busy >= Self.window / 2 ? delivered : max(capacity, delivered)
    }

    private mutating func decrease(_ time: Double) {
        guard time - lastDecrease >= Self.decreaseInterval else { return }
        lastDecrease = time
        ceiling = max(minimum, capacity)
        // A short stall must not cost the whole rate.
        bitRate = max(minimum, min(bitRate, max(capacity * Self.share, bitRate * 0.4)))
    }

    private mutating func increase(_ feedback: Feedback) {
        guard feedback.time - lastStep >= Self.stepInterval, feedback.time - lastDecrease >= 2 * Self.decreaseInterval
        else { return }
        // A session that uses less than its rate does not show whether the link carries more.
        guard let produced = rate(over: Self.rateWindow, \.producedBytes), produced >= 0.6 * bitRate else { return }
        lastStep = feedback.time
        let isNear = bitRate > 0.8 * ceiling && bitRate < 1.1 * ceiling
        bitRate = min(maximum, bitRate * (isNear ? Self.slowStep : Self.fastStep))
    }

    /// Returns the growth of a count over the last `seconds`, in bits per second; nil if the history is shorter.
    private func rate(over seconds: Double, _ count: any KeyPath<Feedback, Int> & Sendable) -> Double? {
        guard let last = history.last, let first = history.last(where: { last.time - $0.time >= seconds * 0.9 }) else {
            return nil
        }
        return max(0, Double(last[keyPath: count]) - Double(first[keyPath: count])) * 8 / (last.time - first.time)
    }
}
