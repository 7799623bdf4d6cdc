internal import Nalu

/// The frame rate of streams whose ticks are finer than frames: from when pictures are shown, as picture timing messages
/// say (`cpb_removal_delay` and `dpb_output_delay`, ITU-T H.264 C.1.2 and D.2.3).
struct OutputClock {
    /// Ticks from the first buffering period on.
    private var times: [Int] = []
    private var periodCount = 0

    private static let maximumTimes = 1024

    mutating func add(_ message: SEIMessage, _ elements: [SyntaxElement]) {
        if message.type == .bufferingPeriod { periodCount += 1 }
        // The delays count from a period's first picture on, whose own counts from the period before.
        guard message.type == .pictureTiming, periodCount == 1, times.count < Self.maximumTimes, elements.count >= 2,
            elements[0].name == "cpb_removal_delay", elements[1].name == "dpb_output_delay"
        else { return }
        times.append(elements[0].value + elements[1].value)
    }

    /// Ticks a frame: the step between times that is most frequent; nil where it is not that of most frames.
    var ticks: Int? {
        let sorted = times.sorted()
        var steps: [Int: Int] = [:]
        for (first, second) in zip(sorted, sorted.dropFirst()) { steps[second - first, default: 0] += 1 }
        guard let common = steps.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), common.key > 0,
            common.value * 2 > sorted.count - 1
        else { return nil }
        return common.key
    }
}
