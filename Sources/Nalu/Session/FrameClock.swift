private import NaluLibc

/// How long frames really last, for an encoder that counts frames instead of following time.
struct FrameClock {
    /// Seconds over which the average forgets.
    private static let memory = 0.5
    /// Of one frame in the average.
    private static let leastWeight = 1.0 / 12

    private let assumedDuration: Double
    private var average: Double
    private var last: MediaTime?

    init(assumedFrameRate: Double) {
        assumedDuration = 1 / assumedFrameRate
        average = assumedDuration
    }

    /// How much longer than assumed a frame lasts. Small wavering gives the same ratio as before.
    private(set) var ratio = 1.0

    /// Seconds from one frame to the next, lately.
    var frameSeconds: Double { average }

    mutating func advance(to time: MediaTime) {
        if let last {
            let passed = (time - last).seconds
            if passed.isFinite && passed > 0 {
                // One gap is no new frame rate.
                let duration = min(passed, 4 * average)
                // Short frames after long ones: by time alone they would weigh little for long.
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

    /// The client said at which rate frames will come.
    mutating func expect(frameRate: Double) {
        average = 1 / frameRate
        ratio = average / assumedDuration
    }
}
