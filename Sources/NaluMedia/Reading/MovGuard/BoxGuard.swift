internal import NaluBase
private import NaluLibc

/// Stands between an input and libavformat's mov demuxer, which makes tables as large as a count in the file says.
///
/// Needed for libavformat 59 to 61 (FFmpeg 5.1 to 7), which do so: a file of 1 kB can take 4 GB. What libavutil
/// offers against it (`av_max_alloc`) is a limit for the whole process, other users of FFmpeg in it included. Nothing else
/// of the reader depends on this folder: without it the reader gives the same samples of every file that is not hostile.
///
/// Only what costs memory is refused. A box that nobody knows passes by, and what follows the last box and is none itself
/// is the end of the input.
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
    /// The last box of those that follow one another from the beginning, if it is indispensable, and where the next begins.
    private var last: (type: BoxType, start: Int64)?
    private var following: Int64 = 0
    private var hasMovie = false
    /// Where there is no box any more, but something else.
    private var trailing = Int64.max

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
    /// Whether a segment index has come.
    var hasSegmentIndex: Bool { ledger.hasSegmentIndex }
    var size: Int64 { base.size }

    /// Why the input ended before its end.
    var refusal: NaluError? { ledger.refusal }

    /// The sentence for a box that ends behind an input of that size.
    func fault(atSize size: Int64) -> String? {
        guard isWatching, let last, following > size else { return nil }
        return "its box \(last.type.name) at byte \(last.start) has \(following - last.start) bytes, of which "
            + "\(size - last.start) are there"
    }

    /// Whether the last box holds media data, of which samples need not use all.
    var endsInMediaData: Bool { last?.type == "mdat" }

    /// Only one demuxer reads boxes.
    func stop() {
        isWatching = false
    }

    // MARK: - Reading

    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        if !isWatching && held.isEmpty { return unsafe base.read(bytes) }
        if position >= trailing { return 0 }
        if hasLanded {
            hasLanded = false
            if isWatching && !isStart(position) { return unsafe readLanded(bytes) }
        }
        if isWatching && isStart(position) {
            let failure = look()
            if failure != 0 { return failure }
        }
        if position >= trailing { return 0 }
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
            if failure != 0 {
                // Where the size is not known, it shows here that what was taken for a box is none.
                guard isWatching, hasMovie, size < 0, offset == following, last == nil else { return failure }
                trailing = offset
            }
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
        // Where the end of another one is missing, neither a sample nor an index is.
        let isTrailing = hasMovie && position == following && !BoxType.indispensable.contains(box.type)
        if isTrailing && box.end > end {
            trailing = position
            return 0
        }
        if box.end < end { starts.insert(box.end) }
        if position == following {
            // A size of 0 is the rest of the file.
            following = tagEnd > position ? tagEnd : box.end < .max ? box.end : following
            last = BoxType.indispensable.contains(box.type) ? (box.type, position) : nil
            hasMovie = hasMovie || box.type == "moov"
        }
        guard BoxType.watched.contains(box.type) else { return 0 }
        let length = min(min(box.end, end) - position, Self.mostHeld)
        let failed = hold(length)
        if failed != 0 { return failed }
        ledger.size = size
        let isWhole = Int64(ahead.count) >= length
        if isTrailing && !isWhole {
            trailing = position
            return 0
        }
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

/// Places in a file, in order, each once.
private struct SortedPlaces {
    private var places: [Int64]

    init(_ places: [Int64]) {
        self.places = places
    }

    /// The first of those at or after `place`.
    private func index(from place: Int64) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func contains(_ place: Int64) -> Bool {
        let index = index(from: place)
        return index < places.count && places[index] == place
    }

    /// `Int64.max` where there is none.
    func next(after place: Int64) -> Int64 {
        let index = index(from: place + 1)
        return index < places.count ? places[index] : .max
    }

    mutating func insert(_ place: Int64) {
        // Mostly they come in order.
        if let last = places.last, last >= place {
            let index = index(from: place)
            if places[index] != place { places.insert(place, at: index) }
        } else {
            places.append(place)
        }
    }
}
