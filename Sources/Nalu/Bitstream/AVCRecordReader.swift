/// Walks the bytes of an AVCDecoderConfigurationRecord. Every method throws `.badData` when the bytes are cut off.
struct AVCRecordReader: ~Copyable {
    private let record: [UInt8]
    private var position = 0

    /// The longest record that there can be: every count at its most, every unit 65535 bytes. What lies behind it is
    /// not looked at.
    private static let maximumSize = 11 + (31 + 255 + 255) * (2 + 0xFFFF)

    init(_ record: UnsafeRawBufferPointer) {
        self.record = unsafe [UInt8](record.prefix(Self.maximumSize))
    }

    var remaining: Int { record.count - position }

    mutating func byte(_ name: StaticString) throws(NaluError) -> UInt8 {
        guard position < record.count else {
            throw NaluError(.badData, "the avcC record of \(record.count) bytes is cut off before \(name)")
        }
        defer { position += 1 }
        return record[position]
    }

    /// `count` NAL units behind 16-bit lengths. Throws `.badData` besides when one is empty or not of `type`.
    mutating func units(_ count: Int, _ type: NALUnitType) throws(NaluError) -> [[UInt8]] {
        var units: [[UInt8]] = []
        for _ in 0..<count {
            let start = position
            let length = Int(try byte("a NAL unit length")) << 8 | Int(try byte("a NAL unit length"))
            guard length > 0, length <= remaining else {
                throw NaluError(
                    .badData,
                    "the NAL unit length at offset \(start) of the avcC record is \(length), "
                        + "expected 1 to the \(remaining) bytes that follow"
                )
            }
            let found = NALUnitHeader(rawValue: record[position]).type
            guard found == type else {
                throw NaluError(
                    .badData,
                    "the NAL unit at offset \(position) of the avcC record has type \(found.rawValue), "
                        + "expected \(type.rawValue)"
                )
            }
            units.append([UInt8](record[position..<position + length]))
            position += length
        }
        return units
    }
}
