import Testing

@testable import Nalu

@Suite struct PixelFormatTests {
    @Test func `a format names itself as people write it`() {
        #expect("\(PixelFormat.nv12)" == "'420v'")
        #expect("\(PixelFormat.gray8)" == "'L008'")
        #expect("\(PixelFormat.bgr24)" == "'24BG'")
        #expect("\(PixelFormat.argb)" == "32 (ARGB)")
        #expect("\(PixelFormat.rgb24)" == "24 (RGB)")
        #expect("\(PixelFormat(rawValue: 7))" == "0x00000007")
    }

    @Test func `every known format has planes and a row size`() {
        for format in PixelFormat.supported {
            #expect(format.isSupported)
            for plane in 0..<3 {
                let isThere = plane < format.planeCount
                #expect((format.planeWidth(plane, ofWidth: 5) > 0) == isThere)
                #expect((format.planeHeight(plane, ofHeight: 5) > 0) == isThere)
                #expect((format.minimumBytesPerRow(plane, ofWidth: 5) > 0) == isThere)
            }
        }
        #expect(PixelFormat(rawValue: 0).planeCount == 0)
    }

    @Test func `odd sizes round chroma up and hold a whole last pair`() {
        #expect(PixelFormat.nv12.minimumBytesPerRow(1, ofWidth: 641) == 642)
        #expect(PixelFormat.i420.minimumBytesPerRow(2, ofWidth: 641) == 321)
        #expect(PixelFormat.nv12.planeHeight(1, ofHeight: 361) == 181)
        #expect(PixelFormat.uyvy.minimumBytesPerRow(0, ofWidth: 641) == 1284)
        #expect(PixelFormat.nv16.minimumBytesPerRow(1, ofWidth: 641) == 642)
        #expect(PixelFormat.nv16.planeHeight(1, ofHeight: 361) == 361)
        #expect(PixelFormat.nv24.minimumBytesPerRow(1, ofWidth: 641) == 1282)
        #expect(PixelFormat.sv20.minimumBytesPerRow(1, ofWidth: 641) == 1284)
        #expect(PixelFormat.sv20.planeHeight(1, ofHeight: 361) == 181)
        #expect(PixelFormat.sv44.minimumBytesPerRow(1, ofWidth: 641) == 2564)
        #expect(PixelFormat.bgr24.minimumBytesPerRow(0, ofWidth: 641) == 1923)
        #expect(PixelFormat.abgr.minimumBytesPerRow(0, ofWidth: 641) == 2564)
    }

    @Test func `the range of a format is what its code says`() {
        let full = PixelFormat.supported.filter(\.isFullRange)
        #expect(
            full == [
                .nv12FullRange, .i420FullRange, .bgra, .rgba, .argb, .abgr, .rgb24, .bgr24, .gray8, .x420FullRange,
                .nv16FullRange, .nv24FullRange, .x422FullRange, .x444FullRange, .sv20FullRange, .sv22FullRange,
                .sv44FullRange,
            ])
        #expect(
            PixelFormat.supported.filter(\.is420)
                == [.nv12, .nv12FullRange, .i420, .i420FullRange, .x420, .x420FullRange])
        #expect(
            PixelFormat.supported.filter { $0.bitDepth == 10 }
                == [.x420, .x420FullRange, .x422, .x422FullRange, .x444, .x444FullRange])
        #expect(
            PixelFormat.supported.filter { $0.bitDepth == 16 }
                == [.sv20, .sv20FullRange, .sv22, .sv22FullRange, .sv44, .sv44FullRange])
    }

    @Test func `the automatic matrix changes at 720 lines`() throws {
        #expect(ColorMatrix.automatic(height: 719) == .itu601)
        #expect(ColorMatrix.automatic(height: 720) == .itu709)
        #expect(try ColorMatrix.numbered(0, height: 1080) == .itu709)
        let numbered = try (1...4).map { try ColorMatrix.numbered($0, height: 1) }
        #expect(numbered == [.itu709, .itu601, .itu2020, .smpte240m])
        #expect(ColorMatrix(rawValue: "SMPTE_240M_1995") == .smpte240m)
        let sentence = "matrix is 5; expected a NALU_MATRIX_ constant, 0 to 4"
        #expect(throws: NaluError(.outOfRange, sentence)) {
            try ColorMatrix.numbered(5, height: 1)
        }
    }
}
