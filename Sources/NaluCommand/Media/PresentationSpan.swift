internal import Nalu

/// The duration of samples that arrive in any order.
struct PresentationSpan {
    private var start: MediaTime?
    private var end: MediaTime?
    private var count = 0
    /// True if the last sample in display order has a duration.
    private var isEndKnown = true

    mutating func add(_ sample: Sample) {
        add(sample.presentationTime, sample.duration)
    }

    mutating func add(_ time: MediaTime, _ duration: MediaTime) {
        count += 1
        let over = duration.isNumeric ? time + duration : time
        start = start.map { min($0, time) } ?? time
        if end.map({ $0 < over }) ?? true {
            end = over
            isEndKnown = duration.isNumeric
        }
    }

    var seconds: Double {
        guard let start, let end else { return 0 }
        let seconds = (end - start).seconds
        // The last sample counts as long as the others on average.
        return isEndKnown || count < 2 ? seconds : seconds * Double(count) / Double(count - 1)
    }
}
