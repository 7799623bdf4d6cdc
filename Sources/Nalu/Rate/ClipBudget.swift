/// Spends the remaining bits of a clip over its remaining time, if the client has stated the clip's length.
///
/// Before each picture is delivered, it computes the factor of AverageBitRate that the encoder gets for that picture
/// and later ones.
struct ClipBudget {
    /// The range of the factor. It reaches further up, because a VBV buffer only holds the rate down.
    static let range = 0.6...1.6
    /// The shortest time, in seconds, in which missing bits are made up for. The encoder could not follow a faster
    /// change.
    private static let horizon = 0.4
    /// The least change of the factor, so that the encoder is not reconfigured for each frame.
    private static let step = 0.01

    /// The number of frames in the clip; 0 if unknown.
    private let frameCount: Int
    /// The duration of the clip in seconds; 0 if unknown.
    private let duration: Double
    private let assumedFrameSeconds: Double

    private var frames = 0
    private var seconds = 0.0
    private var last: MediaTime?
    /// The bits at AverageBitRate and the duration of each frame inside the encoder.
    private var inside = RingBuffer<(bits: Double, seconds: Double)>(capacity: 64)
    private var secondsInside = 0.0
    /// The bits planned for delivered pictures, minus the bits that they took.
    private var missing = 0.0

    private var settings: RateSettings?
    private var told = 0.0
    private var spent = 0.0
    private var secondsOut = 0.0

    /// The factor of the rate that the encoder gets.
    private(set) var factor = 1.0

    /// Nil if the length of the clip is unknown.
    init?(_ configuration: SessionConfiguration) {
        frameCount = configuration.sourceFrameCount
        duration = configuration.expectedDuration
        guard frameCount > 0 || duration > 0 else { return nil }
        assumedFrameSeconds = 1 / configuration.live.rate.assumedFrameRate.perSecond
    }

    /// Notes a frame that is passed to the encoder, and computes the factor again.
    mutating func accept(_ time: MediaTime, _ settings: RateSettings) {
        let passed = last.map { (time - $0).seconds } ?? assumedFrameSeconds
        last = time
        let length = passed.isFinite && passed > 0 ? passed : assumedFrameSeconds
        frames += 1
        seconds += length
        secondsInside += length
        inside.append((Double(settings.averageBitRate) * length, length))
        self.settings = settings
        plan(rate: Double(settings.averageBitRate))
    }

    /// Computes the factor again while the encoder is drained. Returns the settings of the last frame.
    mutating func planAgain() -> RateSettings? {
        if let settings { plan(rate: Double(settings.averageBitRate)) }
        return settings
    }

    /// Notes a delivered picture; 0 bits for a lost frame.
    mutating func note(bits: Double) {
        guard let frame = inside.popFirst() else { return }
        secondsInside -= frame.seconds
        missing += frame.bits - bits
        // The sums cover about the last two seconds.
        let keep = max(1 - frame.seconds / 2, 0)
        told = told * keep + frame.bits * factor
        spent = spent * keep + bits
        secondsOut += frame.seconds
    }

    /// Computes the factor. `rate` is the wanted rate in bits per second.
    private mutating func plan(rate: Double) {
        let left = max(secondsLeft + secondsInside, Self.horizon)
        let wanted = (1 + missing / (rate * left)) / hitRate
        let exact = min(max(wanted, Self.range.lowerBound), Self.range.upperBound)
        if abs(exact - factor) >= Self.step {
            factor = exact
        }
    }

    /// The delivered bits divided by the requested bits. With a VBV buffer, an encoder uses less than it may. The first
    /// pictures have little weight, because a key frame is among them.
    private var hitRate: Double {
        guard told > 0 else { return 1 }
        return 1 + min(secondsOut / 2, 1) * (min(max(spent / told, 0.8), 1.1) - 1)
    }

    /// The remaining time after the frames passed so far, in seconds. 0 if the clip is longer than stated: it then
    /// continues at AverageBitRate.
    private var secondsLeft: Double {
        let byTime = duration > 0 ? duration - seconds : .infinity
        let byCount = frameCount > 0 ? Double(frameCount - frames) * seconds / Double(max(frames, 1)) : .infinity
        return max(min(byTime, byCount), 0)
    }
}
