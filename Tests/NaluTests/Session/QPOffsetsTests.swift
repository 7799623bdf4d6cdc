import Testing

@testable import Nalu

@Suite struct QPOffsetsTests {
    @Test func aSingleCellAppliesToAllMacroblocks() throws {
        let offsets = try QPOffsets(columns: 1, rows: 1, values: [-7]).spread(width: 33, height: 16)
        #expect(offsets == [-7, -7, -7])
    }

    @Test func aMacroblockGetsTheMeanOfWhatItCovers() throws {
        // 24 pixels in two cells of 12: three quarters of the first macroblock are in the left cell.
        let offsets = try QPOffsets(columns: 2, rows: 1, values: [0, 8]).spread(width: 24, height: 16)
        #expect(offsets == [2, 8])
        // Each cell is one pixel.
        let pixels = try QPOffsets(
            columns: 32, rows: 1, values: (0..<32).map { $0 < 16 ? Float($0 % 2) : 4 }
        ).spread(width: 32, height: 32)
        #expect(pixels == [0.5, 4, 0.5, 4])
    }

    @Test func rowsAreInOrderFromTheTop() throws {
        let offsets = try QPOffsets(columns: 1, rows: 2, values: [1, 2]).spread(width: 16, height: 32)
        #expect(offsets == [1, 2])
    }

    @Test func constantMapsStayConstant() throws {
        for (columns, rows) in [(3, 5), (7, 2), (50, 41), (1, 13)] {
            let values = [Float](repeating: 3, count: columns * rows)
            let offsets = try QPOffsets(columns: columns, rows: rows, values: values).spread(width: 50, height: 41)
            #expect(offsets.count == 4 * 3)
            #expect(offsets.allSatisfy { abs($0 - 3) < 1e-4 })
        }
    }

    @Test func theEncoderGetsThemWithTheirFrame() throws {
        let fake = try FakeSession()
        for number in 0..<4 {
            let map = QPOffsets(columns: 1, rows: 1, values: [Float(number)])
            try fake.encode(number, options: FrameOptions(qpOffsets: number % 2 == 1 ? map : nil))
        }
        try fake.session.complete()
        let told = fake.encoders.happened.frames.map { $0.qpOffsets }
        #expect(told == [nil, [1, 1, 1, 1], nil, [3, 3, 3, 3]])
    }
}
