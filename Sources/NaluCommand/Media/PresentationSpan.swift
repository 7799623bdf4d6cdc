internal import Nalu

/// How long samples last that come in any order.
struct PresentationSpan {
    private var start: MediaTime?
    private var end: MediaTime?
    private var count = 0
    /// Whether the last one shown says how long it lasts.
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
        // As long as the others on average.
        return isEndKnown || count < 2 ? seconds : seconds * Double(count) / Double(count - 1)
    }
}
