/// Reads the syntax elements of a parameter set (ITU-T H.264 7.2 and 9.1) from its bytes without emulation prevention.
///
/// Every method has the element's name as an argument, for error messages. It throws `.badData` if the payload ends
/// inside the element, or the value is outside the given range.
package struct BitReader {
    /// The bytes without emulation prevention. They begin with the NAL unit header.
    package let bytes: [UInt8]
    /// The position of the stop bit, where the payload ends, in bits. The stop bit is the last bit that is set.
    package let end: Int
    /// The position of the next bit to read.
    package private(set) var position: Int
    /// The name of the payload in error messages, for example "SPS".
    private let unitName: StaticString
    /// Every element read so far, in order; nil before ``recordElements()``.
    package private(set) var elements: [SyntaxElement]?

    /// The size limit of a parameter set in bytes: the highest value of the 16-bit lengths in `avcC`.
    package static let maximumUnitSize = 0xFFFF

    /// Creates a reader that is positioned after the NAL unit header.
    ///
    /// Throws `.badData` if the NAL unit is empty, has another type, has its forbidden bit set, contains a start code,
    /// is longer than 65535 bytes, or has no stop bit.
    package init(
        unit: UnsafeRawBufferPointer, type: NALUnitType, unitName: StaticString
    ) throws(NaluError) {
        guard let header = unsafe NALUnitHeader(of: unit) else {
            throw NaluError(.badData, "the \(unitName) is empty")
        }
        guard header.type == type, !header.hasForbiddenBit else {
            throw NaluError(
                .badData,
                "the NAL unit begins with 0x\(String(header.rawValue, radix: 16)), which is not the header of the \(unitName)"
            )
        }
        unsafe try self.init(checking: unit, headerSize: 1, unitName: unitName)
    }

    /// Creates a reader for an H.265 parameter set, whose NAL unit header has two bytes. Also throws `.badData` if the
    /// NAL unit does not belong to the base layer.
    package init(hevcUnit unit: UnsafeRawBufferPointer, type: HEVCUnitType, unitName: StaticString) throws(NaluError) {
        guard let header = unsafe HEVCUnitHeader(of: unit) else {
            throw NaluError(.badData, "the \(unitName) has \(unit.count) bytes; expected a header of 2 and a payload")
        }
        guard header.type == type, header.isSound, header.layerID == 0 else {
            throw NaluError(
                .badData,
                "the NAL unit begins with 0x\(String(header.rawValue, radix: 16)), which is not the header of a "
                    + "\(unitName) of layer 0"
            )
        }
        unsafe try self.init(checking: unit, headerSize: 2, unitName: unitName)
    }

    private init(
        checking unit: UnsafeRawBufferPointer, headerSize: Int, unitName: StaticString
    ) throws(NaluError) {
        guard unit.count <= Self.maximumUnitSize else {
            throw NaluError(
                .badData,
                "the \(unitName) has \(unit.count) bytes; expected at most \(Self.maximumUnitSize)"
            )
        }
        if let offset = unsafe EmulationPrevention.firstViolation(in: unit) {
            throw NaluError(
                .badData,
                "the \(unitName) has at offset \(offset) two zero bytes and a byte below 3, which only a start code may have"
            )
        }
        bytes = unsafe EmulationPrevention.removing(from: unit)
        guard let last = bytes.lastIndex(where: { $0 != 0 }), last >= headerSize else {
            throw NaluError(.badData, "the \(unitName) of \(unit.count) bytes has no stop bit")
        }
        end = last * 8 + 7 - bytes[last].trailingZeroBitCount
        position = headerSize * 8
        self.unitName = unitName
    }

    /// Creates a reader of a slice header, positioned after the NAL unit header. The first bytes of the slice suffice
    /// as `unit`.
    ///
    /// Throws `.badData` if the NAL unit is empty, is neither a slice nor data partition A, or has its forbidden bit
    /// set.
    package init(sliceHeaderOf unit: UnsafeRawBufferPointer) throws(NaluError) {
        try self.init(
            sliceHeader: unsafe EmulationPrevention.removing(
                from: UnsafeRawBufferPointer(rebasing: unit.prefix(Self.maximumSliceHeaderSize))))
    }

    /// Creates a reader of a slice header from bytes without emulation prevention.
    package init(sliceHeader bytes: [UInt8]) throws(NaluError) {
        guard let header = bytes.first.map({ NALUnitHeader(rawValue: $0) }) else {
            throw NaluError(.badData, "the slice is empty")
        }
        guard header.hasSliceHeader, !header.hasForbiddenBit else {
            throw NaluError(
                .badData,
                "the NAL unit begins with 0x\(String(header.rawValue, radix: 16)), which is not the header of a slice"
            )
        }
        self.bytes = bytes
        end = bytes.count * 8
        position = 8
        unitName = "slice header"
    }

    /// Creates a reader of an H.265 slice segment header, positioned after the NAL unit header. The first bytes of the
    /// segment suffice as `unit`.
    ///
    /// Throws `.badData` if the NAL unit is cut off, is not a slice segment, or has an invalid header.
    package init(hevcSliceHeaderOf unit: UnsafeRawBufferPointer) throws(NaluError) {
        guard let header = unsafe HEVCUnitHeader(of: unit) else {
            throw NaluError(.badData, "the slice has \(unit.count) bytes; expected a header of 2 and a payload")
        }
        guard header.type.isSlice, header.isSound else {
            throw NaluError(
                .badData,
                "the NAL unit begins with 0x\(String(header.rawValue, radix: 16)), which is not the header of a slice"
            )
        }
        bytes = unsafe EmulationPrevention.removing(
            from: UnsafeRawBufferPointer(rebasing: unit.prefix(Self.maximumSliceHeaderSize)))
        end = bytes.count * 8
        position = 16
        unitName = "slice header"
    }

    /// Creates a reader of the payload of one SEI message.
    package init(payload: [UInt8], unitName: StaticString) {
        bytes = payload
        end = payload.count * 8
        position = 0
        self.unitName = unitName
    }

    /// An upper bound of a slice header's size in bytes. Even 64 entries in the weight table and in every list take
    /// less.
    package static let maximumSliceHeaderSize = 4096

    /// Starts the recording of elements.
    package mutating func recordElements() {
        elements = elements ?? []
    }

    /// Returns a reader of the same payload at another position, in bits.
    func at(_ position: Int) -> BitReader {
        var reader = self
        reader.position = position
        return reader
    }

    /// Whether payload is left before the stop bit.
    package var hasMoreData: Bool { position < end }

    /// Reads `count` bits, 0 to 32, the most significant first.
    package mutating func bits(_ count: Int, _ name: StaticString) throws(NaluError) -> UInt32 {
        let value = try rawBits(count, name)
        record(name, Int(value))
        return value
    }

    /// Reads `i(v)`: a number of `count` bits, 1 to 31, in two's complement.
    package mutating func signedBits(_ count: Int, _ name: StaticString) throws(NaluError) {
        let value = Int(try rawBits(count, name))
        record(name, value >> (count - 1) == 0 ? value : value - (1 << count))
    }

    private mutating func record(_ name: StaticString, _ value: Int) {
        elements?.append(SyntaxElement(name: name.description, value: value))
    }

    private mutating func rawBits(_ count: Int, _ name: StaticString) throws(NaluError) -> UInt32 {
        guard end - position >= count else {
            throw NaluError(
                .badData,
                "the \(unitName) ends at bit \(end), inside \(name) at bit \(position)"
            )
        }
        var value: UInt64 = 0
        var taken = 0
        while taken < count {
            let bit = position & 7
            let step = min(8 - bit, count - taken)
            let chunk = (bytes[position >> 3] &<< UInt8(bit)) &>> UInt8(8 - step)
            value = value &<< UInt64(step) | UInt64(chunk)
            taken += step
            position += step
        }
        return UInt32(truncatingIfNeeded: value)
    }

    package mutating func flag(_ name: StaticString) throws(NaluError) -> Bool {
        try bits(1, name) != 0
    }

    package mutating func skip(_ count: Int, _ name: StaticString) throws(NaluError) {
        guard end - position >= count else {
            throw NaluError(.badData, "the \(unitName) ends at bit \(end), inside \(name) at bit \(position)")
        }
        position += count
    }

    /// Reads `ue(v)`: an unsigned Exp-Golomb number.
    package mutating func unsigned(_ name: StaticString, _ range: ClosedRange<Int>) throws(NaluError) -> Int {
        let start = position
        let value = try exponentialGolomb(name)
        guard range.contains(value) else {
            throw outOfRange(name, value, range, start)
        }
        record(name, value)
        return value
    }

    /// Reads `se(v)`: a signed Exp-Golomb number.
    package mutating func signed(_ name: StaticString, _ range: ClosedRange<Int>) throws(NaluError) -> Int {
        let start = position
        let code = try exponentialGolomb(name)
        let value = code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
        guard range.contains(value) else {
            throw outOfRange(name, value, range, start)
        }
        record(name, value)
        return value
    }

    /// The range of all `ue(v)` values.
    package static let anyUnsigned = 0...0xFFFF_FFFE
    /// The range of all `se(v)` values.
    package static let anySigned = -0x7FFF_FFFF...0x7FFF_FFFF

    private mutating func exponentialGolomb(_ name: StaticString) throws(NaluError) -> Int {
        let start = position
        var zeros = 0
        while try rawBits(1, name) == 0 {
            zeros += 1
            guard zeros < 32 else {
                throw NaluError(.badData, "the \(unitName) has no valid Exp-Golomb code for \(name) at bit \(start)")
            }
        }
        let suffix = try rawBits(zeros, name)
        return (1 << zeros) - 1 + Int(suffix)
    }

    private func outOfRange(
        _ name: StaticString, _ value: Int, _ range: ClosedRange<Int>, _ start: Int
    ) -> NaluError {
        NaluError(
            .badData,
            "\(name) is \(value) at bit \(start) of the \(unitName); "
                + "expected \(range.lowerBound) to \(range.upperBound)"
        )
    }
}
