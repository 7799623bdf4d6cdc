/// Examines a box at the top of a file in the way of libavformat's mov demuxer, and counts its claims.
///
/// The rules are libavformat's. The end of a parent cuts off its children. A size of 0 means the rest of the parent. A
/// box that is smaller than its header ends its parent.
struct BoxCheck {
    /// The bytes of the box with its header, as far as the input has them.
    private let bytes: ArraySlice<UInt8>
    /// The offset of the box in the input.
    private let base: Int64
    /// The offset at which the input ends; `Int64.max` if not known.
    let inputEnd: Int64
    let ledger: BoxLedger
    /// The offsets of boxes that an index in the file states.
    private(set) var targets: [Int64] = []
    /// The track_ID of the track fragment that is being examined.
    var fragmentTrack: UInt32?

    init(_ bytes: ArraySlice<UInt8>, at base: Int64, inputEnd: Int64, _ ledger: BoxLedger) {
        self.bytes = bytes
        self.base = base
        self.inputEnd = inputEnd
        self.ledger = ledger
    }

    // MARK: - Bytes

    func byte(_ at: Int64) -> UInt8? {
        let index = at - base
        return index >= 0 && index < bytes.count ? bytes[bytes.startIndex + Int(index)] : nil
    }

    private func number(_ at: Int64, _ length: Int64) -> UInt64? {
        let index = at - base
        guard index >= 0, index <= Int64(bytes.count) - length else { return nil }
        let first = bytes.startIndex + Int(index)
        var value: UInt64 = 0
        for place in first..<first + Int(length) { value = value << 8 | UInt64(bytes[place]) }
        return value
    }

    func word(_ at: Int64) -> UInt32? { number(at, 4).map { UInt32(truncatingIfNeeded: $0) } }
    func long(_ at: Int64) -> Int64? { number(at, 8).map { Int64(bitPattern: $0) } }
    func short(_ at: Int64) -> UInt16? { number(at, 2).map { UInt16(truncatingIfNeeded: $0) } }
    func type(_ at: Int64) -> BoxType? { word(at).map { BoxType(code: $0) } }

    /// Returns the number of bytes from `at` to the end of a box that the input can contain.
    func room(_ at: Int64, _ end: Int64) -> Int64 { min(end, inputEnd) - at }

    // MARK: - Boxes

    struct Box {
        let type: BoxType
        let start: Int64
        let body: Int64
        let end: Int64
    }

    /// Returns the box that begins at `start` within a parent; nil if libavformat stops there.
    func box(at start: Int64, within end: Int64) -> Box? {
        guard start <= end - 8, let size = word(start), let type = type(start + 4) else { return nil }
        let type2 = self.type(start + 12)
        // libavformat reads a `free` or `hoov` box with the content of a `moov` as a `moov`.
        let isHidden = (type == "free" || type == "hoov") && (type2 == "mvhd" || type2 == "cmov")
        var length = Int64(size)
        var body = start + 8
        if size == 1 && start <= end - 16 {
            guard let large = long(start + 8) else { return nil }
            length = large == 8 ? 0 : large
            body += 8
        }
        if length == 0 { return Box(type: isHidden ? "moov" : type, start: start, body: body, end: end) }
        guard length >= body - start else { return nil }
        let (boxEnd, isTooFar) = start.addingReportingOverflow(length)
        return Box(type: isHidden ? "moov" : type, start: start, body: body, end: isTooFar ? end : min(boxEnd, end))
    }

    /// Examines the entire box.
    mutating func run() {
        guard let box = box(at: base, within: .max) else { return }
        visit(box, within: "root", depth: 0, nil)
    }

    private mutating func children(
        of parent: BoxType, _ start: Int64, _ end: Int64, depth: Int, _ track: TrackTables?
    ) {
        // libavformat does not descend further.
        guard depth <= 12 else { return }
        var at = start
        while ledger.refusal == nil, let box = box(at: at, within: end) {
            if parent != "moov" && (box.type == "trak" || box.type == "mdat") { return }
            visit(box, within: parent, depth: depth, track)
            at = box.end
        }
    }

    private mutating func visit(_ box: Box, within parent: BoxType, depth: Int, _ track: TrackTables?) {
        let isText = (parent == "udta" || parent == "ilst") && box.type != "covr" && box.type != "----"
        if BoxType.blocks.contains(box.type) || isText {
            ledger.bytes(box.end - box.body, room: room(box.body, box.end), box.type, box.start)
        }
        switch box.type {
        case "trak":
            let track = TrackTables(box.start)
            ledger.track(box.start)
            children(of: box.type, box.body, box.end, depth: depth + 1, track)
            track.settle(ledger)
            lengthenLastEdit(of: track)
        case "moof":
            ledger.note(fragmentAt: box.start)
            ledger.fragments(1, ofBytes: box.end - box.start, box.type, box.start)
            children(of: box.type, box.body, box.end, depth: depth + 1, track)
        case "meta":
            // The box of QuickTime has no version field. The handler box (hdlr) shows where the children begin.
            var at = box.body
            while at < box.end - 8, let type = type(at) {
                if type == "hdlr" {
                    children(of: box.type, at - 4, box.end, depth: depth + 1, track)
                    break
                }
                at += 4
            }
        case "mvhd": movieHeader(box)
        case "stsd": sampleEntries(box, depth: depth, track)
        case "keys": keys(box)
        case "----": freeForm(box)
        case "esds": streamDescriptors(box)
        case "cmov": ledger.refuseCompressed(box.start)
        case "tfhd": fragmentHeader(box)
        case "hdlr": track.map { handler(box, $0) }
        default:
            if box.type == "mvex" { ledger.hasFragments = true }
            if BoxType.tables.contains(box.type) { table(box) }
            if let track { table(box, of: track) }
            if BoxType.containers.contains(box.type) {
                children(of: box.type, box.body, box.end, depth: depth + 1, track)
            }
        }
    }

    private func handler(_ box: Box, _ track: TrackTables) {
        switch type(box.body + 8) {
        case "soun": track.kind = .audio
        case "vide", "subp", "clcp": track.kind = .other
        default: break
        }
    }

    /// Examines sample entries. Each has boxes after its fields.
    private mutating func sampleEntries(_ box: Box, depth: Int, _ track: TrackTables?) {
        guard let count = word(box.body + 4) else { return }
        var places = [box.body + 8]
        var known: Set<Int64> = [box.body + 8]
        while let place = places.popLast(), known.count <= min(4 * Int(count), 4096), ledger.refusal == nil {
            guard let size = word(place), size >= 8 else { continue }
            let end = place + Int64(size)
            // libavformat reads all bytes that the entry of a time code claims.
            if type(place + 4) == "tmcd" { ledger.bytes(end - place, room: room(place, box.end), "stsd", box.start) }
            if track?.kind != .audio { noteCleanAperture(place, end) }
            if type(place + 4) == "ipcm" { describeUncompressedAudio(place, end) }
            let fields = lengthsOfFields(place, track?.kind)
            for length in fields {
                children(of: box.type, place + length, end, depth: depth + 1, track)
            }
            // If an entry is shorter than its fields, the next entry begins after them.
            for next in [end] + fields.filter({ $0 > Int64(size) }).map({ place + $0 })
            where next < box.end && known.insert(next).inserted {
                places.append(next)
            }
        }
    }

    /// Notes whether the sample entry of a video has a clean aperture of another size than its pictures.
    private func noteCleanAperture(_ place: Int64, _ end: Int64) {
        guard let width = short(place + 32), let height = short(place + 34) else { return }
        var at = place + 86
        while let box = box(at: at, within: end), box.end > at {
            // Width and height are fractions.
            if box.type == "clap", let columns = word(box.body), let rows = word(box.body + 8),
                let perColumn = word(box.body + 4), let perRow = word(box.body + 12)
            {
                let isWhole =
                    UInt64(columns) == UInt64(width) * UInt64(perColumn)
                    && UInt64(rows) == UInt64(height) * UInt64(perRow)
                if !isWhole { ledger.hasCleanAperture = true }
                return
            }
            at = box.end
        }
    }

    /// Returns the possible lengths, in bytes, of the fields of a sample entry. As long as the handler of the track has
    /// not arrived, all lengths are possible.
    private func lengthsOfFields(_ place: Int64, _ kind: TrackTables.Kind?) -> [Int64] {
        if kind == .audio {
            // Versions 1 and 2 of QuickTime have more fields.
            let version = short(place + 16) ?? 0
            return version == 1 ? [36, 52] : version == 2 ? [36, 72] : [36]
        }
        var fields: [Int64] = kind == .other ? [16, 86] : [16, 36, 52, 72, 86]
        // The colours of a palette lie between the fields and the boxes.
        if let depth = short(place + 82), depth & 31 <= 8, short(place + 84) == 0, let first = word(place + 86),
            let last = short(place + 92), first <= 255, last <= 255
        {
            fields.append(94 + max(0, Int64(last) - Int64(first) + 1) * 8)
        }
        return fields
    }

    /// Examines metadata under custom names: boxes whose texts libavformat reads entirely.
    private func freeForm(_ box: Box) {
        var at = box.body
        while box.end - at > 12, ledger.refusal == nil, let size = word(at), size >= 12, Int64(size) <= box.end - at {
            ledger.bytes(Int64(size) - 12, room: room(at + 12, box.end), box.type, box.start)
            at += Int64(size)
        }
    }

    /// Examines the names of metadata. Each name has a size, which the end of the box does not limit.
    private func keys(_ box: Box) {
        guard let count = word(box.body + 4) else { return }
        ledger.entries(Int64(count), room: room(box.body + 8, box.end) / 8, box.type, box.start)
        var at = box.body + 8
        for _ in 0..<count {
            guard let size = word(at), size >= 8, ledger.refusal == nil else { return }
            ledger.bytes(Int64(size), room: room(at, box.end), box.type, box.start)
            at += Int64(size)
        }
    }

    /// Examines the configuration of an MPEG-4 audio decoder, which states its own length (ISO/IEC 14496-1, 7.2.6).
    private func streamDescriptors(_ box: Box) {
        var at = box.body + 4
        func descriptor() -> (tag: UInt8, length: Int64)? {
            guard let tag = byte(at) else { return nil }
            at += 1
            var length: Int64 = 0
            for _ in 0..<4 {
                guard let next = byte(at) else { return nil }
                at += 1
                length = length << 7 | Int64(next & 0x7F)
                if next & 0x80 == 0 { break }
            }
            return (tag, length)
        }
        guard let first = descriptor() else { return }
        at += 2
        if first.tag == 3 {
            guard let flags = byte(at) else { return }
            at += flags & 0x80 != 0 ? 3 : 1
            if flags & 0x40 != 0, let length = byte(at) { at += 1 + Int64(length) }
            if flags & 0x20 != 0 { at += 2 }
        }
        guard let second = descriptor(), second.tag == 4 else { return }
        at += 13
        guard let third = descriptor(), third.tag == 5 else { return }
        ledger.bytes(third.length, room: room(at, box.end), box.type, box.start)
    }

    /// Notes that an index of the file states a box at `target`.
    mutating func lead(to target: Int64) {
        targets.append(target)
    }
}
