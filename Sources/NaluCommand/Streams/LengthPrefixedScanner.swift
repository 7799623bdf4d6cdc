/// Finds the NAL units of a length-prefixed stream and their file offsets. Keeps the head of one unit.
///
/// NaluBitstream's `LengthPrefixed` is no substitute: it needs all data at once and stops at the first error. A file
/// arrives in several reads, and its errors are reported.
struct LengthPrefixedScanner: UnitScanner {
    private let lengthSize: Int
    private let limit: HeadLimit
    private var position = 0
    private var unit: ScannedUnit?
    private var headLimit = 0
    private var missing = 0
    private var endComplaints: [ScanComplaint] = []
    private var emptyUnits = 0
    private var firstEmptyUnit = 0

    /// - Parameter lengthSize: the bytes of a length prefix: 1, 2 or 4.
    init(lengthSize: Int, limit: @escaping HeadLimit) {
        self.lengthSize = lengthSize
        self.limit = limit
    }

    var complaints: [ScanComplaint] {
        let empty = "\(NumberText.count(emptyUnits, "NAL unit")) of length 0"
        return (emptyUnits == 0 ? [] : [ScanComplaint(offset: firstEmptyUnit, message: empty)]) + endComplaints
    }

    mutating func take(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ body: (ScannedUnit) throws -> Void
    ) throws -> Int {
        var offset = 0
        while offset < bytes.count {
            if missing > 0 {
                let count = min(missing, bytes.count - offset)
                unsafe add(bytes[offset..<offset + count])
                offset += count
                if missing == 0 { try end(body) }
                continue
            }
            guard bytes.count - offset >= lengthSize else { break }
            var length = 0
            for index in 0..<lengthSize { length = length << 8 | Int(unsafe bytes[offset + index]) }
            if length == 0 {
                if emptyUnits == 0 { firstEmptyUnit = position + offset }
                emptyUnits += 1
            } else {
                unit = ScannedUnit(offset: position + offset, prefixSize: lengthSize, size: 0, head: [])
                missing = length
            }
            offset += lengthSize
        }
        let rest = bytes.count - offset
        if isLast {
            try endStream(rest, at: position + offset, body)
            offset = bytes.count
        }
        position += offset
        return offset
    }

    private mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
        if unit?.size == 0 { headLimit = unsafe limit(bytes[bytes.startIndex]) }
        let room = headLimit - (unit?.head.count ?? 0)
        if room > 0 { unsafe unit?.head.append(contentsOf: bytes.prefix(room)) }
        let count = unsafe bytes.count
        unit?.size += count
        missing -= count
    }

    private mutating func end(_ body: (ScannedUnit) throws -> Void) throws {
        if let found = unit { try body(found) }
        unit = nil
    }

    private mutating func endStream(
        _ rest: Int, at offset: Int, _ body: (ScannedUnit) throws -> Void
    ) throws {
        if rest > 0 {
            endComplaints.append(ScanComplaint(offset: offset, message: "the stream ends inside a length"))
        }
        guard missing > 0, var found = unit else { return }
        endComplaints.append(
            ScanComplaint(
                offset: found.offset,
                message: "the stream ends inside a NAL unit: \(found.size) of \(found.size + missing) bytes are there"))
        missing = 0
        unit = nil
        guard found.size > 0 else { return }
        found.isCutOff = true
        try body(found)
    }

}
