/// Decides which frames are forced to be key frames, by count and by presentation time.
///
/// The encoder may make key frames of its own accord, at scene cuts; when it learns of them, the policy counts from
/// there.
struct KeyFramePolicy {
    /// Frames between key frames when nobody says.
    static let automaticInterval = 250

    /// False: an interval of the encoder's own is in force, and MaxKeyFrameInterval 0 leaves it to that.
    private let countsWhenUnset: Bool
    /// Frames from a key frame to the next at most, whatever the settings say.
    private let limit: UInt64
    private var lastKey: (number: UInt64, time: MediaTime)?
    private var lastTime: MediaTime?
    /// The longest time from one frame to the next since the last key frame, and since the one before to that, seconds.
    private var longestSteps = (now: 0.0, before: 0.0)

    init(countsWhenUnset: Bool = true, limit: UInt64 = .max) {
        self.countsWhenUnset = countsWhenUnset
        self.limit = limit
    }

    /// A frame is handed to the encoder; called before ``mustBeKey(number:time:duration:settings:)``.
    mutating func advance(to time: MediaTime) {
        if let lastTime, time.epoch == lastTime.epoch {
            longestSteps.now = max(longestSteps.now, (time - lastTime).seconds)
        }
        lastTime = time
    }

    /// Must the frame be a key frame?
    func mustBeKey(
        number: UInt64, time: MediaTime, duration: MediaTime, settings: KeyFrameSettings
    ) -> Bool {
        guard let lastKey, settings.allowTemporalCompression else { return true }
        let interval = settings.maxInterval > 0 ? settings.maxInterval : countsWhenUnset ? Self.automaticInterval : .max
        if number - lastKey.number >= min(UInt64(interval), limit) {
            return true
        }
        guard settings.maxDuration > 0 else { return false }
        // The frame after this one would be too late when this one reaches the limit, or reaches beyond it.
        guard time.epoch == lastKey.time.epoch else { return true }
        let age = (time - lastKey.time).seconds
        let length = duration.isNumeric ? max(0, duration.seconds) : expectedStep(within: settings.maxDuration)
        let tolerance = 1e-9 * max(1, settings.maxDuration)
        return !(age + tolerance < settings.maxDuration && age + length <= settings.maxDuration + tolerance)
    }

    /// A frame that must be a key frame only for having come so far may be a recovery point; the first one of a stream,
    /// and those of a stream of key frames alone, are IDR.
    func mayBeRecoveryPoint(settings: KeyFrameSettings) -> Bool {
        lastKey != nil && settings.allowTemporalCompression && settings.maxInterval != 1
    }

    /// The time to the next frame if the client does not tell, seconds. A gap that no key frame before it could have shortened
    /// says nothing of the frames after it.
    private func expectedStep(within limit: Double) -> Double {
        let now = longestSteps.now <= limit ? longestSteps.now : 0
        let before = longestSteps.before <= limit ? longestSteps.before : 0
        return max(now, before)
    }

    /// The frame was forced to be a key frame, or came out as one.
    mutating func noteKey(number: UInt64, time: MediaTime) {
        if let lastKey, lastKey.number >= number { return }
        lastKey = (number, time)
        longestSteps = (0, longestSteps.now)
    }
}
