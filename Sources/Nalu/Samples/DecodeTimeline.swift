/// Decode times: the n-th picture gets the n-th smallest presentation time, moved back by the reorder depth.
///
/// Presentation times grow from frame to frame, so the n-th smallest is that of the n-th frame. The first pictures
/// have no earlier frame to take a time from: theirs lie before the first presentation time, one frame apart.
struct DecodeTimeline {
    private let depth: Int
    private var times = RingBuffer<MediaTime>(capacity: 64)
    private var isLeading: Bool
    private var first: MediaTime?
    private var second: MediaTime?
    private var firstDuration: MediaTime?

    init(reorderDepth: Int) {
        depth = reorderDepth
        isLeading = reorderDepth > 0
    }

    /// A frame was handed to the encoder.
    mutating func accept(_ time: MediaTime, duration: MediaTime) {
        if depth == 0 { return }
        times.append(time)
        if first == nil {
            first = time
            firstDuration = duration
        } else if second == nil {
            second = time
        }
    }

    /// A frame will give no picture: later ones must not be moved back by its time as well.
    mutating func lose(_ time: MediaTime) {
        if depth == 0 { return }
        var left = RingBuffer<MediaTime>(capacity: 64)
        while let other = times.popFirst() {
            if other != time { left.append(other) }
        }
        times = left
    }

    /// A picture came out; `presentation` is its own time.
    mutating func next(presentation: MediaTime) -> MediaTime {
        guard depth > 0 else { return presentation }
        if isLeading, let first {
            // All of them at once: a frame that comes later must not change how far apart they are.
            isLeading = false
            prepend(before: first)
        }
        return times.popFirst() ?? presentation
    }

    private mutating func prepend(before first: MediaTime) {
        // Where the step leads out of what a time can say, all of them are one unit of the time's own apart.
        let earlier = Self.times(before: first, count: depth, by: step(from: first)) ?? Self.units(before: first, depth)
        var all = RingBuffer<MediaTime>(capacity: 64)
        for time in earlier.reversed() { all.append(time) }
        while let time = times.popFirst() { all.append(time) }
        times = all
    }

    private static func times(before first: MediaTime, count: Int, by step: MediaTime) -> [MediaTime]? {
        var times: [MediaTime] = []
        var time = first
        for _ in 0..<count {
            let earlier = time - step
            guard earlier.isNumeric && earlier < time else { return nil }
            times.append(earlier)
            time = earlier
        }
        return times
    }

    private static func units(before first: MediaTime, _ count: Int) -> [MediaTime] {
        (1...Int64(count)).map { distance in
            var time = first
            // Saturates where ``hasRoom(before:reorderDepth:)`` was not asked.
            let (value, overflow) = first.value.subtractingReportingOverflow(distance)
            time.value = overflow ? .min : value
            return time
        }
    }

    /// Can decode times lie before that of the first frame?
    static func hasRoom(before first: MediaTime, reorderDepth: Int) -> Bool {
        first.value >= .min + Int64(reorderDepth)
    }

    /// Positive, and of epoch 0, so that subtracting it stays in the epoch.
    private func step(from first: MediaTime) -> MediaTime {
        if let second, second.epoch == first.epoch {
            let step = second - first
            if step.isNumeric && step.value > 0 { return step }
        }
        if var duration = firstDuration, duration.isNumeric, duration.value > 0 {
            duration.epoch = 0
            return duration
        }
        return MediaTime(value: 1, timescale: 30)
    }
}
