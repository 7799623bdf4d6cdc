/// Combines the NAL units of a byte stream into access units; the access units of a frame's two fields are combined.
/// Only the bytes of the current access unit and of the beginning of the next one are kept.
struct AccessUnitAssembler<Codec: StreamCodec> {
    private typealias Picture = PartialAccessUnit<Codec.Picture>

    private struct Unit {
        /// The offset of the NAL unit's length among the kept bytes.
        var start: Int
        let mark: TimeMark?
        let position: Int
        var kind = StreamUnitKind.other
        /// Whether it is known which picture the NAL unit belongs to.
        var isDecided = false
        /// The number of bytes at which to examine the NAL unit again.
        var nextLook: Int
        var isKept = true
    }

    private let maximumSize: Int
    private let reorderDepth: Int?
    private var bytes: [UInt8] = []
    private var current = Picture()
    /// The NAL units after a slice that stand before another slice: of the same picture, of the frame's second field, or
    /// of another picture.
    private var lead: Picture?
    private var unit: Unit?
    private var codec = Codec()
    private var cache = FormatCache<FormatDescription>()
    private var isSynchronized = false
    private var marks: [TimeMark] = []
    private var markCount = 0
    private var lastMark = -1
    private(set) var statistics = StreamParserStatistics()

    /// The complete access units in decoding order, until the owner removes them.
    var output: [AccessUnit] = []
    var problem: NaluError?

    private static var lengthSize: Int { 4 }
    /// The most bytes of a slice that are read for its header.
    private static var headerSize: Int { BitReader.maximumSliceHeaderSize }

    /// Creates an assembler. `reorderDepth` overrides the depth that the stream states.
    init(maximumSize: Int, reorderDepth: Int?) {
        self.maximumSize = maximumSize
        self.reorderDepth = reorderDepth
    }

    /// The number of bytes that wait for the rest of their access unit.
    var pendingSize: Int { bytes.count }

    var hasParameterSets: Bool { codec.hasParameterSets }

    /// Sets the time of the following bytes; nil for none.
    mutating func mark(_ range: Range<Int>, time: MediaTime?) {
        // A start code may have begun in the two bytes before the range.
        marks.removeAll { $0.range.upperBound <= range.lowerBound - 2 }
        markCount += 1
        marks.append(TimeMark(range: range, number: markCount, time: time))
    }

    /// Ends the stream. Every NAL unit must have ended.
    mutating func finish() {
        cut(at: lead?.start ?? bytes.count)
        bytes.removeAll()
    }
}

// MARK: - Bytes

extension AccessUnitAssembler: ByteStreamSink {
    mutating func beginUnit(at position: Int, hasZeroByte: Bool) {
        unit = Unit(
            start: bytes.count, mark: marks.first { $0.range.contains(position) },
            position: hasZeroByte ? position - 1 : position, nextLook: Codec.headerSize)
        bytes.append(contentsOf: [0, 0, 0, 0])
    }

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        var rest = unsafe piece[...]
        while let unit, unit.isKept, !unit.isDecided, unit.nextLook <= Self.headerSize {
            let needed = unit.nextLook - (bytes.count - unit.start - Self.lengthSize)
            unsafe keep(UnsafeRawBufferPointer(rebasing: rest.prefix(needed)))
            guard unsafe rest.count >= needed, self.unit?.isKept == true else { return }
            unsafe rest = rest.dropFirst(needed)
            look(isComplete: false)
        }
        unsafe keep(UnsafeRawBufferPointer(rebasing: rest))
    }

    mutating func append(zeros: Int) {
        // Zeros beyond the limit need not be stored to know that the limit is exceeded.
        let count = min(zeros, maximumSize + 1)
        var left = count
        unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { block in
            unsafe block.initializeMemory(as: UInt8.self, repeating: 0)
            while left > 0 {
                unsafe append(UnsafeRawBufferPointer(rebasing: block[..<min(left, 256)]))
                left -= 256
            }
        }
    }

    mutating func endUnit() {
        if let unit, unit.isKept, !unit.isDecided, bytes.count > unit.start + Self.lengthSize {
            look(isComplete: true)
        }
        guard let unit else { return }
        self.unit = nil
        let size = bytes.count - unit.start - Self.lengthSize
        guard unit.isKept, size > 0 else {
            bytes.removeLast(min(bytes.count, max(0, bytes.count - unit.start)))
            return
        }
        var isParameterSet = false
        switch unit.kind {
        case .sequenceParameterSet, .otherParameterSet:
            let changes = codec.tally.changes
            takeParameterSet(unit)
            // Parameter sets that change before a second field are not in the format description of its frame.
            if lead != nil, codec.tally.changes != changes {
                lead?.sets.append(unit.start..<bytes.count)
            } else {
                isParameterSet = true
            }
        case .messages: lookAtMessages(unit)
        case .endOfSequence: codec.endSequence()
        default: break
        }
        if isParameterSet || (lead ?? current).isDropped {
            bytes.removeLast(bytes.count - unit.start)
            return
        }
        let length = UInt32(truncatingIfNeeded: size)
        for (index, shift) in [24, 16, 8, 0].enumerated() {
            bytes[unit.start + index] = UInt8(truncatingIfNeeded: length &>> UInt32(shift))
        }
    }

    private mutating func keep(_ piece: UnsafeRawBufferPointer) {
        guard let unit, unit.isKept, unsafe !piece.isEmpty else { return }
        while bytes.count + piece.count > maximumSize {
            passLimit()
            guard self.unit?.isKept == true else { return }
        }
        unsafe bytes.append(contentsOf: piece)
    }

    /// Drops the current access unit, because it is too large.
    private mutating func passLimit() {
        if !(current.isDropped && lead == nil) {
            statistics.droppedAccessUnits += 1
            report(
                .outOfRange,
                "an access unit has more than maximum_access_unit_size, \(maximumSize) bytes; "
                    + "what follows is left out up to the next key frame")
        }
        if let other = lead { current.take(other) }
        lead = nil
        current.sets = []
        current.isDropped = true
        isSynchronized = false
        if let unit, !unit.isDecided, unit.start > 0 {
            // The NAL unit may belong to the next access unit.
            bytes.removeFirst(unit.start)
            self.unit?.start = 0
        } else {
            bytes.removeAll()
            unit?.start = 0
            unit?.isKept = false
        }
    }
}

// MARK: - Pictures

extension AccessUnitAssembler {
    /// Determines the picture of the current NAL unit, as soon as enough of it has arrived.
    private mutating func look(isComplete: Bool) {
        guard let unit else { return }
        let start = unit.start + Self.lengthSize
        let (kind, place) = Codec.look(bytes[start], bytes.count > start + 1 ? bytes[start + 1] : nil)
        self.unit?.kind = kind
        switch kind {
        case .malformed:
            return drop(
                "a NAL unit begins with 0x\(String(bytes[start], radix: 16)), which is not a valid header")
        case .slice:
            return lookAtSlice(isComplete: isComplete)
        default:
            break
        }
        self.unit?.isDecided = true
        if place != .anywhere, current.sliceCount > 0 {
            if place == .beforeSlice || (current.content.mayHaveSecondField && !current.isDropped) {
                lead = lead ?? Picture(start: unit.start)
            } else {
                cut(at: lead?.start ?? unit.start)
            }
        }
        join()
    }

    /// Adds the current NAL unit to its picture.
    private mutating func join() {
        func join(_ picture: inout Picture, _ unit: Unit) {
            guard !picture.hasUnits else { return }
            picture.hasUnits = true
            picture.mark = unit.mark
            picture.position = unit.position
        }
        guard let unit else { return }
        if var picture = lead {
            join(&picture, unit)
            lead = picture
        } else {
            join(&current, unit)
        }
    }

    private mutating func lookAtSlice(isComplete: Bool) {
        guard let unit else { return }
        let size = min(bytes.count - unit.start - Self.lengthSize, Self.headerSize)
        let isLast = isComplete || size == Self.headerSize
        guard isLast || size >= 16 else { return lookLater() }
        let head = Array(bytes[(unit.start + Self.lengthSize)..<(unit.start + Self.lengthSize + size)])
        do throws(NaluError) {
            let slice = try codec.slice(head)
            self.unit?.isDecided = true
            add(slice)
        } catch {
            guard isLast else { return lookLater() }
            if current.sliceCount > 0, Codec.beginsPicture(head) { cut(at: lead?.start ?? unit.start) }
            self.unit?.isDecided = true
            join()
            mergeLead()
            current.sliceCount += 1
            drop(error.message)
        }
    }

    private mutating func lookLater() {
        guard let look = unit?.nextLook else { return }
        unit?.nextLook = max(64, look * 2)
    }

    private mutating func mergeLead() {
        guard let other = lead else { return }
        current.take(other)
        lead = nil
        // An access unit that is too large is dropped as a whole.
        guard current.isDropped, let start = unit?.start, start > other.start else { return }
        bytes.removeSubrange(other.start..<start)
        unit?.start = other.start
        current.sets = []
    }

    private mutating func add(_ slice: Codec.Picture.Slice) {
        guard let unit else { return }
        if slice.isPrimary, begins(slice) {
            if current.content.isSecondField(slice) {
                mergeLead()
                current.content.beginSecondField()
                let order = codec.place(slice, isSynchronized: isSynchronized).order
                current.place.order = min(current.place.order, order)
            } else {
                cut(at: lead?.start ?? unit.start)
            }
        } else {
            mergeLead()
        }
        join()
        current.sliceCount += 1
        current.keepSets()
        guard slice.isPrimary else { return }
        let isFirst = !current.content.hasSlices
        current.content.add(slice)
        if isFirst { activate(slice) }
    }

    private func begins(_ slice: Codec.Picture.Slice) -> Bool {
        guard current.content.hasSlices else { return current.sliceCount > 0 && slice.isFirstOfPicture }
        return current.content.isFollowed(by: slice)
    }

    /// Activates the parameter sets of a picture, which its first slice names.
    private mutating func activate(_ slice: Codec.Picture.Slice) {
        current.place = codec.place(slice, isSynchronized: isSynchronized)
        if let timing = current.timing {
            current.fields = DisplayedFields(slice.elements(ofTiming: timing)) ?? .frame
        }
        do throws(NaluError) {
            try codec.activate(slice)
        } catch {
            isSynchronized = false
            report(error.status, error.message)
        }
        do throws(NaluError) {
            let codec = codec
            current.format = try cache.format(of: slice.sequenceID, codec.tally) { () throws(NaluError) in
                try codec.formatUnits(for: slice)
            } make: { (units) throws(NaluError) in
                try FormatDescription(Codec.videoCodec, parameterSets: units)
            }
        } catch {
            report(error.status, error.message)
        }
        if codec.hasGap(before: slice) { statistics.frameNumberGaps += 1 }
    }
}

// MARK: - Content

extension AccessUnitAssembler {
    private func content(of unit: Unit) -> [UInt8] {
        Array(bytes[(unit.start + Self.lengthSize)...])
    }

    private mutating func takeParameterSet(_ unit: Unit) {
        let wasEmpty = !hasParameterSets
        do throws(NaluError) {
            try codec.add(parameterSet: content(of: unit))
        } catch {
            statistics.droppedUnits += 1
            return report(error.status, error.message)
        }
        if unit.kind == .sequenceParameterSet {
            if lead == nil { current.hasSequence = true } else { lead?.hasSequence = true }
        }
        if wasEmpty, hasParameterSets {
            statistics.skippedBytes = UInt64((lead ?? current).position ?? unit.position)
        }
    }

    private mutating func lookAtMessages(_ unit: Unit) {
        for message in Codec.messages(of: content(of: unit)) {
            switch message.type {
            case .recoveryPoint:
                if lead == nil { current.isRecoveryPoint = true } else { lead?.isRecoveryPoint = true }
            case .pictureTiming:
                if lead == nil { current.timing = message } else { lead?.timing = message }
            default: break
            }
        }
    }

    /// Drops the current NAL unit, because it cannot be used.
    private mutating func drop(_ message: String) {
        unit?.isDecided = true
        unit?.isKept = false
        if let start = unit?.start { bytes.removeLast(bytes.count - start) }
        // A receiver that joins a stream late cannot use NAL units that refer to the beginning. They are not counted.
        guard hasParameterSets else { return }
        statistics.droppedUnits += 1
        report(.badData, message)
    }

    private mutating func report(_ status: Status, _ message: String) {
        if problem == nil { problem = NaluError(status, message) }
    }

    /// Ends the current access unit, whose bytes reach up to `end`. Later bytes belong to the next access unit.
    private mutating func cut(at end: Int) {
        let picture = current
        let time = claim(picture.mark)
        if picture.content.hasSlices, let format = picture.format, !picture.isDropped, end > 0 {
            isSynchronized = isSynchronized || picture.isStart
            if isSynchronized, !picture.place.isLeftOut {
                let depth = reorderDepth ?? format.sequence.outputDelay
                output.append(
                    AccessUnit(
                        bytes: Self.removing(picture.sets, from: bytes[..<end]), format: format,
                        attachments: picture.content.attachments(
                            isRecoveryPoint: picture.isRecoveryPoint, reorders: depth > 0),
                        order: picture.place.order, restartsOrder: picture.place.restartsOrder, time: time,
                        fields: picture.fields))
            } else {
                statistics.droppedAccessUnits += 1
            }
        } else if picture.sliceCount > 0, !picture.isDropped, hasParameterSets {
            statistics.droppedAccessUnits += 1
        }
        // The next sample gets its own format description, even if the content is the same.
        if picture.hasInnerSets { cache = FormatCache() }
        bytes.removeFirst(min(end, bytes.count))
        unit?.start -= end
        lead?.start -= end
        current = lead ?? Picture()
        lead = nil
        guard !current.sets.isEmpty else { return }
        let sets = current.sets.map { $0.lowerBound - end..<$0.upperBound - end }
        bytes = Self.removing(sets, from: bytes[...])
        if let start = unit?.start {
            unit?.start = start - sets.reduce(0) { $1.upperBound <= start ? $0 + $1.count : $0 }
        }
        current.sets = []
    }

    /// Returns the bytes without `ranges`, which must be in ascending order.
    private static func removing(_ ranges: [Range<Int>], from bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard !ranges.isEmpty else { return Array(bytes) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var start = bytes.startIndex
        for range in ranges {
            result += bytes[start..<range.lowerBound]
            start = range.upperBound
        }
        result += bytes[start...]
        return result
    }

    private mutating func claim(_ mark: TimeMark?) -> MediaTime? {
        guard let mark, mark.number != lastMark else { return nil }
        lastMark = mark.number
        return mark.time
    }
}
