/// Spends what is left of a clip's bits over what is left of its time, where the client has said how long the clip is.
///
/// Asked before each picture comes out, it gives the factor of AverageBitRate that the encoder gets for that one and
/// the ones after it.
struct ClipBudget {
    /// How far the rate given to the encoder differs from the requested one. More upwards, because a bucket only holds
    /// down.
    static let range = 0.6...1.6
    /// What is missing is made up for in no less than this, in seconds: the encoder could not follow.
    private static let horizon = 0.4
    /// Given in steps, so that the encoder is not reconfigured for each frame.
    private static let step = 0.01

    /// 0: not known.
    private let frameCount: Int
    /// Seconds; 0: not known.
    private let duration: Double
    private let assumedFrameSeconds: Double

    private var frames = 0
    private var seconds = 0.0
    private var last: MediaTime?
    /// What AverageBitRate gives each frame inside the encoder, and how long it lasts.
    private var inside = RingBuffer<(bits: Double, seconds: Double)>(capacity: 64)
    private var secondsInside = 0.0
    /// What was given to pictures that came out, less what they took.
    private var missing = 0.0

    private var settings: RateSettings?
    private var told = 0.0
    private var spent = 0.0
    private var secondsOut = 0.0

    /// The factor for the rate that the encoder gets.
    private(set) var factor = 1.0

    /// nil where nothing is known of the clip's length.
    init?(_ configuration: SessionConfiguration) {
        frameCount = configuration.sourceFrameCount
        duration = configuration.expectedDuration
        guard frameCount > 0 || duration > 0 else { return nil }
        assumedFrameSeconds = 1 / (FrameRate(configuration.live.rate.expectedFrameRate) ?? .assumed).perSecond
    }

    /// A frame is handed to the encoder: works the factor out again.
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

    /// The same while the encoder is emptied. The settings are those of the last frame.
    mutating func planAgain() -> RateSettings? {
        if let settings { plan(rate: Double(settings.averageBitRate)) }
        return settings
    }

    /// A picture came out; 0 for a frame that was lost.
    mutating func note(bits: Double) {
        guard let frame = inside.popFirst() else { return }
        secondsInside -= frame.seconds
        missing += frame.bits - bits
        // Of the last two seconds or so.
        let keep = max(1 - frame.seconds / 2, 0)
        told = told * keep + frame.bits * factor
        spent = spent * keep + bits
        secondsOut += frame.seconds
    }

    /// `rate`: the wanted bits a second.
    private mutating func plan(rate: Double) {
        let left = max(secondsLeft + secondsInside, Self.horizon)
        let wanted = (1 + missing / (rate * left)) / hitRate
        let exact = min(max(wanted, Self.range.lowerBound), Self.range.upperBound)
        if abs(exact - factor) >= Self.step {
            factor = exact
        }
    }

    /// What came out, divided by what was asked for: held by a bucket, an encoder takes less than it may. The first
    /// pictures, among them a key frame, say little of it.
    private var hitRate: Double {
        guard told > 0 else { return 1 }
        return 1 + min(secondsOut / 2, 1) * (min(max(spent / told, 0.8), 1.1) - 1)
    }

    /// After the frames handed in. 0: the clip is longer than was said, and goes on at AverageBitRate.
    private var secondsLeft: Double {
        let byTime = duration > 0 ? duration - seconds : .infinity
        let byCount = frameCount > 0 ? Double(frameCount - frames) * seconds / Double(max(frames, 1)) : .infinity
        return max(min(byTime, byCount), 0)
    }
}
