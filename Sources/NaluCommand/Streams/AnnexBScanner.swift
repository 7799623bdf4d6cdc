internal import Nalu

/// Finds the NAL units of an Annex B stream. Memory: what is kept of one unit.
struct AnnexBScanner: UnitScanner {
    private let limit: HeadLimit
    /// Bytes taken so far.
    private var position = 0
    /// The unit that has begun; nil before the first start code. Its size is that up to its last byte that is not zero.
    private var unit: ScannedUnit?
    private var headLimit = 0
    /// Zeros since the last other byte.
    private var zeros = 0
    private var strayBytes = 0
    private var emptyUnits = 0
    private var firstEmptyUnit = 0

    init(limit: @escaping HeadLimit) {
        self.limit = limit
    }

    var complaints: [ScanComplaint] {
        var list: [ScanComplaint] = []
        if strayBytes > 0 {
            list.append(
                ScanComplaint(offset: 0, message: "\(NumberText.count(strayBytes, "byte")) before the first start code")
            )
        }
        if emptyUnits > 0 {
            list.append(
                ScanComplaint(
                    offset: firstEmptyUnit,
                    message: "\(NumberText.count(emptyUnits, "start code")) with nothing after it"
                ))
        }
        return list
    }

    mutating func take(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ body: (ScannedUnit) throws -> Void
    ) throws -> Int {
        guard let base = bytes.baseAddress else {
            if isLast { try end(body) }
            return 0
        }
        let start = position
        var offset = 0
        while true {
            let code = unsafe StartCodeScanner.nextStartCode(base, from: offset, count: bytes.count)
            guard code < bytes.count else { break }
            unsafe add(bytes[offset..<code])
            let hasZeroByte = zeros > 0
            if hasZeroByte { zeros -= 1 }
            try end(body)
            unit = ScannedUnit(
                offset: start + code - (hasZeroByte ? 1 : 0), prefixSize: hasZeroByte ? 4 : 3, size: 0, head: [])
            offset = code + 3
        }
        // A start code may lie across the end.
        let taken = isLast ? bytes.count : max(offset, bytes.count - 2)
        unsafe add(bytes[offset..<taken])
        position = start + taken
        if isLast { try end(body) }
        return taken
    }

    private mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
        let (start, end) = unsafe (bytes.startIndex, bytes.endIndex)
        guard let last = unsafe bytes.lastIndex(where: { $0 != 0 }) else {
            zeros += end - start
            return
        }
        let before = zeros
        zeros = end - 1 - last
        guard unit != nil else {
            strayBytes += before + last + 1 - start
            return
        }
        if unit?.size == 0 {
            headLimit = before > 0 ? 1 : limit(unsafe bytes[start])
        }
        unsafe keep(before, bytes[...last])
        unit?.size += before + last + 1 - start
    }

    private mutating func keep(_ zeros: Int, _ bytes: Slice<UnsafeRawBufferPointer>) {
        var room = headLimit - (unit?.head.count ?? 0)
        guard room > 0 else { return }
        unit?.head.append(contentsOf: repeatElement(0, count: min(room, zeros)))
        room -= min(room, zeros)
        unsafe unit?.head.append(contentsOf: bytes.prefix(room))
    }

    private mutating func end(_ body: (ScannedUnit) throws -> Void) throws {
        defer {
            unit = nil
            zeros = 0
        }
        guard var found = unit else {
            // Zeros before the first start code are sound.
            return
        }
        guard found.size > 0 else {
            if emptyUnits == 0 { firstEmptyUnit = found.offset }
            emptyUnits += 1
            return
        }
        found.trailingZeros = zeros
        try body(found)
    }
}
