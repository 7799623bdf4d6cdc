internal import NaluBitstream

/// Finds the NAL units of an Annex B stream and their file offsets. Keeps the heads of the units in one read.
struct AnnexBScanner: UnitScanner {
    private var splitter = ByteStreamSplitter()
    private var collector: Collector

    init(limit: @escaping HeadLimit) {
        collector = Collector(limit: limit)
    }

    var complaints: [ScanComplaint] {
        var list: [ScanComplaint] = []
        if splitter.strayByteCount > 0 {
            let bytes = NumberText.count(splitter.strayByteCount, "byte")
            list.append(ScanComplaint(offset: 0, message: "\(bytes) before the first start code"))
        }
        if collector.emptyUnits > 0 {
            let codes = NumberText.count(collector.emptyUnits, "start code")
            list.append(ScanComplaint(offset: collector.firstEmptyUnit, message: "\(codes) with nothing after it"))
        }
        return list
    }

    mutating func take(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ body: (ScannedUnit) throws -> Void
    ) throws -> Int {
        unsafe splitter.push(bytes, to: &collector)
        if isLast {
            splitter.finish(to: &collector)
            collector.close(at: splitter.position)
        }
        let found = collector.found
        collector.found = []
        for unit in found { try body(unit) }
        return bytes.count
    }

    private struct Collector: ByteStreamSink {
        let limit: HeadLimit
        /// The complete NAL units.
        var found: [ScannedUnit] = []
        var emptyUnits = 0
        var firstEmptyUnit = 0
        /// The current NAL unit, whose end is not known. Its size excludes trailing zeros, because some of them may
        /// belong to the next start code.
        private var unit: ScannedUnit?
        private var headLimit = 0

        init(limit: @escaping HeadLimit) {
            self.limit = limit
        }

        mutating func beginUnit(at position: Int, hasZeroByte: Bool) {
            let offset = position - (hasZeroByte ? 1 : 0)
            close(at: offset)
            unit = ScannedUnit(offset: offset, prefixSize: hasZeroByte ? 4 : 3, size: 0, head: [])
        }

        mutating func append(_ bytes: UnsafeRawBufferPointer) {
            if unit?.size == 0 { headLimit = unsafe limit(bytes[0]) }
            let room = headLimit - (unit?.head.count ?? 0)
            if room > 0 { unsafe unit?.head.append(contentsOf: bytes.prefix(room)) }
            unit?.size += bytes.count
        }

        mutating func append(zeros: Int) {
            if unit?.size == 0 { headLimit = 1 }
            let room = headLimit - (unit?.head.count ?? 0)
            if room > 0 { unit?.head.append(contentsOf: repeatElement(0, count: min(room, zeros))) }
            unit?.size += zeros
        }

        mutating func endUnit() {}

        /// Ends the current unit before `end`.
        mutating func close(at end: Int) {
            guard var whole = unit else { return }
            unit = nil
            guard whole.size > 0 else {
                if emptyUnits == 0 { firstEmptyUnit = whole.offset }
                emptyUnits += 1
                return
            }
            whole.trailingZeros = end - whole.offset - whole.prefixSize - whole.size
            found.append(whole)
        }
    }
}
