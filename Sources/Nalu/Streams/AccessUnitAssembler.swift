/// Puts the NAL units of a byte stream together to access units (ITU-T H.264 7.4.1.2.3 and 7.4.1.2.4), the two fields of
/// a frame to one. Keeps the bytes of the one under way and of the beginning of the next.
struct AccessUnitAssembler {
    private struct Unit {
        /// Where its length stands among the bytes kept.
        var start: Int
        let mark: TimeMark?
        let position: Int
        /// Whether it is known to which picture it belongs.
        var isDecided = false
        /// Bytes at which to look at it again.
        var nextLook = 1
        var isKept = true
    }

    private let maximumSize: Int
    private let reorderDepth: Int?
    private var bytes: [UInt8] = []
    private var current = PictureUnderway()
    /// What follows the first field of a frame and can only stand before a picture: its second field or another one.
    private var lead: PictureUnderway?
    private var unit: Unit?
    private var sets = ParameterSetStore()
    private var sequence: SequenceParameterSet?
    private var counter = PictureOrderCounter()
    private var referenceFrameNumber: Int?
    private var isSynchronized = false
    private var marks: [TimeMark] = []
    private var markCount = 0
    private var lastMark = -1
    private(set) var statistics = StreamParserStatistics()

    /// What is complete, in decoding order, for whoever takes it out.
    var output: [AccessUnit] = []
    var problem: NaluError?

    private static let lengthSize = 4
    /// The most bytes that a slice header takes here.
    private static let headerSize = 4096

    /// `reorderDepth`: over what the stream says.
    init(maximumSize: Int, reorderDepth: Int?) {
        self.maximumSize = maximumSize
        self.reorderDepth = reorderDepth
    }

    /// Bytes that wait for the rest of their access unit.
    var pendingSize: Int { bytes.count }

    var hasParameterSets: Bool { !sets.isEmpty }

    /// The following bytes have a time, or none.
    mutating func mark(_ range: Range<Int>, time: MediaTime?) {
        // A start code may have begun in the two bytes before.
        marks.removeAll { $0.range.upperBound <= range.lowerBound - 2 }
        markCount += 1
        marks.append(TimeMark(range: range, number: markCount, time: time))
    }

    /// The end of the stream; every unit has ended.
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
            position: hasZeroByte ? position - 1 : position)
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
        // What is beyond the limit is not needed to know that it is beyond it.
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
        let type = NALUnitHeader(rawValue: bytes[unit.start + Self.lengthSize]).type
        switch type {
        case .sequenceParameterSet, .pictureParameterSet: takeParameterSet(unit, type)
        case .supplementalEnhancementInformation: lookAtMessages(unit)
        default: break
        }
        if type == .sequenceParameterSet || type == .pictureParameterSet || (lead ?? current).isDropped {
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

    /// The access unit under way is too large: nothing is kept of it.
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
        current.isDropped = true
        isSynchronized = false
        if let unit, !unit.isDecided, unit.start > 0 {
            // It may belong to the next one.
            bytes.removeFirst(unit.start)
            self.unit?.start = 0
        } else {
            bytes.removeAll()
            unit?.start = 0
            unit?.isKept = false
        }
    }
}

// MARK: - Which picture

extension AccessUnitAssembler {
    /// Looks to which picture the unit under way belongs, as soon as enough of it is there.
    private mutating func look(isComplete: Bool) {
        guard let unit else { return }
        let header = NALUnitHeader(rawValue: bytes[unit.start + Self.lengthSize])
        if header.hasForbiddenBit {
            return drop("a NAL unit begins with 0x\(String(header.rawValue, radix: 16)), its forbidden bit set")
        }
        if header.hasSliceHeader {
            return lookAtSlice(isComplete: isComplete)
        }
        self.unit?.isDecided = true
        if header.type.standsBeforePicture, current.sliceCount > 0, lead == nil {
            if current.mayHaveSecondField, !current.isDropped {
                lead = PictureUnderway(start: unit.start)
            } else {
                cut(at: unit.start)
            }
        }
        join()
    }

    /// The unit under way is the first of its picture, or another one.
    private mutating func join() {
        func join(_ picture: inout PictureUnderway, _ unit: Unit) {
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
        var start: SliceStart?
        do throws(NaluError) {
            let found = try SliceStart(parsing: head)
            start = found
            guard let (picture, sequence) = sets.sets(for: found) else {
                throw NaluError(
                    .badData,
                    "a slice refers to picture parameter set \(found.pictureParameterSetID), which has not come, "
                        + "or whose sequence parameter set has not come")
            }
            let header = try SliceHeader(
                parsing: head, pictureParameterSet: picture, sequenceParameterSet: sequence)
            self.unit?.isDecided = true
            add(header, sequence)
        } catch {
            guard isLast else { return lookLater() }
            if start?.firstMacroblock == 0, current.sliceCount > 0 { cut(at: lead?.start ?? unit.start) }
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
    }

    private mutating func add(_ slice: SliceHeader, _ sequence: SequenceParameterSet) {
        guard let unit else { return }
        if slice.redundantPictureCount == 0, begins(slice, sequence) {
            if current.isSecondField(slice) {
                mergeLead()
                current.beginSecondField()
                current.order = min(current.order, counter.count(of: slice, in: sequence))
            } else {
                cut(at: lead?.start ?? unit.start)
            }
        } else {
            mergeLead()
        }
        join()
        current.sliceCount += 1
        guard slice.redundantPictureCount == 0 else { return }
        let isFirst = current.first == nil
        current.add(slice)
        if isFirst { activate(slice, sequence) }
    }

    private func begins(_ slice: SliceHeader, _ sequence: SequenceParameterSet) -> Bool {
        guard let last = current.last else {
            return current.sliceCount > 0 && slice.start.firstMacroblock == 0
        }
        if PictureBoundary.lies(between: last, and: slice, picOrderCountType: sequence.picOrderCountType) {
            return true
        }
        // What lay between has been lost.
        return slice.start.firstMacroblock == 0 && current.hasFirstMacroblock && !sequence.separateColourPlanes
    }

    /// The first slice of a picture says which sets hold.
    private mutating func activate(_ slice: SliceHeader, _ sequence: SequenceParameterSet) {
        current.order = counter.count(of: slice, in: sequence)
        if let active = self.sequence, active != sequence, !slice.isIDR {
            isSynchronized = false
            report(
                .badData,
                "the sequence parameter set changes without an IDR picture; what follows is left out up to the next "
                    + "key frame")
        }
        self.sequence = sequence
        do throws(NaluError) {
            current.format = try sets.format(for: sequence)
        } catch {
            report(error.status, error.message)
        }
        countGap(slice, sequence)
    }

    /// ITU-T H.264 7.4.3: `frame_num` goes on by one behind each reference picture.
    private mutating func countGap(_ slice: SliceHeader, _ sequence: SequenceParameterSet) {
        if let before = referenceFrameNumber, !slice.isIDR, slice.frameNumber != before,
            slice.frameNumber != (before + 1) % (1 << sequence.frameNumberBits)
        {
            statistics.frameNumberGaps += 1
        }
        if slice.unitHeader.isReference {
            referenceFrameNumber = slice.resetsReferences ? 0 : slice.frameNumber
        } else if slice.isIDR {
            referenceFrameNumber = 0
        }
    }
}

// MARK: - Content

extension AccessUnitAssembler {
    private func content(of unit: Unit) -> [UInt8] {
        Array(bytes[(unit.start + Self.lengthSize)...])
    }

    private mutating func takeParameterSet(_ unit: Unit, _ type: NALUnitType) {
        let wasEmpty = sets.isEmpty
        do throws(NaluError) {
            try sets.add(content(of: unit), type)
        } catch {
            statistics.droppedUnits += 1
            return report(error.status, error.message)
        }
        if type == .sequenceParameterSet {
            if lead == nil { current.hasSequence = true } else { lead?.hasSequence = true }
        }
        if wasEmpty, !sets.isEmpty {
            statistics.skippedBytes = UInt64((lead ?? current).position ?? unit.position)
        }
    }

    private mutating func lookAtMessages(_ unit: Unit) {
        guard SEIMessage.messages(of: content(of: unit)).contains(where: { $0.type == .recoveryPoint }) else { return }
        if lead == nil { current.isRecoveryPoint = true } else { lead?.isRecoveryPoint = true }
    }

    /// The unit under way is of no use.
    private mutating func drop(_ message: String) {
        unit?.isDecided = true
        unit?.isKept = false
        if let start = unit?.start { bytes.removeLast(bytes.count - start) }
        // Who joins a stream has come too late for what refers to its beginning.
        guard hasParameterSets else { return }
        statistics.droppedUnits += 1
        report(.badData, message)
    }

    private mutating func report(_ status: Status, _ message: String) {
        if problem == nil { problem = NaluError(status, message) }
    }

    /// Ends the access unit under way, whose bytes reach up to `end`. What is behind them begins the next one.
    private mutating func cut(at end: Int) {
        let picture = current
        let time = claim(picture.mark)
        if let first = picture.first, let format = picture.format, !picture.isDropped, end > 0 {
            let isStart = first.isIDR || picture.isRecoveryPoint || (picture.isIntra && picture.hasSequence)
            isSynchronized = isSynchronized || isStart
            if isSynchronized {
                let depth = reorderDepth ?? format.sequence.outputDelay
                output.append(
                    AccessUnit(
                        bytes: Array(bytes[..<end]), format: format,
                        attachments: picture.attachments(reorders: depth > 0), order: picture.order,
                        restartsOrder: first.isIDR || first.resetsReferences, time: time))
            } else {
                statistics.droppedAccessUnits += 1
            }
        } else if picture.sliceCount > 0, !picture.isDropped, hasParameterSets {
            statistics.droppedAccessUnits += 1
        }
        bytes.removeFirst(min(end, bytes.count))
        unit?.start -= end
        lead?.start -= end
        current = lead ?? PictureUnderway()
        lead = nil
    }

    private mutating func claim(_ mark: TimeMark?) -> MediaTime? {
        guard let mark, mark.number != lastMark else { return nil }
        lastMark = mark.number
        return mark.time
    }
}
