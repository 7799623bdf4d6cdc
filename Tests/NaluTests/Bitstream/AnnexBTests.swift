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

    private func status(_ stream: [UInt8], offset: Int = 0) -> Status {
        TestBytes.status { () throws(NaluError) in
            var offset = offset
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: stream.count, alignment: 1)
            defer { bytes.deallocate() }
            bytes.copyBytes(from: stream)
            _ = try AnnexB.next(in: UnsafeRawBufferPointer(bytes), offset: &offset)
        }
    }

    @Test func findsUnitsBehindBothStartCodes() throws {
        #expect(try units([0, 0, 1, 0x67, 0x42, 0, 0, 0, 1, 0x68, 0xCE]) == [[0x67, 0x42], [0x68, 0xCE]])
    }

    @Test func passesOverZerosAroundUnits() throws {
        #expect(try units([0, 0, 0, 0, 0, 1, 9, 0xF0, 0, 0, 0, 0, 0, 1, 0x65, 0, 0]) == [[9, 0xF0], [0x65]])
    }

    @Test func passesOverEmptyUnits() throws {
        #expect(try units([0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0x65]) == [[0x65]])
        #expect(try units([0, 0, 1]) == [])
        #expect(try units([0, 0, 1, 0, 0, 0]) == [])
    }

    @Test func takesZerosThatAreNoStartCodeAsContent() throws {
        #expect(try units([0, 0, 1, 0x65, 0, 0, 3, 0, 0, 3, 1]) == [[0x65, 0, 0, 3, 0, 0, 3, 1]])
        #expect(try units([0, 0, 1, 0x65, 0, 1, 0, 1, 1]) == [[0x65, 0, 1, 0, 1, 1]])
    }

    @Test func hasNothingInAnEmptyStream() throws {
        #expect(try units([]) == [])
        var offset = 0
        #expect(try AnnexB.next(in: UnsafeRawBufferPointer(start: nil, count: 0), offset: &offset) == nil)
    }

    @Test func refusesBytesBeforeTheFirstStartCode() {
        #expect(status([0x65, 0, 0, 1, 0x65]) == .badData)
        #expect(status([0, 1, 0x65]) == .badData)
        #expect(status([1, 2, 3]) == .badData)
        #expect(status([0, 0, 0, 0]) == .badData)
        #expect(status([0]) == .badData)
    }

    @Test func refusesOffsetsOutsideTheStream() {
        #expect(status([0, 0, 1, 0x65], offset: 5) == .parameter)
        #expect(status([0, 0, 1, 0x65], offset: -1) == .parameter)
        #expect(status([0, 0, 1, 0x65], offset: .max) == .parameter)
        #expect(status([0, 0, 1, 0x65], offset: .min) == .parameter)
        #expect(status([0, 0, 1, 0x65], offset: 4) == .ok)
    }

    @Test func findsAStartCodeAtEveryPlaceOfAStep() throws {
        for length in 1..<120 {
            let unit = [UInt8](repeating: 0xAA, count: length)
            for filler in 0..<40 {
                let tail = [UInt8](repeating: 0xBB, count: filler + 1)
                #expect(try units([0, 0, 1] + unit + [0, 0, 1] + tail) == [unit, tail])
                #expect(try units([0, 0, 1] + unit + [0, 0, 0, 1] + tail + [0, 0]) == [unit, tail])
            }
        }
    }

    @Test(arguments: [1, 2, 4]) func comesBackFromLengthPrefixedForm(lengthSize: Int) throws {
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

    @Test(arguments: [1, 31, 32, 33, 100]) func rewritesAnyNumberOfUnits(count: Int) throws {
        let units = (0..<count).map { [UInt8](repeating: UInt8($0 + 1), count: $0 % 7 + 1) }
        let stream = units.flatMap { unit -> [UInt8] in [0, 0, 1] + unit }
        let expected = units.flatMap { unit -> [UInt8] in [0, 0, 0, UInt8(unit.count)] + unit }
        #expect(try AnnexB.toLengthPrefixed(stream) == expected)
    }

    @Test func writesNothingIntoABufferThatIsTooSmall() throws {
        let stream: [UInt8] = [0, 0, 1, 0x65, 0x88, 0, 0, 1, 0x41]
        var needed = 0
        var output = [UInt8](repeating: 0xEE, count: 10)
        try stream.withUnsafeBytes { input in
            let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            try AnnexB.toLengthPrefixed(input, lengthSize: 4, into: nothing, needed: &needed)
            #expect(needed == 11)
            needed = 0
            let status = output.withUnsafeMutableBytes { buffer in
                TestBytes.status { () throws(NaluError) in
                    try AnnexB.toLengthPrefixed(input, lengthSize: 4, into: buffer, needed: &needed)
                }
            }
            #expect(status == .bufferTooSmall)
        }
        #expect(needed == 11)
        #expect(output == [UInt8](repeating: 0xEE, count: 10))
    }

    @Test func refusesUnitsTooLongForThePrefix() throws {
        let fitting = [0, 0, 1] + [UInt8](repeating: 0x41, count: 255)
        let long = [0, 0, 1] + [UInt8](repeating: 0x41, count: 256)
        let longer = [0, 0, 1] + [UInt8](repeating: 0x41, count: 65536)
        #expect(try AnnexB.toLengthPrefixed(fitting, lengthSize: 1).count == 256)
        #expect(throws: NaluError.self) { try AnnexB.toLengthPrefixed(long, lengthSize: 1) }
        #expect(try AnnexB.toLengthPrefixed(long, lengthSize: 2).count == 258)
        #expect(throws: NaluError.self) { try AnnexB.toLengthPrefixed(longer, lengthSize: 2) }
        #expect(try AnnexB.toLengthPrefixed(longer, lengthSize: 4).count == 65540)
    }

    @Test(arguments: [-1, 0, 3, 5, 8, Int.max, Int.min]) func refusesOtherLengthSizes(lengthSize: Int) {
        let status = TestBytes.status { () throws(NaluError) in
            _ = try AnnexB.toLengthPrefixed([0, 0, 1, 0x65], lengthSize: lengthSize)
        }
        #expect(status == .parameter)
    }

    @Test func getsThroughEndlessZerosInLinearTime() throws {
        let zeros = [UInt8](repeating: 0, count: 8 << 20)
        let start = processorSeconds()
        #expect(status(zeros) == .badData)
        #expect(try units([0, 0, 1, 0x65] + zeros + [1, 0x41] + zeros).count == 2)
        #expect(try units([0, 0, 1] + [UInt8](repeating: 1, count: 1 << 20)).count == 1)
        #expect(processorSeconds() - start < 20)
    }
}
