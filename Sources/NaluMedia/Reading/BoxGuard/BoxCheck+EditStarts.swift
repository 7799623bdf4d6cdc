/// Finds the pictures in which edits begin, by the tables of a track.
extension BoxCheck {
    /// The largest product of edits and table entries that is examined. Real files have few of one or the other.
    private static let mostComparisons: Int64 = 1 << 25

    /// Notes for each edit of a track whether it begins inside a picture.
    func noteEditStarts(of track: TrackTables) {
        let edits = ledger.edits(ofTrackAt: track.start)
        guard track.kind != .audio, let durations = track.durations, edits.contains(where: { !$0.isEmpty }) else {
            return
        }
        let runs = Int64(word(durations.body + 4) ?? 0) + Int64(track.offsets.flatMap { word($0.body + 4) } ?? 0)
        guard runs * Int64(edits.count) <= Self.mostComparisons else { return }
        var neighbours = edits.map { PictureNeighbours(of: $0.mediaTime) }
        let isReadable = forEachRun(durations, track.offsets) { run in
            for index in neighbours.indices { neighbours[index].add(run) }
        }
        guard isReadable else { return }
        let located = zip(edits, neighbours).map { edit, around in
            var located = edit
            located.start = edit.isEmpty ? nil : around.start
            return located
        }
        ledger.note(located, ofTrackAt: track.start)
    }

    /// Calls `body` with the composition times of samples that have one duration and one composition offset. Returns false
    /// if the tables have values that libavformat reads in another way.
    private func forEachRun(_ durations: Box, _ offsets: Box?, _ body: (CompositionTimes) -> Void) -> Bool {
        var (time, offset, left): (Int64, Int64, Int64) = (0, 0, 0)
        var place = offsets.map { $0.body + 8 } ?? 0
        for index in 0..<Int64(word(durations.body + 4) ?? 0) {
            let entry = durations.body + 8 + 8 * index
            guard entry < durations.end, let count = word(entry), let duration = word(entry + 4) else { return true }
            guard duration <= Int32.max else { return false }
            var rest = Int64(count)
            while rest > 0 {
                if left == 0, let offsets, place < offsets.end, let next = word(place), let value = word(place + 4) {
                    (left, offset) = (Int64(next), Int64(Int32(bitPattern: value)))
                    place += 8
                    continue
                }
                // Samples without an entry have no offset.
                if left == 0 { offset = 0 }
                let length = left > 0 ? min(left, rest) : rest
                let (distance, isTooLong) = length.multipliedReportingOverflow(by: Int64(duration))
                guard !isTooLong, distance < 1 << 60, time < 1 << 60 else { return false }
                body(CompositionTimes(first: time + offset, step: Int64(duration), count: length))
                time += distance
                rest -= length
                left = max(0, left - length)
            }
        }
        return true
    }
}

/// The composition times of samples at equal distances.
private struct CompositionTimes {
    let first: Int64
    let step: Int64
    let count: Int64
}

/// The composition times of the pictures around a time of the media.
private struct PictureNeighbours {
    private let time: Int64
    /// The last picture at or before the time, and the first one after it.
    private var before: Int64?
    private var after: Int64?

    init(of time: Int64) {
        // No picture is later, and differences of such times do not overflow.
        self.time = min(time, 1 << 61)
    }

    mutating func add(_ times: CompositionTimes) {
        let last = times.first + (times.count - 1) * times.step
        if times.first <= time {
            let steps = times.step > 0 ? min(times.count - 1, (time - times.first) / times.step) : 0
            before = max(before ?? .min, times.first + steps * times.step)
        }
        guard last > time else { return }
        let steps = times.first > time ? 0 : (time - times.first) / max(1, times.step) + 1
        after = min(after ?? .max, times.first + steps * times.step)
    }

    /// The beginning of an edit at the time; nil if a picture begins there, or none is on display.
    var start: EditStart? {
        guard let before, let after, before < time else { return nil }
        return EditStart(rest: after - time, distance: after - before)
    }
}
