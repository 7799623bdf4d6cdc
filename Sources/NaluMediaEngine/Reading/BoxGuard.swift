internal import NaluBase
private import NaluLibc

/// Stands between an input and libavformat's mov demuxer, which makes tables as large as a count in the file says.
///
/// It follows the boxes at the top of the file. Media data passes by; a box that has counts in it is held, as its bytes
/// come, until all of it has been looked at (``BoxCheck``). Where a count is more than the input can hold, the input ends.
final class BoxGuard: ByteInput {
    private let base: any ByteInput
    private let signals: ReaderSignals
    private let ledger = BoxLedger()
    private var isWatching = true
    /// Of the next byte that is handed out.
    private var position: Int64 = 0
    /// Bytes around the position, and where they begin.
    private var held: [UInt8] = []
    private var heldStart: Int64 = 0
    /// Where boxes begin, as far as it is known: after others, and where indexes lead to.
    private var starts = SortedPlaces([0])
    private var targets = SortedPlaces([])
    /// Where a second tag may follow one that is in front of the file.
    private var tagEnd: Int64 = 0
    private var hasLanded = false
    /// The last box of those that follow one another from the beginning, and where the next one begins.
    private var last: (type: BoxType, start: Int64)?
    private var following: Int64 = 0

    /// What a box begins with, and what gives away a moov under another type.
    private static let headLength = 32
    /// Boxes are held up to here.
    private static let mostHeld: Int64 = 256 << 20

    init(_ base: any ByteInput, signals: ReaderSignals) {
        self.base = base
        self.signals = signals
    }

    var canSeek: Bool { base.canSeek }
    /// Bytes up to the furthest that has been read.
    var arrived: Int64 { ledger.arrived }
    var size: Int64 { base.size }

    /// Why the input ended before its end.
    var refusal: NaluError? { ledger.refusal }

    /// The sentence for a box that ends behind an input of that size.
    func fault(atSize size: Int64) -> String? {
        guard isWatching, let last, following > size else { return nil }
        return "its box \(last.type.name) at byte \(last.start) has \(following - last.start) bytes, of which "
            + "\(size - last.start) are there"
    }

    /// Only one demuxer reads boxes.
    func stop() {
        isWatching = false
    }

    // MARK: - Reading

    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        if !isWatching && held.isEmpty { return unsafe base.read(bytes) }
        if hasLanded {
            hasLanded = false
            if isWatching && !isStart(position) { return unsafe readLanded(bytes) }
        }
        if isWatching && isStart(position) {
            let failure = look()
            if failure != 0 { return failure }
        }
        let wanted = min(Int64(bytes.count), next(after: position) - position)
        let left = heldStart + Int64(held.count) - position
        guard left > 0 else {
            held = []
            return unsafe pass(bytes, Int(wanted))
        }
        let count = Int(min(wanted, left))
        let first = Int(position - heldStart)
        unsafe held.withUnsafeBytes { source in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[first..<first + count]))
        }
        position += Int64(count)
        return count
    }

    /// Straight from the input.
    private func pass(_ bytes: UnsafeMutableRawBufferPointer, _ wanted: Int) -> Int {
        let count = unsafe base.read(UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]))
        if count > 0 {
            position += Int64(count)
            ledger.arrived = max(ledger.arrived, position)
        }
        return count
    }

    /// After a seek to where no box is known: mostly it is a sample.
    private func readLanded(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        let place = position
        let count = unsafe pass(bytes, Int(min(Int64(bytes.count), next(after: position) - position)))
        guard count > 0 else { return count }
        unsafe held = Array(UnsafeRawBufferPointer(rebasing: bytes[..<min(count, Self.headLength)]))
        heldStart = place
        position = place
        if count < Self.headLength {
            let failure = hold(Int64(Self.headLength))
            if failure != 0 { return failure }
        }
        let check = BoxCheck(held[...], at: place, inputEnd: .max, ledger)
        guard let box = check.box(at: place, within: .max), BoxType.landmarks.contains(box.type) else {
            // What was read beyond is still to be handed out.
            if held.count <= count { held = [] }
            position = place + Int64(count)
            return count
        }
        unsafe held = Array(UnsafeRawBufferPointer(rebasing: bytes[..<count])) + held.dropFirst(count)
        starts.insert(place)
        return unsafe read(bytes)
    }

    func seek(to offset: Int64) -> Int32 {
        guard isWatching || !held.isEmpty else { return base.seek(to: offset) }
        if offset < heldStart || offset >= heldStart + Int64(held.count) {
            let failure = base.seek(to: offset)
            if failure != 0 { return failure }
            held = []
            heldStart = offset
            hasLanded = isWatching
        } else {
            hasLanded = false
        }
        position = offset
        return 0
    }

    // MARK: - Boxes

    private func isStart(_ place: Int64) -> Bool {
        starts.contains(place) || targets.contains(place)
    }

    private func next(after place: Int64) -> Int64 {
        isWatching ? min(starts.next(after: place), targets.next(after: place)) : .max
    }

    /// What is held from the position on.
    private var ahead: ArraySlice<UInt8> { held.dropFirst(Int(clamping: max(0, position - heldStart))) }

    /// Holds so many bytes from the position on, or as many as there are. 0, or a negative errno number.
    private func hold(_ length: Int64) -> Int {
        if Int64(ahead.count) >= length { return 0 }
        if heldStart < position {
            held = Array(held.dropFirst(Int(min(position - heldStart, Int64(held.count)))))
        }
        heldStart = position
        while Int64(held.count) < length {
            if signals.isCancelled { return -Int(ECANCELED) }
            let before = held.count
            // What is still missing, but not more at a time than has come.
            let chunk = max(65536, min(Int(min(length, Self.mostHeld)) - before, before))
            held.append(contentsOf: repeatElement(0, count: chunk))
            let count = unsafe held.withUnsafeMutableBytes { room in
                unsafe base.read(UnsafeMutableRawBufferPointer(rebasing: room[before...]))
            }
            held.removeLast(chunk - max(0, count))
            if count < 0 { return count }
            if count == 0 { break }
            ledger.arrived = max(ledger.arrived, heldStart + Int64(held.count))
        }
        return 0
    }

    /// Looks at the box at the position. 0, or a negative errno number.
    private func look() -> Int {
        let failure = hold(Int64(Self.headLength))
        if failure != 0 { return failure }
        skipTag()
        let size = size
        let end = size >= 0 ? size : Int64.max
        let head = BoxCheck(ahead, at: position, inputEnd: end, ledger)
        guard let box = head.box(at: position, within: .max) else { return 0 }
        if box.end < end { starts.insert(box.end) }
        if position == following {
            // A size of 0 is the rest of the file.
            following = tagEnd > position ? tagEnd : box.end < .max ? box.end : following
            last = (box.type, position)
        }
        guard BoxType.watched.contains(box.type) else { return 0 }
        let length = min(min(box.end, end) - position, Self.mostHeld)
        let failed = hold(length)
        if failed != 0 { return failed }
        ledger.size = size
        let isWhole = Int64(ahead.count) >= length
        // What is missing at the end of the input is not there, whatever its size was said to be.
        let inputEnd = isWhole ? end : position + Int64(ahead.count)
        var check = BoxCheck(
            ahead.prefix(Int(clamping: length)), at: position, inputEnd: inputEnd, ledger)
        check.run()
        for target in check.targets where target < end { targets.insert(target) }
        return ledger.refusal == nil ? 0 : -Int(EBADMSG)
    }

    /// libavformat leaves out ID3v2 tags in front of a file.
    private func skipTag() {
        guard position == tagEnd else { return }
        let head = Array(ahead.prefix(10))
        guard head.count == 10, head.starts(with: [0x49, 0x44, 0x33]),
            head[3] != 0xFF, head[4] != 0xFF, head[6...].allSatisfy({ $0 < 0x80 })
        else { return }
        let length = head[6...].reduce(Int64(0)) { $0 << 7 | Int64($1) }
        tagEnd = position + 10 + length + (head[5] & 0x10 != 0 ? 10 : 0)
        starts.insert(tagEnd)
    }
}
