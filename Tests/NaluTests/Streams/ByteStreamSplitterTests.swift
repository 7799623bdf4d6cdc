import Testing

@testable import Nalu

/// NAL units from a byte stream that arrives in pieces.
@Suite struct ByteStreamSplitterTests {
    private struct Units: ByteStreamSink {
        var units: [[UInt8]] = []
        var positions: [Int] = []
        var isOpen = false

        mutating func beginUnit(at position: Int, hasZeroByte: Bool) {
            #expect(!isOpen)
            isOpen = true
            units.append([])
            positions.append(position)
        }

        mutating func append(_ bytes: UnsafeRawBufferPointer) {
            #expect(isOpen && bytes.count > 0)
            units[units.count - 1] += bytes
        }

        mutating func append(zeros: Int) {
            units[units.count - 1] += repeatElement(0, count: zeros)
        }

        mutating func endUnit() {
            #expect(isOpen)
            isOpen = false
        }
    }

    private static func split(_ stream: [UInt8], _ sizes: () -> Int) -> Units {
        var splitter = ByteStreamSplitter()
        var units = Units()
        var offset = 0
        while offset < stream.count {
            let end = min(stream.count, offset + sizes())
            Array(stream[offset..<end]).withUnsafeBytes { splitter.push($0, to: &units) }
            offset = end
        }
        splitter.finish(to: &units)
        #expect(splitter.position == stream.count && !units.isOpen)
        return units
    }

    @Test func nalUnitsDoNotDependOnHowTheBytesAreSplit() throws {
        var random = TestRandom(seed: 5)
        for round in 0..<300 {
            let stream = [0, 0, 1] + TestBytes.nasty(round, using: &random)
            var expected: [[UInt8]] = []
            var offset = 0
            try stream.withUnsafeBytes { bytes in
                while let unit = try AnnexB.next(in: bytes, offset: &offset) { expected.append([UInt8](unit)) }
            }
            for most in [1, 2, 3, 7, 50, 1000] {
                let found = Self.split(stream) { most < 3 ? most : 1 + Int(random.next() % UInt64(most)) }
                #expect(found.units.filter { !$0.isEmpty } == expected)
                for position in found.positions { #expect(Array(stream[position..<position + 3]) == [0, 0, 1]) }
            }
        }
    }

    @Test func bytesBeforeTheFirstStartCodeAreIgnored() {
        let units = Self.split([5, 6, 0, 1, 0, 0, 0, 1, 9, 0, 0]) { 1 }
        #expect(units.units == [[9]])
        #expect(units.positions == [5])
    }
}
