internal import Nalu

/// The displayed part of a track: everything between its first and last sample that is not hidden.
struct DisplayedSpan {
    private(set) var start: MediaTime?
    private(set) var last = MediaTime.invalid
    /// The latest end of a displayed sample with a duration, or ``last`` if that is later.
    private var knownEnd = MediaTime.invalid
    private(set) var hasHidden = false
    /// Hidden samples that precede the first displayed one in decode order. Later ones only update ``before`` and
    /// ``after``, the nearest hidden times on both sides.
    private var undecided: [MediaTime] = []
    private var before = MediaTime.invalid
    private var after = MediaTime.invalid

    /// Adds a sample.
    ///
    /// - Returns: false if a hidden sample lies between displayed ones.
    mutating func add(_ times: SampleTimes, isHidden: Bool) -> Bool {
        hasHidden = hasHidden || isHidden
        if !isHidden {
            take(times.presentation, times.duration)
        } else if start == nil {
            undecided.append(times.presentation)
        } else {
            place(hidden: times.presentation)
        }
        return !hasHidden || isInOnePiece
    }

    /// The end of the last displayed sample: its own, or the time of the hidden sample that follows; nil if neither is
    /// known.
    var end: MediaTime? {
        if knownEnd > last { return knownEnd }
        return after.isNumeric && after > last ? after : nil
    }

    private mutating func take(_ time: MediaTime, _ duration: MediaTime) {
        start = start.map { time < $0 ? time : $0 } ?? time
        if !last.isNumeric || time > last { last = time }
        let over = duration.isNumeric ? (time + duration) : time
        if !knownEnd.isNumeric || over > knownEnd { knownEnd = over }
        guard !undecided.isEmpty else { return }
        for hidden in undecided { place(hidden: hidden) }
        undecided = []
    }

    private mutating func place(hidden time: MediaTime) {
        guard let start else { return }
        if time < start {
            if !before.isNumeric || time > before { before = time }
        } else if !after.isNumeric || time < after {
            after = time
        }
    }

    private var isInOnePiece: Bool {
        guard let start else { return true }
        return !(before.isNumeric && before >= start)
            && !(after.isNumeric && after <= last)
    }
}

/// The edit list of a track. The track and the movie have the same unit of time.
struct EditList {
    /// The time at which display begins.
    let delay: Int64
    /// The displayed duration; nil in a fragmented movie, in which it is not known yet.
    let duration: Int64?
    /// The time in the media at which display begins.
    let mediaTime: Int64

    /// Returns a copy of the movie's index (`moov`) whose first track has this edit list. libavformat's muxer writes
    /// only an edit list that begins with the first sample in decode order.
    ///
    /// - Parameter canGrow: whether the index may become larger; true if no samples follow it.
    /// - Returns: nil if the index has no edit list that this one can replace.
    func applied(to movie: [UInt8], canGrow: Bool) -> [UInt8]? {
        var index = MovieIndex(bytes: movie)
        guard let moov = index.box("moov", in: 0..<movie.count), let track = index.box("trak", in: moov.body),
            let edits = index.box("edts", in: track.body), let list = index.box("elst", in: edits.body),
            let header = index.box("tkhd", in: track.body), list.body.count >= 8
        else { return nil }
        let isLong = movie[list.body.lowerBound] == 1
        let size = isLong ? 20 : 12
        let count = (list.body.count - 8) / size
        var entries: [UInt8] = []
        if delay > 0 {
            entries += MovieIndex.number(delay, isLong) + MovieIndex.number(-1, isLong) + [0, 1, 0, 0]
        }
        // A duration of 0 means all media that follow (ISO/IEC 14496-12, 8.6.6).
        let duration = duration ?? 0
        entries += MovieIndex.number(duration, isLong) + MovieIndex.number(mediaTime, isLong) + [0, 1, 0, 0]
        let wanted = entries.count / size
        let isFitting = isLong || max(delay, duration, mediaTime) <= Int64(Int32.max)
        guard isFitting, wanted <= count || canGrow else { return nil }
        if duration > 0 {
            index.setDuration(delay + duration, of: header, at: 20)
            index.setMovieDuration(moov)
        }
        index.set(Int64(wanted), at: list.body.lowerBound + 4, isLong: false)
        let first = list.body.lowerBound + 8
        let old = first..<first + count * size
        if wanted < count {
            // The unused bytes become a `free` box, which readers skip.
            let rest = (count - wanted) * size
            entries += MovieIndex.number(Int64(rest), false) + Array("free".utf8)
            entries += [UInt8](repeating: 0, count: rest - 8)
            index.set(Int64(list.size - rest), at: list.start, isLong: false)
        }
        let growth = entries.count - old.count
        if growth > 0 {
            for box in [moov, track, edits, list] {
                index.set(Int64(box.size + growth), at: box.start, isLong: false)
            }
        }
        index.bytes.replaceSubrange(old, with: entries)
        return index.bytes
    }
}

/// The boxes of an index in memory (ISO/IEC 14496-12, 4.2), as libavformat's muxer writes them.
private struct MovieIndex {
    var bytes: [UInt8]

    struct Box {
        let start: Int
        let size: Int
        var body: Range<Int> { start + 8..<start + size }
    }

    private func boxes(_ type: String, in range: Range<Int>) -> [Box] {
        var found: [Box] = []
        var at = range.lowerBound
        while at + 8 <= range.upperBound {
            let size = Int(word(at))
            guard size >= 8, size <= range.upperBound - at else { break }
            if bytes[at + 4..<at + 8].elementsEqual(type.utf8) { found.append(Box(start: at, size: size)) }
            at += size
        }
        return found
    }

    func box(_ type: String, in range: Range<Int>) -> Box? { boxes(type, in: range).first }

    private func word(_ at: Int) -> UInt32 { bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) } }

    static func number(_ value: Int64, _ isLong: Bool) -> [UInt8] {
        (0..<(isLong ? 8 : 4)).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    mutating func set(_ value: Int64, at place: Int, isLong: Bool) {
        let number = Self.number(value, isLong)
        bytes.replaceSubrange(place..<place + number.count, with: number)
    }

    /// Sets the duration in a header box.
    ///
    /// - Parameter place: the offset of the duration in version 0, where the two times before it have 4 bytes each.
    mutating func setDuration(_ duration: Int64, of box: Box, at place: Int) {
        let isLong = bytes[box.body.lowerBound] == 1
        let at = box.body.lowerBound + place + (isLong ? 8 : 0)
        guard at + (isLong ? 8 : 4) <= box.body.upperBound else { return }
        set(duration, at: at, isLong: isLong)
    }

    private func duration(of box: Box) -> Int64 {
        let isLong = bytes[box.body.lowerBound] == 1
        let at = box.body.lowerBound + 20 + (isLong ? 8 : 0)
        guard at + (isLong ? 8 : 4) <= box.body.upperBound else { return 0 }
        return isLong ? Int64(word(at)) << 32 | Int64(word(at + 4)) : Int64(word(at))
    }

    /// Sets the movie's duration to that of its longest track.
    mutating func setMovieDuration(_ moov: Box) {
        let durations = boxes("trak", in: moov.body).compactMap { box("tkhd", in: $0.body).map(duration(of:)) }
        guard let header = box("mvhd", in: moov.body), let longest = durations.max() else { return }
        setDuration(longest, of: header, at: 16)
    }
}
