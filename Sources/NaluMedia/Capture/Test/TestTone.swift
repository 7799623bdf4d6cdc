internal import Nalu
internal import NaluLibc

/// The audio of the test source: a quiet tone of 440 Hz, replaced by a beep of 1000 Hz in the first 100 ms of each
/// second. Second 0 begins with the first picture.
struct TestTone {
    private let format: CaptureAudioFormat
    private let clock: Double
    /// One second, which is a whole number of periods of both tones.
    private let second: [Float]
    private let blockFrames: Int
    private var block: [Float]
    /// The number of the next audio frame.
    private var position: Int64 = 0

    static let beepDuration: Int64 = 100_000_000

    /// - Parameter clock: the audio frames per host second, as a multiple of the sample rate.
    init(_ format: CaptureAudioFormat, clock: Double) {
        self.format = format
        self.clock = clock
        let rate = format.sampleRate
        second = (0..<rate).map { index in
            let time = Double(index) / Double(rate)
            let isBeep = Self.isBeep(at: Int64(time * 1e9))
            return Float(isBeep ? 0.5 * sin(2 * .pi * 1000 * time) : 0.05 * sin(2 * .pi * 440 * time))
        }
        blockFrames = max(1, rate / 100)
        block = Array(repeating: 0, count: blockFrames * format.channelCount)
    }

    /// Whether a time in nanoseconds after the first picture lies in a beep.
    static func isBeep(at nanoseconds: Int64) -> Bool {
        nanoseconds % 1_000_000_000 < beepDuration
    }

    /// The time at which the next block is complete, in nanoseconds after the first picture.
    var endOfBlock: Int64 { time(of: position + Int64(blockFrames)) }

    /// Passes the next block and the time of its first audio frame to `body`.
    mutating func withNextBlock(_ body: (UnsafeBufferPointer<Float>, Int64) -> Void) {
        let channels = format.channelCount
        for index in 0..<blockFrames {
            // The tone follows the host clock, so that a source with a fast clock has more audio frames per beep.
            let frame = position + Int64(index)
            let place = clock == 1 ? frame : Int64(Double(frame) / clock)
            let value = second[Int(place % Int64(second.count))]
            for channel in 0..<channels { block[index * channels + channel] = value }
        }
        unsafe block.withUnsafeBufferPointer { unsafe body($0, time(of: position)) }
        position += Int64(blockFrames)
    }

    /// Leaves out the blocks that end before a time. Returns the number of audio frames.
    mutating func skip(to nanoseconds: Int64) -> Int {
        let before = position
        let frames = Int64(Double(nanoseconds) / 1e9 * Double(format.sampleRate) * clock)
        position = max(position, frames / Int64(blockFrames) * Int64(blockFrames))
        return Int(position - before)
    }

    private func time(of frame: Int64) -> Int64 {
        let rate = Int64(format.sampleRate)
        if clock == 1 { return frame / rate * 1_000_000_000 + frame % rate * 1_000_000_000 / rate }
        return Int64(Double(frame) * 1e9 / (Double(rate) * clock))
    }
}
