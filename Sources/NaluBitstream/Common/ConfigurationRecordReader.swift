/// Walks the bytes of a decoder configuration record (ISO/IEC 14496-15 5.3.3.1 and 8.3.3.1). Every method throws
/// `.badData` when the bytes are cut off.
struct ConfigurationRecordReader: ~Copyable {
    private let record: [UInt8]
    private(set) var position = 0
    /// What is read, for error sentences: "avcC" or "hvcC".
    private let name: StaticString

    init(_ record: UnsafeRawBufferPointer, name: StaticString) {
        self.record = unsafe [UInt8](record)
        self.name = name
    }

    var remaining: Int { record.count - position }

    mutating func byte(_ field: StaticString) throws(NaluError) -> UInt8 {
        guard position < record.count else {
            throw NaluError(.badData, "the \(name) record of \(record.count) bytes is cut off before \(field)")
        }
        defer { position += 1 }
        return record[position]
    }

    /// A number of so many bytes, at most 4, the first one highest.
    mutating func number(_ count: Int, _ field: StaticString) throws(NaluError) -> Int {
        var value = 0
        for _ in 0..<count {
            value = value << 8 | Int(try byte(field))
        }
        return value
    }

    /// A NAL unit after its 16-bit length. Also throws `.badData` when it is empty.
    mutating func unit() throws(NaluError) -> [UInt8] {
        let start = position
        let length = try number(2, "a NAL unit length")
        guard length > 0, length <= remaining else {
            throw NaluError(
                .badData,
                "the NAL unit length at offset \(start) of the \(name) record is \(length), "
                    + "expected 1 to the \(remaining) bytes that follow"
            )
        }
        defer { position += length }
        return [UInt8](record[position..<position + length])
    }

    /// `count` H.264 NAL units. Also throws `.badData` when one is not of `type`.
    mutating func units(_ count: Int, _ type: NALUnitType) throws(NaluError) -> [[UInt8]] {
        var units: [[UInt8]] = []
        for _ in 0..<count {
            let start = position + 2
            let unit = try unit()
            let found = NALUnitHeader(rawValue: unit[0]).type
            guard found == type else {
                throw NaluError(
                    .badData,
                    "the NAL unit at offset \(start) of the \(name) record has type \(found.rawValue), "
                        + "expected \(type.rawValue)"
                )
            }
            units.append(unit)
        }
        return units
    }
}
