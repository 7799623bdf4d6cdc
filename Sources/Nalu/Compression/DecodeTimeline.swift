/// Decode times: the n-th picture gets the n-th smallest presentation time, moved back by the reorder depth.
///
/// Presentation times grow from frame to frame, so the n-th smallest is that of the n-th frame. The first pictures
/// have no earlier frame to take a time from: theirs lie before the first presentation time, one frame apart.
struct DecodeTimeline {
    private let depth: Int
    private var times = RingBuffer<MediaTime>(capacity: 64)
    /// Pictures that still get a time before the first presentation time.
    private var leading: Int
    private var first: MediaTime?
    private var second: MediaTime?
    private var firstDuration: MediaTime?

    init(reorderDepth: Int) {
        depth = reorderDepth
        leading = reorderDepth
    }

    /// A frame was handed to the encoder.
    mutating func accept(_ time: MediaTime, duration: MediaTime) {
        if depth == 0 { return }
        times.append(time)
        if first == nil {
            first = time
            firstDuration = duration.isNumeric && duration > .zero ? duration : nil
        } else if second == nil {
            second = time
        }
    }

    /// A picture came out; `presentation` is its own time.
    mutating func next(presentation: MediaTime) -> MediaTime {
        guard depth > 0 else { return presentation }
        guard leading > 0, let first else { return times.popFirst() ?? presentation }
        let step = stepBefore(first)
        var time = first
        for _ in 0..<leading {
            time = time - step
        }
        leading -= 1
        return time
    }

    private func stepBefore(_ first: MediaTime) -> MediaTime {
        if let second {
            let step = second - first
            if step.isNumeric && step > .zero { return step }
        }
        return firstDuration ?? MediaTime(value: 1, timescale: 30)
    }
}
