/// Keeps audio in step with the host clock: decides from the times of buffers how much the audio is resampled.
struct ClockDrift {
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
    /// The most by which resampling changes the pitch: a sixth of a semitone.
    private static let mostChange = 0.01

    init(sampleRate: Int) {
        self.sampleRate = Double(sampleRate)
    }

    /// Notes the offset of a buffer: its host time less the time at which its first frame will be placed, in seconds.
    /// Returns the number of frames that resampling must add in the next window, or remove if it is negative; nil within a
    /// window.
    mutating func note(offset: Double, frames count: Int) -> Int? {
        frames += count
        sum += offset * Double(count)
        guard frames >= window else { return nil }
        let mean = sum / Double(frames)
        self.offset = mean
        (frames, sum) = (0, 0)
        let most = Double(window) * Self.mostChange
        return Int(min(max(mean * sampleRate * Self.gain, -most), most).rounded())
    }
}
