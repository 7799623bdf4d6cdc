/// Measures the bit rate of samples by their decode times. A sample lasts until the next one's decode time, whatever
/// the cadence; so the last one does not count yet.
struct BitRateMeter {
    /// Seconds that the current rate looks back.
    static let window = 1.0
    /// Samples that it looks back at most, however short they are.
    static let most = 1024

    private typealias Entry = (time: Double, bits: Double)

    /// Those of the window, and the last one.
    private var samples = RingBuffer<Entry>(capacity: 1)
    private var last: Entry?
    /// In the window, without the last one.
    private var bits = 0.0
    private var allBits = 0.0
    private var allSeconds = 0.0

    /// Bits a second over the window; NaN before the second sample.
    var current: Double {
        guard let first = samples[0], let last, last.time > first.time else { return .nan }
        return bits / (last.time - first.time)
    }

    /// Bits a second over all samples; NaN before the second one.
    var mean: Double {
        allSeconds > 0 ? allBits / allSeconds : .nan
    }

    /// A sample came out; `time` is its decode time in seconds.
    mutating func note(bits size: Double, time: Double) {
        guard time.isFinite else { return }
        if let last {
            if time > last.time {
                bits += last.bits
                allBits += last.bits
                allSeconds += time - last.time
            } else {
                // A new epoch of the client's clock: nobody knows how long the sample before lasted.
                while samples.popFirst() != nil {}
                bits = 0
            }
        }
        last = (time, size)
        samples.append((time, size))
        while let first = samples[0], let second = samples[1],
            second.time <= time - Self.window || samples.count > Self.most + 1
        {
            bits -= first.bits
            _ = samples.popFirst()
        }
    }
}
