/// Reads the fields of a decoder configuration record (ISO/IEC 14496-15 5.3.3.1 and 8.3.3.1). Every method throws
/// `.badData` if the record ends early.
struct ConfigurationRecordReader: ~Copyable {
    private let record: [UInt8]
    private(set) var position = 0
    /// The name of the record in error messages: "avcC" or "hvcC".
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

    /// Reads a big-endian number of `count` bytes, at most 4.
    mutating func number(_ count: Int, _ field: StaticString) throws(NaluError) -> Int {
        var value = 0
        for _ in 0..<count {
            value = value << 8 | Int(try byte(field))
        }
        return value
    }

    /// Reads a NAL unit after its 16-bit length. Also throws `.badData` if the length is 0.
    mutating func unit() throws(NaluError) -> [UInt8] {
        let start = position
        let length = try number(2, "a NAL unit length")
        guard length > 0, length <= remaining else {
            throw NaluError(
                .badData,
                "the NAL unit length at offset \(start) of the \(name) record is \(length); "
                    + "expected 1 to the \(remaining) bytes that follow"
            )
        }
        defer { position += length }
        return [UInt8](record[position..<position + length])
    }

    /// Reads `count` H.264 NAL units. Also throws `.badData` if one is not of `type`.
    mutating func units(_ count: Int, _ type: NALUnitType) throws(NaluError) -> [[UInt8]] {
        var units: [[UInt8]] = []
        for _ in 0..<count {
            let start = position + 2
            let unit = try unit()
            let found = NALUnitHeader(rawValue: unit[0]).type
            guard found == type else {
                throw NaluError(
                    .badData,
                    "the NAL unit at offset \(start) of the \(name) record has type \(found.rawValue); "
                        + "expected \(type.rawValue)"
                )
            }
            units.append(unit)
        }
        return units
    }
}
