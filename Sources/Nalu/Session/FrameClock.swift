private import NaluLibc

/// The real durations of frames, for an encoder that counts frames instead of following time.
struct FrameClock {
    /// The time constant of the average, in seconds.
    private static let memory = 0.5
    /// The least weight of one frame in the average.
    private static let leastWeight = 1.0 / 12

    private let assumedDuration: Double
    private var average: Double
    private var last: MediaTime?

    init(assumedFrameRate: Double) {
        assumedDuration = 1 / assumedFrameRate
        average = assumedDuration
    }

    /// The real duration of frames divided by the assumed one. Small variations leave the ratio unchanged.
    private(set) var ratio = 1.0

    /// The average seconds from one frame to the next.
    var frameSeconds: Double { average }

    mutating func advance(to time: MediaTime) {
        if let last {
            let passed = (time - last).seconds
            if passed.isFinite && passed > 0 {
                // A single gap is not a new frame rate.
                let duration = min(passed, 4 * average)
                // With weights by time alone, short frames after long ones would have little weight for a long time.
                let weight = max(1 - exp(-duration / Self.memory), Self.leastWeight)
                average += weight * (duration - average)
                let exact = average / assumedDuration
                if abs(exact / ratio - 1) > 0.05 {
                    ratio = exact
                } else if abs(exact - 1) < 0.02 {
                    ratio = 1
                }
            }
        }
        last = time
    }

    /// Sets the frame rate that the client expects.
    mutating func expect(frameRate: Double) {
        average = 1 / frameRate
        ratio = average / assumedDuration
    }
}
