/// Examines boxes that begin with a count.
extension BoxCheck {
    /// Compares the count of a table with the room in its box.
    mutating func table(_ box: Box) {
        let body = box.body
        switch box.type {
        case "stts", "ctts": entries(box, countAt: 4, of: 8)
        case "stsc": entries(box, countAt: 4, of: 12)
        case "stco", "stss", "stps": entries(box, countAt: 4, of: 4)
        case "co64": entries(box, countAt: 4, of: 8)
        case "stsz":
            if word(body + 4) == 0 { entries(box, countAt: 8, of: 4) }
        case "stz2":
            if let count = word(body + 8), let bits = byte(body + 7), bits > 0 {
                ledger.entries(
                    Int64(count), room: max(0, room(body + 12, box.end)) * 8 / Int64(bits), box.type, box.start)
            }
        // libavformat reads no other descriptions of groups.
        case "sgpd":
            guard type(body + 4) == "sync" else { return }
            let version = byte(body) ?? 0
            entries(box, countAt: version >= 2 ? 16 : version == 1 ? 12 : 8, of: 1)
        case "sbgp":
            guard let grouping = type(body + 4), grouping == "rap " || grouping == "sync" else { return }
            entries(box, countAt: byte(body) == 1 ? 12 : 8, of: 8)
        case "saiz":
            let fields: Int64 = (word(body) ?? 0) & 1 != 0 ? 12 : 4
            // One size for all samples is no table.
            if byte(body + fields) == 0 {
                entries(box, countAt: fields + 1, of: 1)
            } else if let count = word(body + fields + 1) {
                ledger.samples(Int64(count), box.type, box.start)
            }
        case "saio":
            let fields: Int64 = (word(body) ?? 0) & 1 != 0 ? 12 : 4
            entries(box, countAt: fields, of: byte(body) == 0 ? 4 : 8)
        case "senc":
            // An entry may take no bytes at all, so the entries count as samples.
            if let count = word(body + 4) {
                ledger.samples(Int64(count) - max(0, room(body + 8, box.end)) / 2, box.type, box.start)
            }
        case "pssh": protectionHeader(box)
        case "trun": run(box)
        case "sidx": segmentIndex(box)
        case "tfra": randomAccess(box)
        case "iloc":
            let version = byte(body) ?? 0
            if version >= 2 { entries(box, countAt: 6, of: 6) }
        case "iinf":
            if byte(body) != 0 { entries(box, countAt: 4, of: 8) }
        default: break
        }
    }

    /// Notes which track the next runs of samples belong to (ISO/IEC 14496-12, 8.8.7).
    mutating func fragmentHeader(_ box: Box) {
        fragmentTrack = word(box.body + 4)
    }

    private func entries(_ box: Box, countAt place: Int64, of size: Int64) {
        guard let count = word(box.body + place) else { return }
        ledger.entries(Int64(count), room: room(box.body + place + 4, box.end) / size, box.type, box.start)
    }

    /// Examines samples of a fragment (ISO/IEC 14496-12, 8.8.8). They have their own fields, or the defaults of the
    /// fragment's header.
    private func run(_ box: Box) {
        guard let flags = word(box.body), let count = word(box.body + 4) else { return }
        let fields = Int64((flags & 0xF00).nonzeroBitCount) * 4
        let fixed: Int64 = 8 + (flags & 1 != 0 ? 4 : 0) + (flags & 4 != 0 ? 4 : 0)
        if fields > 0 {
            let fitting = room(box.body + fixed, box.end) / fields
            ledger.entries(Int64(count), room: fitting, box.type, box.start)
            if flags & 0x800 != 0, let fragmentTrack {
                // The offset is the last field.
                let first = box.body + fixed + fields - 4
                let end = first + min(Int64(count), max(0, fitting)) * fields
                let places = stride(from: first, to: end, by: Int(fields))
                ledger.note(leastOffset: leastOffset(at: places), ofFragmentsOf: fragmentTrack)
            }
        } else {
            ledger.samples(Int64(count) - (box.end - box.start), box.type, box.start)
        }
    }

    /// Returns the lowest of the composition offsets at `places`, at most 0. libavformat reads all of them as signed.
    private func leastOffset(at places: some Sequence<Int64>) -> Int64 {
        var least: Int64 = 0
        for place in places {
            // The box can claim more bytes than there are.
            guard let value = word(place) else { break }
            least = min(least, Int64(Int32(bitPattern: value)))
        }
        return least
    }

    private func protectionHeader(_ box: Box) {
        var at = box.body + 20
        if byte(box.body) != 0 {
            guard let count = word(at) else { return }
            ledger.entries(Int64(count), room: room(at + 4, box.end) / 16, box.type, box.start)
            at += 4 + 16 * Int64(count)
        }
        guard let length = word(at) else { return }
        ledger.bytes(Int64(length), room: room(at + 4, box.end), box.type, box.start)
    }

    /// Examines a segment index (ISO/IEC 14496-12, 8.16.3).
    private mutating func segmentIndex(_ box: Box) {
        ledger.hasSegmentIndex = true
        let isLong = byte(box.body) != 0
        var at = box.body + 12
        let first = isLong ? long(at + 8) : word(at + 4).map(Int64.init)
        at += isLong ? 16 : 8
        guard var target = first.map({ box.end &+ $0 }), let count = short(at + 2) else { return }
        ledger.fragments(Int64(count), ofBytes: 12, box.type, box.start)
        at += 4
        for _ in 0..<count {
            guard let size = word(at), target >= 0 else { return }
            lead(to: target)
            target = target &+ Int64(size & 0x7FFF_FFFF)
            at += 12
        }
    }

    /// Examines a table of random access points (ISO/IEC 14496-12, 8.8.10).
    private mutating func randomAccess(_ box: Box) {
        guard let lengths = word(box.body + 8), let count = word(box.body + 12) else { return }
        let isLong = byte(box.body) == 1
        let size = (isLong ? 16 : 8) + Int64(lengths >> 4 & 3) + Int64(lengths >> 2 & 3) + Int64(lengths & 3) + 3
        ledger.fragments(Int64(count), ofBytes: size, box.type, box.start)
        var at = box.body + 16
        for _ in 0..<count {
            guard let target = isLong ? long(at + 8) : word(at + 4).map(Int64.init) else { return }
            if target >= 0 { lead(to: target) }
            at += size
        }
    }

    // MARK: - Tables of a track

    /// Notes the values that determine the size of a track's index.
    func table(_ box: Box, of track: TrackTables) {
        let body = box.body
        switch box.type {
        case "tkhd": track.id = word(body + (byte(body) == 1 ? 20 : 12))
        case "stsz":
            track.sampleCount = Int64(word(body + 8) ?? 0)
            track.constantSizes = word(body + 4) == 0 ? nil : box.start
        case "stz2":
            track.sampleCount = Int64(word(body + 8) ?? 0)
            track.constantSizes = nil
        case "stts":
            track.durationCount = Int64(word(body + 4) ?? 0)
            track.firstDuration = word(body + 12) ?? 0
            track.tableDuration = mediaDuration(box)
        case "stco", "co64": track.chunkCount = max(track.chunkCount, Int64(word(body + 4) ?? 0))
        case "stsc":
            // libavformat uses only the first table.
            guard track.runs.isEmpty, let count = word(body + 4) else { return }
            for index in 0..<Int64(count) {
                guard let first = word(body + 8 + 12 * index), let samples = word(body + 12 + 12 * index),
                    body + 8 + 12 * index < box.end
                else { return }
                track.runs.append((Int64(first), Int64(samples)))
            }
        case "ctts":
            track.offsetCount = sum(box, at: 8)
            if track.kind != .audio { compositionOffsets(box, of: track) }
        case "sbgp":
            if type(body + 4) == "sync" { track.groupedCount = sum(box, at: byte(body) == 1 ? 16 : 12) }
        case "mdhd":
            let isLong = byte(body) == 1
            track.timescale = Int64(word(body + (isLong ? 20 : 12)) ?? 0)
            track.duration = (isLong ? long(body + 24) : word(body + 16).map(Int64.init)) ?? 0
        case "elst":
            track.edits = box
            track.editCount = max(0, box.end - body - 8) / (byte(body) == 1 ? 20 : 12)
            ledger.note(edits(box, count: track.editCount), ofTrackAt: track.start)
        default: break
        }
    }

    /// Refuses composition offsets that make libavformat ignore the entire table, so that all presentation times would
    /// be decode times. It does not check the last two entries (mov.c, mov_read_ctts).
    private func compositionOffsets(_ box: Box, of track: TrackTables) {
        guard let count = word(box.body + 4) else { return }
        for index in 0..<max(0, Int64(count) - 2) {
            guard let offset = word(box.body + 12 + 8 * index), box.body + 16 + 8 * index <= box.end else { return }
            let units = Int64(Int32(bitPattern: offset))
            if units.magnitude > Self.mostOffset { return ledger.refuseOffset(units, box.start) }
        }
        guard let id = track.id else { return }
        let places = stride(from: box.body + 12, to: min(box.body + 8 + 8 * max(0, Int64(count) - 2), box.end), by: 8)
        ledger.note(leastOffset: leastOffset(at: places), ofMovieOf: id)
    }

    /// The largest composition offset that libavformat reads.
    private static let mostOffset: UInt64 = 1 << 28

    /// Returns the entries of an edit list. A list that is longer than any real one has none.
    private func edits(_ box: Box, count room: Int64) -> [Edit] {
        guard let count = word(box.body + 4), count <= room, count <= 4096 else { return [] }
        let isLong = byte(box.body) == 1
        var edits: [Edit] = []
        for index in 0..<Int64(count) {
            let at = box.body + 8 + index * (isLong ? 20 : 12)
            let duration = isLong ? long(at) : word(at).map(Int64.init)
            let time = isLong ? long(at + 8) : word(at + 4).map { Int64(Int32(bitPattern: $0)) }
            guard let duration, let time, let rate = word(at + (isLong ? 16 : 8)), duration >= 0 else { return [] }
            edits.append(Edit(duration: duration, mediaTime: time, rate: rate))
        }
        return edits
    }

    /// Lengthens a last edit of duration 0 to the end of the media, which it means (ISO/IEC 14496-12 8.6.6.3).
    /// libavformat would display little or none of it. The samples determine that end: the header of the media may state
    /// a duration of 0, or of all ones.
    func lengthenLastEdit(of track: TrackTables) {
        let length = track.tableDuration > 0 ? track.tableDuration : track.duration
        guard let box = track.edits, let last = ledger.edits(ofTrackAt: track.start).last, last.duration == 0,
            last.mediaTime >= 0, last.rate != 0, track.timescale > 0, ledger.movieTimescale > 0,
            length < Int64(UInt32.max), length > last.mediaTime
        else { return }
        // Pictures are presented later than they are decoded, so the media can last longer than its stated duration.
        let units = (2 * length).multipliedReportingOverflow(by: ledger.movieTimescale)
        let duration = (units.partialValue - 1) / track.timescale + 1
        guard !units.overflow, duration <= Int64(Int32.max) else { return }
        let isLong = byte(box.body) == 1
        let at = box.body + 8 + Int64(ledger.edits(ofTrackAt: track.start).count - 1) * (isLong ? 20 : 12)
        ledger.lengthen(last, at: at + (isLong ? 4 : 0), to: duration, ofTrackAt: track.start)
    }

    /// Notes the units per second of a movie's header.
    func movieHeader(_ box: Box) {
        guard ledger.movieTimescale == 0, let scale = word(box.body + (byte(box.body) == 1 ? 20 : 12)) else { return }
        ledger.movieTimescale = Int64(scale)
    }

    /// Returns the sum of the durations of all samples; 0 if it is too large.
    private func mediaDuration(_ box: Box) -> Int64 {
        var sum: Int64 = 0
        for index in 0..<Int64(word(box.body + 4) ?? 0) {
            let entry = box.body + 8 + 8 * index
            guard entry < box.end, let count = word(entry), let duration = word(entry + 4) else { break }
            let (units, isTooLong) = Int64(count).multipliedReportingOverflow(by: Int64(duration))
            guard !isTooLong, units < 1 << 62, sum < 1 << 62 else { return 0 }
            sum += units
        }
        return sum
    }

    /// Returns the sum of the counts of runs, in entries of 8 bytes.
    private func sum(_ box: Box, at place: Int64) -> Int64 {
        guard let count = word(box.body + place - 4) else { return 0 }
        var sum: Int64 = 0
        for index in 0..<Int64(count) {
            guard let samples = word(box.body + place + 8 * index) else { break }
            // libavformat ignores a negative count.
            if Int32(bitPattern: samples) > 0 { sum += Int64(samples) }
        }
        return sum
    }
}

/// The tables of a track, from which libavformat makes an index when it has read the track.
final class TrackTables {
    enum Kind {
        case audio
        case other
    }

    let start: Int64
    /// The track_ID of the header; nil before it.
    var id: UInt32?
    /// The kind of the track that its handler states.
    var kind: Kind?
    /// The number of entries in the table of durations, and the first duration.
    var durationCount: Int64 = 0
    var firstDuration: UInt32 = 0
    var chunkCount: Int64 = 0
    /// Runs of chunks: the first chunk, and the number of samples in each chunk.
    var runs: [(first: Int64, count: Int64)] = []
    var sampleCount: Int64 = 0
    /// The offset of the box that states one size for all samples, in which case no table backs their number; otherwise
    /// nil.
    var constantSizes: Int64?
    /// The sums of the runs: of the composition offsets, and of the groups of sync samples.
    var offsetCount: Int64 = 0
    var groupedCount: Int64 = 0
    var editCount: Int64 = 0
    /// The box of the edit list.
    var edits: BoxCheck.Box?
    /// The units per second of the media, and the duration that its header states; 0 if not known.
    var timescale: Int64 = 0
    var duration: Int64 = 0
    /// The sum of the durations of all samples; 0 if not known.
    var tableDuration: Int64 = 0

    init(_ start: Int64) {
        self.start = start
    }

    /// Counts the entries of the track's index.
    func settle(_ ledger: BoxLedger) {
        // libavformat makes no index if one of these is missing.
        guard chunkCount > 0, durationCount > 0, !runs.isEmpty else { return }
        var indexed = sampleCount
        if kind == .audio && durationCount == 1 && firstDuration == 1 {
            // libavformat reads uncompressed audio in packets of 160 samples or more. The index has an entry for each
            // packet and one for each chunk.
            let pieces = piecesOfChunks()
            ledger.samples(pieces, "stsc", start)
            indexed = pieces + chunkCount
        } else if let place = constantSizes {
            ledger.samples(sampleCount, "stsz", place)
        }
        if editCount > 0 { ledger.edits(editCount, of: indexed, start + 1) }
        if groupedCount > 0 {
            ledger.offsets(offsetCount, "ctts", start + 2)
            ledger.offsets(groupedCount, "sbgp", start + 3)
        }
    }

    private func piecesOfChunks() -> Int64 {
        var sum: Int64 = 0
        for (index, run) in runs.enumerated() {
            let next = index + 1 < runs.count ? runs[index + 1].first : chunkCount + 1
            let chunks = next > run.first && next <= chunkCount + 1 ? next - run.first : chunkCount
            sum = min(1 << 56, sum + chunks * (run.count / 160))
        }
        return sum
    }
}
