private import NaluLibc

/// Corrects the rate that the encoder gets by what came out.
///
/// Held by a bucket, x264 stays some percent off its rate for as long as the content stays the same; a sixth below it
/// at few frames a second. The trim moves the rate given to it until the bits measured are the wanted ones.
struct RateTrim {
    /// A picture finer than this quantiser needs no more bits.
    private static let fineQP = 6.0
    /// Given in steps, so that the encoder is not reconfigured for each frame.
    private static let step = 0.02

    private var exact = 1.0
    private var bits = 0.0
    private var window = RingBuffer<(time: Double, bits: Double)>(capacity: 64)
    /// How far it may go. More upwards, because a bucket only holds down.
    let range: ClosedRange<Double>
    /// The error is raised to this power in a second. What is measured of an encoder with lookahead is old.
    private let gain: Double
    /// Seconds over which bits are measured.
    private let span: Double
    private var measuredFrom: Double?
    /// Frames before this one were handed in under another rate.
    private var firstFrame: UInt64 = 0

    init(isLowDelay: Bool) {
        // Found by trial on the 720p clip, 250 kb/s to 8 Mb/s, 500 kb/s and 3 Mb/s: each is held from a second on.
        range = isLowDelay ? 0.75...2.5 : 0.9...1.6
        gain = isLowDelay ? 2.5 : 0.25
        span = isLowDelay ? 0.5 : 1
    }

    /// The factor for the rate that the encoder gets.
    private(set) var factor = 1.0

    /// The wanted rate is another one from that frame on: what comes out of frames before it says nothing of it.
    mutating func restart(from number: UInt64) {
        firstFrame = number
        while window.popFirst() != nil {}
        bits = 0
        measuredFrom = nil
    }

    /// A picture came out. `time`: its decode time in seconds; `target`: the wanted bits a second.
    mutating func note(frame number: UInt64, bits size: Double, time: Double, averageQP: Double, target: Double) {
        guard number >= firstFrame, target > 0, time.isFinite else { return }
        var last = window[window.count - 1]?.time
        if let before = last, time < before {
            // A new epoch of the client's clock.
            restart(from: number)
            last = nil
        }
        window.append((time, size))
        bits += size
        while let first = window[0], first.time <= time - span {
            bits -= first.bits
            _ = window.popFirst()
        }
        let start = measuredFrom ?? time
        measuredFrom = start
        guard time - start >= span, bits > 0, let last, time > last else { return }
        var error = target * span / bits
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
