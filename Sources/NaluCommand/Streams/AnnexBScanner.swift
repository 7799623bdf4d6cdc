internal import NaluBitstream

/// Finds the NAL units of an Annex B stream, and where in the file they are. Memory: what is kept of the units in one
/// piece.
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
        /// Complete.
        var found: [ScannedUnit] = []
        var emptyUnits = 0
        var firstEmptyUnit = 0
        /// The unit that has begun. Its size is that up to its last byte that is not zero; how many zeros follow shows
        /// where the next unit begins.
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

        /// What has begun ends before `end`.
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
