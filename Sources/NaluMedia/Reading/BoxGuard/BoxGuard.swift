internal import NaluBase
private import NaluLibc

/// Stands between an input and libavformat's mov demuxer, which allocates tables as large as a count in the file
/// states.
///
/// libavformat 59 to 61 (FFmpeg 5.1 to 7) do so: a file of 1 kB can use 4 GB. libavutil only offers a limit for the
/// entire process, which includes other users of FFmpeg (`av_max_alloc`).
///
/// The guard also notes the edit lists and the negative composition offsets of fragments, which libavformat does not
/// publish, and corrects the duration of an edit that lasts to the end of the media, and the sample entries of
/// uncompressed audio. Without it, the reader returns the same samples of every other file that is not hostile.
///
/// Only claims that cost memory are refused. Unknown boxes pass. If the data after the last box is no box, the input
/// ends there.
///
/// The guard follows the boxes at the top of the file. Media data passes. A box that contains counts is held until all
/// of its bytes have been examined (``BoxCheck``). If a count is larger than the input allows, the input ends.
final class BoxGuard: ByteInput {
    private let base: any ByteInput
    private let signals: ReaderSignals
    private let ledger = BoxLedger()
    private var isWatching = true
    /// The offset of the next byte that is handed out.
    private var position: Int64 = 0
    /// Bytes around the position, and the offset of the first one.
    private var held: [UInt8] = []
    private var heldStart: Int64 = 0
    /// The known offsets at which boxes begin: those after other boxes, and those that indexes state.
    private var starts = SortedPlaces([0])
    private var targets = SortedPlaces([])
    /// The end of an ID3v2 tag in front of the file, where a second tag may follow.
    private var tagEnd: Int64 = 0
    private var hasLanded = false
    /// Boxes that follow one another from the beginning: the last one, if it is indispensable, and the offset of the
    /// next one.
    private var last: (type: BoxType, start: Int64)?
    private var following: Int64 = 0
    private var hasMovie = false
    /// The offset after which the data contains no more boxes.
    private var trailing = Int64.max

    /// The number of bytes that hold a box's header, and that reveal a moov under another type.
    private static let headLength = 32
    /// The largest number of bytes of a box that are held.
    private static let mostHeld: Int64 = 256 << 20

    init(_ base: any ByteInput, signals: ReaderSignals) {
        self.base = base
        self.signals = signals
    }

    var canSeek: Bool { base.canSeek }
    /// The furthest offset that has been read.
    var arrived: Int64 { ledger.arrived }
    /// True if a segment index has arrived.
    var hasSegmentIndex: Bool { ledger.hasSegmentIndex }
    /// True if an mp4 or mov states a clean aperture that is smaller than the pictures.
    var hasCleanAperture: Bool { ledger.hasCleanAperture }
    var size: Int64 { base.size }
    /// True if the file has fragments, or announces them.
    var hasFragments: Bool { ledger.hasFragments }
    /// The units per second of the durations in edit lists; 0 if not known.
    var movieTimescale: Int64 { ledger.movieTimescale }

    /// Returns the edit list of a track; nothing if it has none.
    func edits(ofTrack index: Int) -> [Edit] { ledger.edits(ofTrack: index) }

    /// Returns the units by which libavformat presents a sample late, because a fragment has negative composition offsets.
    func lateness(ofTrack id: UInt32, sampleAt place: Int64) -> Int64 {
        ledger.lateness(ofTrack: id, sampleAt: place)
    }

    /// The reason why the guard ended the input before its end; nil if it did not.
    var refusal: NaluError? { ledger.refusal }

    /// Describes, for an error message, the box that ends beyond an input of this size; nil if there is none.
    func fault(atSize size: Int64) -> String? {
        guard isWatching, let last, following > size else { return nil }
        return "its box \(last.type.name) at byte \(last.start) has \(following - last.start) bytes, of which "
            + "\(size - last.start) are there"
    }

    /// True if the last box contains media data, some of which samples may not use.
    var endsInMediaData: Bool { last?.type == "mdat" }

    /// Stops the checks, because the demuxer in use does not read boxes.
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

    /// Reads from the input directly.
    private func pass(_ bytes: UnsafeMutableRawBufferPointer, _ wanted: Int) -> Int {
        let count = unsafe base.read(UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]))
        if count > 0 {
            position += Int64(count)
            ledger.arrived = max(ledger.arrived, position)
        }
        return count
    }

    /// Reads after a seek to an offset where no box is known. Usually a sample lies there.
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
            // Bytes that were read beyond `count` must still be handed out.
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
                // If the size of the input is not known, this failure shows that the data last taken for a box is none.
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

    /// The bytes that are held from the position on.
    private var ahead: ArraySlice<UInt8> { held.dropFirst(Int(clamping: max(0, position - heldStart))) }

    /// Holds `length` bytes from the position on, or as many as there are. Returns 0 or a negative errno number.
    private func hold(_ length: Int64) -> Int {
        if Int64(ahead.count) >= length { return 0 }
        if heldStart < position {
            held = Array(held.dropFirst(Int(min(position - heldStart, Int64(held.count)))))
        }
        heldStart = position
        while Int64(held.count) < length {
            if signals.isCancelled { return -Int(ECANCELED) }
            let before = held.count
            // The buffer grows by the bytes that are missing, but at most doubles, because the stated length may be
            // false.
            let chunk = max(65536, min(Int(min(length, Self.mostHeld)) - before, before))
            let count = unsafe held.append(capacity: chunk) { room in unsafe base.read(room) }
            if count < 0 { return count }
            if count == 0 { break }
            ledger.arrived = max(ledger.arrived, heldStart + Int64(held.count))
        }
        return 0
    }

    /// Examines the box at the position. Returns 0 or a negative errno number.
    private func look() -> Int {
        let failure = hold(Int64(Self.headLength))
        if failure != 0 { return failure }
        skipTag()
        let size = size
        let end = size >= 0 ? size : Int64.max
        let head = BoxCheck(ahead, at: position, inputEnd: end, ledger)
        guard let box = head.box(at: position, within: .max) else { return 0 }
        // If a box of another type is incomplete at the end of the input, neither a sample nor an index is missing.
        let isTrailing = hasMovie && position == following && !BoxType.indispensable.contains(box.type)
        if isTrailing && box.end > end {
            trailing = position
            return 0
        }
        if box.end < end { starts.insert(box.end) }
        if position == following {
            // A size of 0 means the rest of the file.
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
        // Bytes that are missing at the end of the input do not exist, whatever size it states.
        let inputEnd = isWhole ? end : position + Int64(ahead.count)
        var check = BoxCheck(ahead.prefix(Int(clamping: length)), at: position, inputEnd: inputEnd, ledger)
        check.run()
        for (place, value) in ledger.takeCorrections() {
            let index = Int(place - heldStart)
            guard held.indices.contains(index), held.indices.contains(index + 3) else { continue }
            for byte in 0..<4 { held[index + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * byte)) }
        }
        for target in check.targets where target < end { targets.insert(target) }
        return ledger.refusal == nil ? 0 : -Int(EBADMSG)
    }

    /// Skips ID3v2 tags in front of a file, as libavformat does.
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

/// Offsets in a file, sorted and without duplicates.
private struct SortedPlaces {
    private var places: [Int64]

    init(_ places: [Int64]) {
        self.places = places
    }

    /// Returns the index of the first offset at or after `place`.
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

    /// Returns the first offset after `place`; `Int64.max` if there is none.
    func next(after place: Int64) -> Int64 {
        let index = index(from: place + 1)
        return index < places.count ? places[index] : .max
    }

    mutating func insert(_ place: Int64) {
        // Usually the offsets are inserted in order.
        if let last = places.last, last >= place {
            let index = index(from: place)
            if places[index] != place { places.insert(place, at: index) }
        } else {
            places.append(place)
        }
    }
}
