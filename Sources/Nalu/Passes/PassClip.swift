/// The frames of a first pass. Every later pass gets the same frames.
struct PassClip: Hashable, Sendable {
    /// The longest gap between two frames that the encoder counts, in seconds.
    private static let longestGap = 1.0

    let width: Int
    let height: Int
    var times: [MediaTime] = []
    var keyFrames: Set<Int> = []
    var lastDuration = MediaTime.invalid
    /// The highest bit rate that the limits and the level of the session allow; 0 if there is none.
    var highestRate = 0

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The time from the first frame to the end of the last one.
    var timeRange: (start: MediaTime, duration: MediaTime)? {
        guard let first = times.first, let last = times.last else { return nil }
        return (first, last - first + lastFrameDuration)
    }

    private var lastFrameDuration: MediaTime {
        if lastDuration.isNumeric && lastDuration.value > 0 { return lastDuration }
        return times.count > 1 ? times[times.count - 1] - times[times.count - 2] : MediaTime(value: 1, timescale: 30)
    }

    var seconds: Double {
        timeRange.map { $0.duration.seconds } ?? 0
    }

    /// The duration as the encoder counts it: a gap counts for a second at most, and the last frame lasts as long as the
    /// previous one.
    var countedSeconds: Double {
        guard times.count > 1 else { return seconds }
        var sum = 0.0
        var gap = 0.0
        for index in 1..<times.count {
            gap = min((times[index] - times[index - 1]).seconds, Self.longestGap)
            sum += gap
        }
        return sum + gap
    }

    /// Removes the frames of a first pass that failed.
    mutating func removeAll() {
        times.removeAll()
        keyFrames.removeAll()
    }
}
