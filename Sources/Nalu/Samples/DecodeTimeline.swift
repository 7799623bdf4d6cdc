/// Computes decode times: the n-th picture gets the n-th smallest presentation time, moved back by the reorder depth.
///
/// Presentation times grow from frame to frame, so that the n-th smallest is that of the n-th frame. The first pictures
/// have no earlier frame whose time they could use. Their decode times lie before the first presentation time, one
/// frame apart.
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

    /// Notes a frame that was passed to the encoder.
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

    /// Removes a frame that will not become a picture, so that later pictures are not moved back by its time too.
    mutating func lose(_ time: MediaTime) {
        if depth == 0 { return }
        var left = RingBuffer<MediaTime>(capacity: 64)
        while let other = times.popFirst() {
            if other != time { left.append(other) }
        }
        times = left
    }

    /// Returns the decode time of the next picture. `presentation` is the presentation time of that picture.
    mutating func next(presentation: MediaTime) -> MediaTime {
        guard depth > 0 else { return presentation }
        if isLeading, let first {
            // All earlier times are computed at once, because a later frame must not change their distances.
            isLeading = false
            prepend(before: first)
        }
        return times.popFirst() ?? presentation
    }

    private mutating func prepend(before first: MediaTime) {
        // If the step leaves the range of a time, the times are one unit of the first time's timescale apart.
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
            // Saturates if ``hasRoom(before:reorderDepth:)`` was not checked.
            let (value, overflow) = first.value.subtractingReportingOverflow(distance)
            time.value = overflow ? .min : value
            return time
        }
    }

    /// Whether decode times can lie before that of the first frame.
    static func hasRoom(before first: MediaTime, reorderDepth: Int) -> Bool {
        first.value >= .min + Int64(reorderDepth)
    }

    /// Returns the distance of the earlier times. It is positive and of epoch 0, so that subtracting it stays in the
    /// epoch.
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
