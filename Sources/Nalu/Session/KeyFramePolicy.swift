/// Decides which frames are forced to be key frames, by count and by presentation time.
///
/// The encoder may also make key frames by itself, at scene cuts. The policy then counts from these key frames.
struct KeyFramePolicy {
    /// The frames between key frames if the client sets nothing.
    static let automaticInterval = 250

    /// Whether the policy counts with MaxKeyFrameInterval 0. False if an interval of the encoder's own applies.
    private let countsWhenUnset: Bool
    /// The most frames from one key frame to the next, whatever the settings are.
    private let limit: UInt64
    private var lastKey: (number: UInt64, time: MediaTime)?
    private var lastTime: MediaTime?
    /// The longest distances between frames in seconds: since the last key frame, and from the key frame before it to
    /// the last.
    private var longestSteps = (now: 0.0, before: 0.0)

    init(countsWhenUnset: Bool = true, limit: UInt64 = .max) {
        self.countsWhenUnset = countsWhenUnset
        self.limit = limit
    }

    /// Notes a frame that is passed to the encoder. Call it before ``mustBeKey(number:time:duration:settings:)``.
    mutating func advance(to time: MediaTime) {
        if let lastTime, time.epoch == lastTime.epoch {
            longestSteps.now = max(longestSteps.now, (time - lastTime).seconds)
        }
        lastTime = time
    }

    /// Whether the frame must be a key frame.
    func mustBeKey(
        number: UInt64, time: MediaTime, duration: MediaTime, settings: KeyFrameSettings
    ) -> Bool {
        guard let lastKey, settings.allowTemporalCompression else { return true }
        let interval = settings.maxInterval > 0 ? settings.maxInterval : countsWhenUnset ? Self.automaticInterval : .max
        if number - lastKey.number >= min(UInt64(interval), limit) {
            return true
        }
        guard settings.maxDuration > 0 else { return false }
        // A key frame after this frame would be too late if this frame reaches the limit, or ends beyond it.
        guard time.epoch == lastKey.time.epoch else { return true }
        let age = (time - lastKey.time).seconds
        let length = duration.isNumeric ? max(0, duration.seconds) : expectedStep(within: settings.maxDuration)
        let tolerance = 1e-9 * max(1, settings.maxDuration)
        return !(age + tolerance < settings.maxDuration && age + length <= settings.maxDuration + tolerance)
    }

    /// Whether a frame that must be a key frame only for its distance may be a recovery point. The first frame of a
    /// stream is IDR, and so are those of a stream of key frames only.
    func mayBeRecoveryPoint(settings: KeyFrameSettings) -> Bool {
        lastKey != nil && settings.allowTemporalCompression && settings.maxInterval != 1
    }

    /// Returns the time to the next frame in seconds, if the client does not state it. A gap that no earlier key frame
    /// could have shortened is ignored, since it does not affect later frames.
    private func expectedStep(within limit: Double) -> Double {
        let now = longestSteps.now <= limit ? longestSteps.now : 0
        let before = longestSteps.before <= limit ? longestSteps.before : 0
        return max(now, before)
    }

    /// Notes that the frame was forced to be a key frame, or became one.
    mutating func noteKey(number: UInt64, time: MediaTime) {
        if let lastKey, lastKey.number >= number { return }
        lastKey = (number, time)
        longestSteps = (0, longestSteps.now)
    }
}
