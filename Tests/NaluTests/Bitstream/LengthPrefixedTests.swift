import Nalu
import Testing

@Suite struct LengthPrefixedTests {
    private func units(_ data: [UInt8], _ lengthSize: Int) throws -> [[UInt8]] {
        try data.withUnsafeBytes { bytes in
            var units: [[UInt8]] = []
            try LengthPrefixed.forEachUnit(in: bytes, lengthSize: lengthSize) { unit in
                units.append([UInt8](unit))
            }
            return units
        }
    }

    private func status(_ data: [UInt8], _ lengthSize: Int, offset: Int = 0) -> Status {
        data.withUnsafeBytes { bytes in
            TestBytes.status { () throws(NaluError) in
                var offset = offset
                while try LengthPrefixed.next(in: bytes, lengthSize: lengthSize, offset: &offset) != nil {}
            }
        }
    }

    @Test func walksAllThreeSizes() throws {
        #expect(try units([2, 0x65, 1, 1, 0x41], 1) == [[0x65, 1], [0x41]])
        #expect(try units([0, 2, 0x65, 1, 0, 1, 0x41], 2) == [[0x65, 1], [0x41]])
        #expect(try units([0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x41], 4) == [[0x65, 1], [0x41]])
        #expect(try units([], 4) == [])
    }

    @Test func refusesPrefixesThatAreCutOffZeroOrTooLong() {
        #expect(status([0, 0, 0], 4) == .badData)
        #expect(status([0], 2) == .badData)
        #expect(status([0, 0, 0, 0], 4) == .badData)
        #expect(status([0, 0x65], 1) == .badData)
        #expect(status([0, 0, 0, 2, 0x65], 4) == .badData)
        #expect(status([0xFF, 0xFF, 0xFF, 0xFF, 0x65], 4) == .badData)
        #expect(status([0, 0, 0, 1, 0x65, 0], 4) == .badData)
        #expect(status([1, 0x65], 1) == .ok)
    }

    @Test func refusesOtherSizesAndOffsets() {
        for lengthSize in [-1, 0, 3, 5, Int.max, Int.min] {
            #expect(status([1, 0x65], lengthSize) == .parameter)
            #expect(status([], lengthSize) == .parameter)
        }
        for offset in [-1, 3, Int.max, Int.min] {
            #expect(status([1, 0x65], 1, offset: offset) == .parameter)
        }
    }

    @Test func writesNothingIntoABufferThatIsTooSmall() throws {
        let data: [UInt8] = [1, 0x65, 2, 0x41, 0x42]
        var needed = 0
        var output = [UInt8](repeating: 0xEE, count: 10)
        data.withUnsafeBytes { input in
            let status = output.withUnsafeMutableBytes { buffer in
                TestBytes.status { () throws(NaluError) in
                    try LengthPrefixed.toAnnexB(input, lengthSize: 1, into: buffer, needed: &needed)
                }
            }
            #expect(status == .bufferTooSmall)
        }
        #expect(needed == 11)
        #expect(output == [UInt8](repeating: 0xEE, count: 10))
        #expect(try LengthPrefixed.toAnnexB(data, lengthSize: 1) == [0, 0, 0, 1, 0x65, 0, 0, 0, 1, 0x41, 0x42])
    }

    @Test func writesNothingWhenTheDataAreBadFurtherOn() {
        let data: [UInt8] = [1, 0x65, 9, 0x41]
        var needed = 77
        var output = [UInt8](repeating: 0xEE, count: 100)
        data.withUnsafeBytes { input in
            let status = output.withUnsafeMutableBytes { buffer in
                TestBytes.status { () throws(NaluError) in
                    try LengthPrefixed.toAnnexB(input, lengthSize: 1, into: buffer, needed: &needed)
                }
            }
            #expect(status == .badData)
        }
        #expect(needed == 77)
        #expect(output == [UInt8](repeating: 0xEE, count: 100))
    }

    @Test func readsTheUnitHeader() {
        let header = NALUnitHeader(rawValue: 0x65)
        #expect(header.type == .sliceIDR)
        #expect(header.referenceIDC == 3)
        #expect(header.isReference)
        #expect(!header.hasForbiddenBit)
        #expect(header.type.isSlice)
        #expect(!NALUnitHeader(rawValue: 0x06).isReference)
        #expect(NALUnitHeader(rawValue: 0x87).hasForbiddenBit)
        #expect(NALUnitHeader(rawValue: 0xFF).type.rawValue == 31)
    }
}
