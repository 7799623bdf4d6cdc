/// The end of a run of samples, in presentation order.
struct ChunkEnd {
    private let last: MediaTime
    private let duration: MediaTime?
    /// The time between the last two presentation times.
    private let interval: MediaTime?

    init(_ before: ChunkEnd?, _ sample: Sample) {
        let time = sample.presentationTime
        let duration = sample.duration.isNumeric && sample.duration.value > 0 ? sample.duration : nil
        guard let before else {
            (last, self.duration, interval) = (time, duration, nil)
            return
        }
        if time > before.last {
            (last, self.duration, interval) = (time, duration, time - before.last)
        } else {
            (last, self.duration) = (before.last, before.duration)
            interval = before.interval.map { min($0, before.last - time) }
        }
    }

    var time: MediaTime { last + (duration ?? interval ?? .zero) }

    /// Returns whether a chunk that begins at `beginning` begins too early or too late.
    func misses(_ beginning: MediaTime) -> (isEarly: Bool, isLate: Bool) {
        let isBefore = beginning <= last
        guard (beginning - last).isNumeric else { return (isBefore, !isBefore) }
        if let duration {
            let late = beginning - time
            let early = time - beginning
            return (isBefore || early + early > duration, late + late > duration)
        }
        return (isBefore, interval.map { beginning - last >= $0 + $0 } ?? false)
    }
}
