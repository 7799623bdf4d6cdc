internal import CFFmpeg
internal import NaluBase

/// The displayed ranges of a track whose edit list has several edits.
///
/// libavformat's index has entries of its own for each range: those from the last key frame before the range to the
/// second key frame after its end. It sets the times of the second and later ranges by the first displayed picture in
/// decode order, and not by the earliest one, so that these ranges begin some pictures too late or too early.
struct EditRanges {
    /// One range.
    struct Part {
        /// The numbers of its entries in the index.
        let entries: Range<Int32>
        /// The last displayed entry in decode order. No displayed sample needs those after it.
        let lastShown: Int32
        /// The distance from the start of the first range, in units of the track.
        let offset: Int64
        /// The kind of edit. libavformat displays every edit after the first like one of rate 1.
        let kind: Kind
        /// The displayed entry of an edit of one picture; nil until it is known.
        var onlyShown: Int32?
        /// The distance by which libavformat's times are wrong; nil until it is known.
        var shift: Int64?
    }

    /// The kind of an edit.
    enum Kind: Equatable {
        /// Presents a range of the media.
        case range
        /// Presents nothing (media_time -1).
        case nothing
        /// Presents one picture for this duration in units of the track (media_rate 0).
        case picture(Int64)
    }

    private(set) var parts: [Part] = []
    /// The number of the next packet's entry.
    private var next: Int32 = 0
    /// The number of the range of the last packet.
    private var current: Int?

    /// Returns nil if the track has at most one range.
    init?(_ stream: ContainerStream, _ edits: [Edit], timescale: Int64, movieTimescale: Int64) {
        let shown = edits.drop { $0.isEmpty }
        guard shown.count > 1 else { return nil }
        var kinds: [Int64: Kind] = [:]
        var length: Int64 = 0
        for edit in shown {
            let duration = edit.duration(per: timescale, of: movieTimescale)
            if duration > 0 { kinds[length] = edit.isEmpty ? .nothing : edit.rate == 0 ? .picture(duration) : .range }
            length = length.addingReportingOverflow(duration).partialValue
        }
        var (first, origin): (Int32, Int64?) = (0, nil)
        var (firstShown, lastShown): (Int64?, Int32) = (nil, 0)
        var before: AVIndexEntry?
        func part(endingAt end: Int32) {
            guard let firstShown else { return }
            let offset = firstShown &- (origin ?? firstShown)
            parts.append(
                Part(
                    entries: first..<end, lastShown: lastShown, offset: offset, kind: kinds[offset] ?? .range,
                    onlyShown: nil, shift: parts.isEmpty ? 0 : nil))
        }
        for number in 0..<stream.indexCount {
            guard let entry = stream.indexEntry(number) else { break }
            let isHidden = entry.flags & AVINDEX_DISCARD_FRAME != 0
            if let before, Self.begins(entry, isHidden: isHidden, after: before, kinds, origin: origin) {
                part(endingAt: number)
                (first, firstShown) = (number, nil)
            }
            if !isHidden {
                lastShown = number
                firstShown = firstShown ?? entry.timestamp
                origin = origin ?? entry.timestamp
            }
            before = entry
        }
        part(endingAt: stream.indexCount)
        guard !parts.isEmpty else { return nil }
    }

    /// Returns whether an entry begins another range. Within a range, decode times grow.
    private static func begins(
        _ entry: AVIndexEntry, isHidden: Bool, after before: AVIndexEntry, _ starts: [Int64: Kind], origin: Int64?
    ) -> Bool {
        if entry.timestamp < before.timestamp { return true }
        guard entry.flags & AVINDEX_KEYFRAME != 0 else { return false }
        if entry.timestamp == before.timestamp || entry.pos < before.pos { return true }
        // The range before ends with a displayed key frame, and this one begins with another.
        return !isHidden && before.flags & AVINDEX_KEYFRAME != 0 && before.flags & AVINDEX_DISCARD_FRAME == 0
            && origin.map { starts[entry.timestamp &- $0] != nil } == true
    }

    /// Finds a packet, which must have libavformat's times.
    ///
    /// - Returns: the number of its range, its entry, and whether it is the first packet of that range that is read;
    ///   nil if it is in no range.
    mutating func locate(_ packet: Packet, _ stream: ContainerStream) -> (part: Int, entry: Int32, isFirst: Bool)? {
        func isPacket(_ number: Int32) -> Bool {
            stream.indexEntry(number).map { $0.timestamp == packet.decode && $0.pos == packet.position } == true
        }
        if !isPacket(next) {
            // Two ranges can have the same samples with the same times.
            guard
                let found = (next..<max(next, stream.indexCount)).first(where: isPacket)
                    ?? (0..<next).first(where: isPacket)
            else { return nil }
            next = found
        }
        let entry = next
        next += 1
        guard let part = parts.firstIndex(where: { $0.entries.contains(entry) }) else { return nil }
        defer { current = part }
        return (part, entry, part != current)
    }

    mutating func restart() {
        current = nil
    }

    mutating func set(shift: Int64, of part: Int) {
        parts[part].shift = shift
    }

    mutating func set(onlyShown entry: Int32, of part: Int) {
        parts[part].onlyShown = entry
    }
}
