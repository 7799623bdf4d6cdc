import Nalu
import Testing

@Suite struct AnnexBTests {
    private func units(_ stream: [UInt8]) throws -> [[UInt8]] {
        try stream.withUnsafeBytes { bytes in
            var units: [[UInt8]] = []
            var offset = 0
            while let unit = try AnnexB.next(in: bytes, offset: &offset) {
                units.append([UInt8](unit))
            }
            #expect(offset == stream.count)
            return units
        }
    }

    @Test func startCodesAtEveryAlignmentAreFound() throws {
        for length in 1..<120 {
            let unit = [UInt8](repeating: 0xAA, count: length)
            for filler in 0..<40 {
                let tail = [UInt8](repeating: 0xBB, count: filler + 1)
                #expect(try units([0, 0, 1] + unit + [0, 0, 1] + tail) == [unit, tail])
                #expect(try units([0, 0, 1] + unit + [0, 0, 0, 1] + tail + [0, 0]) == [unit, tail])
            }
        }
    }

    @Test(arguments: [1, 2, 4]) func annexBSurvivesConversionThereAndBack(lengthSize: Int) throws {
        var random = TestRandom(seed: UInt64(lengthSize))
        for round in 0..<300 {
            let units = (0..<round % 7).map { _ in
                TestBytes.unit(Int.random(in: 0...(lengthSize == 1 ? 120 : 700), using: &random), using: &random)
            }
            let stream = units.flatMap { unit -> [UInt8] in
                let leading = [UInt8](repeating: 0, count: Int.random(in: 2...6, using: &random))
                return leading + [1] + unit
            }
            let prefixed = try AnnexB.toLengthPrefixed(stream, lengthSize: lengthSize)
            let count = units.reduce(0) { sum, unit -> Int in sum + unit.count + lengthSize }
            #expect(prefixed.count == count)
            let back = try LengthPrefixed.toAnnexB(prefixed, lengthSize: lengthSize)
            let expected = units.flatMap { unit -> [UInt8] in [0, 0, 0, 1] + unit }
            #expect(back == expected)
            #expect(try self.units(back) == units)
        }
    }

    @Test(arguments: [1, 31, 32, 33, 100]) func anyNumberOfNALUnitsIsRewritten(count: Int) throws {
        let units = (0..<count).map { [UInt8](repeating: UInt8($0 + 1), count: $0 % 7 + 1) }
        let stream = units.flatMap { unit -> [UInt8] in [0, 0, 1] + unit }
        let expected = units.flatMap { unit -> [UInt8] in [0, 0, 0, UInt8(unit.count)] + unit }
        #expect(try AnnexB.toLengthPrefixed(stream) == expected)
    }

    @Test func manyZerosTakeLinearTime() throws {
        let zeros = [UInt8](repeating: 0, count: 8 << 20)
        let start = processorSeconds()
        #expect(throws: NaluError.self) { try units(zeros) }
        #expect(try units([0, 0, 1, 0x65] + zeros + [1, 0x41] + zeros).count == 2)
        #expect(try units([0, 0, 1] + [UInt8](repeating: 1, count: 1 << 20)).count == 1)
        #expect(processorSeconds() - start < 20)
    }
}
