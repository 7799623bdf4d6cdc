/// Measures the bit rate of samples by their decode times. A sample lasts until the decode time of the next one, so
/// that the last sample does not count yet.
struct BitRateMeter {
    /// The length in seconds of the window of the current rate.
    static let window = 1.0
    /// The most samples in the window, however short they are.
    static let most = 1024

    private typealias Entry = (time: Double, bits: Double)

    /// The samples of the window, and the last one.
    private var samples = RingBuffer<Entry>(capacity: 1)
    private var last: Entry?
    /// The bits in the window, without the last sample.
    private var bits = 0.0
    private var allBits = 0.0
    private var allSeconds = 0.0

    /// Bits per second over the window; NaN before the second sample.
    var current: Double {
        guard let first = samples[0], let last, last.time > first.time else { return .nan }
        return bits / (last.time - first.time)
    }

    /// Bits per second over all samples; NaN before the second one.
    var mean: Double {
        allSeconds > 0 ? allBits / allSeconds : .nan
    }

    /// Notes a delivered sample. `time` is its decode time in seconds.
    mutating func note(bits size: Double, time: Double) {
        guard time.isFinite else { return }
        if let last {
            if time > last.time {
                bits += last.bits
                allBits += last.bits
                allSeconds += time - last.time
            } else {
                // The client's clock has restarted, so that the duration of the previous sample is unknown.
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
