/// Keeps audio in step with the host clock: decides from the times of buffers how much the audio is resampled.
struct ClockDrift {
    /// A change that brings audio and host clock together.
    enum Correction: Equatable {
        /// Resampling until the next decision adds this number of frames, or removes them if it is negative.
        case resample(frames: Int)
        /// Silence is inserted for this number of frames, or they are dropped if it is negative.
        case jump(frames: Int)
    }

    private let sampleRate: Double
    /// The frames since the last decision, and the sum of their offsets in seconds.
    private var frames = 0
    private var sum = 0.0
    /// The mean offset in the last window, in seconds.
    private(set) var offset = 0.0

    /// The number of frames between two decisions.
    var window: Int { Int(sampleRate / 2) }

    /// The part of the offset that one window corrects. Higher values follow the jitter of the times, and above 1 the
    /// correction oscillates. With a clock that is 0.1 % fast the audio is early by 0.5 ms / 0.3 = 1.7 ms.
    private static let gain = 0.3
    /// The offset in seconds of a single buffer above which frames are missing or repeated. Drift explains 2 ms of it and
    /// jitter the rest, and smaller gaps leave the audio in step within 20 ms.
    private static let mostOffset = 0.015

    init(sampleRate: Int) {
        self.sampleRate = Double(sampleRate)
    }

    /// Notes the offset of a buffer: its host time less the time at which its first frame will be placed, in seconds.
    /// Returns a correction if it is due.
    mutating func note(offset: Double, frames count: Int) -> Correction? {
        // The window continues after a jump: resampling must follow the drift between frequent gaps too.
        if offset.magnitude > Self.mostOffset { return .jump(frames: Int((offset * sampleRate).rounded())) }
        frames += count
        sum += offset * Double(count)
        guard frames >= window else { return nil }
        let mean = sum / Double(frames)
        self.offset = mean
        (frames, sum) = (0, 0)
        return .resample(frames: Int((mean * sampleRate * Self.gain).rounded()))
    }
}
