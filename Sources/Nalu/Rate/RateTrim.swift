private import NaluLibc

/// Corrects the encoder's rate by the bits of delivered samples.
///
/// With a VBV buffer, x264 stays some percent off its rate as long as the content stays the same. At few frames per
/// second it stays a sixth below. The trim moves x264's rate until the measured bits are the wanted ones.
struct RateTrim {
    /// A picture with a lower QP needs no more bits.
    private static let fineQP = 6.0
    /// The least change of the factor, so that the encoder is not reconfigured for each frame.
    private static let step = 0.02

    private var exact = 1.0
    private var bits = 0.0
    /// The sum of the wanted rates of the measured pictures.
    private var targets = 0.0
    private var window = RingBuffer<(time: Double, bits: Double, target: Double)>(capacity: 64)
    /// The range of the factor. It reaches further up, because a VBV buffer only holds the rate down.
    let range: ClosedRange<Double>
    /// The power of the error that is applied per second. It is lower with lookahead, because measurements are then
    /// old.
    private let gain: Double
    /// Seconds over which bits are measured.
    private let span: Double
    private var measuredFrom: Double?
    /// The first frame that was passed under the current rate.
    private var firstFrame: UInt64 = 0

    init(isLowDelay: Bool) {
        // Found by trial on the 720p clip, 250 kb/s to 8 Mb/s, 500 kb/s and 3 Mb/s: each rate is held after one second.
        range = isLowDelay ? 0.75...2.5 : 0.9...1.6
        gain = isLowDelay ? 2.5 : 0.25
        span = isLowDelay ? 0.5 : 1
    }

    /// The factor of the rate that the encoder gets.
    private(set) var factor = 1.0

    /// Restarts the measurement, because the wanted rate changes with frame `number`. Earlier frames are not measured.
    mutating func restart(from number: UInt64) {
        firstFrame = number
        while window.popFirst() != nil {}
        (bits, targets) = (0, 0)
        measuredFrom = nil
    }

    /// Notes a delivered picture. `time` is its decode time in seconds, `target` the wanted rate in bits per second, which may
    /// change by little from picture to picture.
    mutating func note(frame number: UInt64, bits size: Double, time: Double, averageQP: Double, target: Double) {
        guard number >= firstFrame, target > 0, time.isFinite else { return }
        var last = window[window.count - 1]?.time
        if let before = last, time < before {
            // The client's clock has restarted.
            restart(from: number)
            last = nil
        }
        window.append((time, size, target))
        bits += size
        targets += target
        while let first = window[0], first.time <= time - span {
            bits -= first.bits
            targets -= first.target
            _ = window.popFirst()
        }
        let start = measuredFrom ?? time
        measuredFrom = start
        guard time - start >= span, bits > 0, let last, time > last else { return }
        var error = targets / Double(window.count) * span / bits
        if averageQP < Self.fineQP {
            error = min(error, 1)
        }
        exact *= pow(error, gain * min(time - last, 0.2))
        exact = min(max(exact, range.lowerBound), range.upperBound)
        if abs(exact - factor) >= Self.step {
            factor = exact
        }
    }
}
