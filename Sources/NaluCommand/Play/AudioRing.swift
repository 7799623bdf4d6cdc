internal import Nalu
internal import NaluMedia

/// Decoded audio that waits to be played: interleaved stereo without gaps, whose first frame has a known time.
struct AudioRing {
    private let sampleRate: Double
    private var values: [Float]
    /// The index of the first frame, and the number of frames.
    private var head = 0
    private(set) var count = 0
    /// The presentation time of the first frame in seconds.
    private(set) var start = 0.0
    private var capacity: Int { values.count / 2 }

    /// Offsets between blocks up to this many seconds come from rounded times.
    private static let tolerance = 0.002
    /// Gaps up to this many seconds are filled with silence. A longer gap empties the ring.
    private static let mostGap = 1.0

    init(sampleRate: Int, seconds: Int) {
        self.sampleRate = Double(sampleRate)
        values = Array(repeating: 0, count: 2 * sampleRate * seconds)
    }

    /// The time after the last frame in seconds.
    var end: Double { start + Double(count) / sampleRate }

    mutating func removeAll() { (head, count) = (0, 0) }

    /// Appends a block at its time. If the ring is full, the oldest frames are dropped.
    mutating func append(_ block: DecodedAudioBlock) {
        let time = block.time.seconds
        var frames = block.frames[...]
        if count == 0 || (time - end).magnitude > Self.mostGap {
            removeAll()
            start = time
        } else if time - end > Self.tolerance {
            let silence = Int(((time - end) * sampleRate).rounded())
            write(ArraySlice(repeating: 0, count: 2 * silence))
        } else if end - time > Self.tolerance {
            // The beginning of the block overlaps frames in the ring.
            frames = frames.dropFirst(2 * Int(((end - time) * sampleRate).rounded()))
        }
        write(frames)
    }

    private mutating func write(_ frames: ArraySlice<Float>) {
        for index in stride(from: frames.startIndex, to: frames.endIndex - 1, by: 2) {
            if count == capacity { drop(1) }
            let place = 2 * ((head + count) % capacity)
            (values[place], values[place + 1]) = (frames[index], frames[index + 1])
            count += 1
        }
    }

    private mutating func drop(_ frames: Int) {
        let dropped = min(frames, count)
        head = (head + dropped) % capacity
        count -= dropped
        start += Double(dropped) / sampleRate
    }

    /// Fills a buffer with the audio from `time` on, at `rate` times its speed. Frames that are missing are silent.
    /// Returns the time after the last frame.
    mutating func read(_ out: UnsafeMutableBufferPointer<Float>, from time: Double, rate: Double) -> Double {
        drop(max(0, Int((time - start) * sampleRate) - 1))
        let wanted = out.count / 2
        // At its own speed the audio is not interpolated.
        let first = rate == 1 ? ((time - start) * sampleRate).rounded() : (time - start) * sampleRate
        for index in 0..<wanted {
            let place = first + Double(index) * rate
            let whole = place.rounded(.down)
            let (left, part) = (Int(max(-2, min(whole, Double(count)))), Float(place - whole))
            for channel in 0..<2 {
                var sample = value(left, channel)
                if part > 0 { sample += (value(left + 1, channel) - sample) * part }
                unsafe out[2 * index + channel] = sample
            }
        }
        return start + (first + Double(wanted) * rate) / sampleRate
    }

    private func value(_ frame: Int, _ channel: Int) -> Float {
        guard 0..<count ~= frame else { return 0 }
        return values[2 * ((head + frame) % capacity) + channel]
    }
}
