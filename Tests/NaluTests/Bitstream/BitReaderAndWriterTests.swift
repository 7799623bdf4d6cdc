import Testing

@testable import Nalu
@testable import NaluBitstream

@Suite struct BitReaderAndWriterTests {
    private func reader(_ payload: BitWriter) throws -> BitReader {
        var whole = payload
        whole.appendTrailingBits()
        let unit = EmulationPrevention.inserting(into: whole.bytes)
        return try unit.withUnsafeBytes {
            try BitReader(unit: $0, type: .sequenceParameterSet, unitName: "SPS")
        }
    }

    private func begun() -> BitWriter {
        var writer = BitWriter()
        writer.append(0x67, width: 8)
        return writer
    }

    @Test func writtenBitsAreReadBack() throws {
        var random = TestRandom(seed: 1)
        for _ in 0..<200 {
            let fields = (0..<50).map { _ -> (UInt32, Int) in
                let width = Int.random(in: 0...32, using: &random)
                return (UInt32(truncatingIfNeeded: random.next() & ((1 << UInt64(width)) - 1)), width)
            }
            var writer = begun()
            for (value, width) in fields {
                writer.append(value, width: width)
            }
            var reader = try reader(writer)
            for (value, width) in fields {
                #expect(try reader.bits(width, "field") == value)
            }
            #expect(!reader.hasMoreData)
            #expect(throws: NaluError.self) { try reader.bits(1, "field") }
        }
    }

    @Test func writtenExponentialGolombNumbersAreReadBack() throws {
        let unsigned: [UInt32] = [0, 1, 2, 3, 6, 7, 255, 65535, 0x7FFF_FFFE, 0x7FFF_FFFF, 0xFFFF_FFFE]
        let signed: [Int32] = [0, 1, -1, 2, -2, 127, -128, .max, -.max]
        var writer = begun()
        unsigned.forEach { writer.append(unsigned: $0) }
        signed.forEach { writer.append(signed: $0) }
        var reader = try reader(writer)
        for value in unsigned {
            #expect(try reader.unsigned("field", BitReader.anyUnsigned) == Int(value))
        }
        for value in signed {
            #expect(try reader.signed("field", BitReader.anySigned) == Int(value))
        }
    }

    @Test func numbersTooLongOrOutOfRangeAreRefused() throws {
        var long = begun()
        long.append(0, width: 32)
        long.append(0xFFFF_FFFF, width: 32)
        long.append(0xFFFF_FFFF, width: 32)
        var reader = try reader(long)
        #expect(throws: NaluError.self) { try reader.unsigned("field", BitReader.anyUnsigned) }

        var writer = begun()
        writer.append(unsigned: 77)
        var second = try self.reader(writer)
        let error = #expect(throws: NaluError.self) { try second.unsigned("seq_parameter_set_id", 0...31) }
        #expect(error?.message == "seq_parameter_set_id is 77 at bit 8 of the SPS; expected 0 to 31")
    }

    @Test func emulationPreventionIsInsertedAndRemoved() {
        var random = TestRandom(seed: 2)
        for _ in 0..<500 {
            let bytes = TestBytes.nasty(Int.random(in: 0...200, using: &random), using: &random)
            let escaped = EmulationPrevention.inserting(into: bytes)
            escaped.withUnsafeBytes { #expect(EmulationPrevention.firstViolation(in: $0) == nil) }
            var back = escaped.withUnsafeBytes { EmulationPrevention.removing(from: $0) }
            if bytes.last == 0, escaped.last == 3, back.last == 3 {
                back.removeLast()
            }
            #expect(back == bytes)
        }
        #expect(EmulationPrevention.inserting(into: [0, 0, 0, 0, 0, 1]) == [0, 0, 3, 0, 0, 3, 0, 1])
        #expect(EmulationPrevention.inserting(into: [0, 0, 4]) == [0, 0, 4])
        #expect(EmulationPrevention.inserting(into: [0, 0, 3]) == [0, 0, 3, 3])
    }
}
