import Testing

@testable import Nalu

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct PixelScalingTests {
    /// Source and destination sizes: enlargement, halves, thirds, thumbnails, opposite directions, single pixels, odd
    /// numbers.
    static let sizes: [(Int, Int, Int, Int)] = [
        (16, 12, 32, 24), (32, 24, 16, 12), (33, 25, 16, 12), (60, 40, 20, 13), (64, 48, 5, 3), (300, 280, 2, 1),
        (9, 50, 40, 10), (50, 9, 10, 40), (1, 1, 20, 10), (20, 10, 1, 1), (31, 17, 32, 18), (40, 30, 30, 20),
        (1, 33, 7, 9), (33, 1, 9, 7), (64, 64, 24, 24), (128, 96, 32, 24),
    ]

    @Test(arguments: sizes)
    func `a flat colour stays as it is`(width: Int, height: Int, newWidth: Int, newHeight: Int) throws {
        let transfer = PixelTransfer()
        for format in PixelFormat.supported {
            let source = try TestFrame(format, width, height, padding: 3)
            // The bytes of each plane, which repeat.
            let colour: [[UInt8]] =
                switch format {
                case .uyvy: [[90, 235, 240, 235]]
                case .yuyv: [[235, 90, 235, 240]]
                case .nv12, .nv12FullRange, .nv16, .nv16FullRange, .nv24, .nv24FullRange: [[235], [90, 240]]
                case .i420, .i420FullRange: [[235], [90], [240]]
                case _ where format.bitDepth > 8: [[235], [90, 90, 240, 240]]
                case .gray8: [[255]]
                default: [Array([250, 120, 30, 77][..<format.bytesPerPixel])]
                }
            source.fill { plane, at, _ in colour[plane][at % colour[plane].count] }
            for destination in destinationFormats {
                let one = try TestFrame(destination, width, height)
                try transfer.transfer(from: source, to: one, matrix: .itu709)
                let expected = (one[0, 0, 0], one.chroma(0, 0, 0), one.chroma(1, 0, 0))
                let result = try TestFrame(destination, newWidth, newHeight, padding: 5, margin: 64)
                try transfer.transfer(from: source, to: result, matrix: .itu709)
                var isFlat = true
                for y in 0..<newHeight {
                    for x in 0..<newWidth where result[0, x, y] != expected.0 { isFlat = false }
                }
                for y in 0..<(newHeight + 1) / 2 {
                    for x in 0..<(newWidth + 1) / 2 {
                        let chroma = (result.chroma(0, x, y), result.chroma(1, x, y))
                        if chroma != (expected.1, expected.2) { isFlat = false }
                    }
                }
                #expect(isFlat, "\(format) to \(destination)")
                #expect(result.isIntactOutside, "\(format) to \(destination)")
            }
        }
    }

    @Test(arguments: [(256, 8, 700, 20), (256, 8, 200, 8), (256, 8, 128, 4), (256, 8, 100, 3), (256, 200, 17, 3)])
    func `a gradient stays a gradient`(width: Int, height: Int, newWidth: Int, newHeight: Int) throws {
        for format in [PixelFormat.bgra, .rgb24, .gray8, .nv12FullRange, .i420FullRange] {
            let source = try TestFrame(format, width, height)
            let size = format.isRGB ? format.bytesPerPixel : 1
            source.fill { plane, at, _ in plane == 0 ? UInt8(at / size) : 128 }
            let result = try TestFrame(.nv12FullRange, newWidth, newHeight)
            try PixelTransfer().transfer(from: source, to: result, matrix: .itu709)
            for y in 0..<newHeight {
                let row = (0..<newWidth).map { Int(result[0, $0, y]) }
                #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 }, "\(format)")
                #expect(row[0] <= 16 && row[newWidth - 1] >= 239, "\(format)")
                let mean = Double(row.reduce(0, +)) / Double(newWidth)
                #expect(abs(mean - 127.5) < 1.5, "\(format)")
            }
        }
    }

    @Test func `shrinking averages the area that a sample covers`() throws {
        let source = try TestFrame(.gray8, 15, 12, noise: 3)
        let result = try TestFrame(.i420FullRange, 5, 3)
        try PixelTransfer().transfer(from: source, to: result, matrix: .itu709)
        for y in 0..<3 {
            for x in 0..<5 {
                var sum = 0
                for row in 0..<4 { for column in 0..<3 { sum += Int(source[0, 3 * x + column, 4 * y + row]) } }
                #expect(abs(Double(result[0, x, y]) - Double(sum) / 12) <= 0.5001)
            }
        }
    }

    @Test func `both layouts are scaled alike`() throws {
        let source = try TestFrame(.bgra, 60, 44, noise: 8)
        for (width, height) in [(90, 70), (30, 22), (20, 11)] {
            let (two, three) = (try TestFrame(.nv12, width, height), try TestFrame(.i420, width, height))
            try PixelTransfer().transfer(from: source, to: two, matrix: .itu709)
            try PixelTransfer().transfer(from: source, to: three, matrix: .itu709)
            for y in 0..<((height + 1) / 2) {
                for x in 0..<((width + 1) / 2) {
                    for component in 0...1 {
                        #expect(two.chroma(component, x, y) == three.chroma(component, x, y))
                    }
                }
            }
        }
    }

    @Test func `a scaled picture is padded like any other`() throws {
        let source = try TestFrame(.bgra, 50, 40, noise: 4)
        let plain = try TestFrame(.nv12, 31, 23)
        let padded = try TestFrame(.nv12, 32, 24, margin: 64)
        try PixelTransfer().transfer(from: source, to: plain, matrix: .itu709)
        try PixelTransfer().transfer(
            from: source, to: padded, pictureWidth: 31, pictureHeight: 23, matrix: .itu709)
        for y in 0..<24 { for x in 0..<32 { #expect(padded[0, x, y] == plain[0, min(x, 30), min(y, 22)]) } }
        #expect(padded.isIntactOutside)
    }

    /// A plane whose last byte precedes an inaccessible page. libyuv is built without the sanitizer, so the page
    /// detects its invalid accesses.
    private final class FencedFrame {
        private var maps: [(UnsafeMutableRawPointer, Int)] = []
        let view: PixelView

        init(_ format: PixelFormat, _ width: Int, _ height: Int) throws {
            let page = Int(getpagesize())
            var planes: [UnsafeRawBufferPointer] = []
            var strides: [Int] = []
            for plane in 0..<format.planeCount {
                let stride = format.minimumBytesPerRow(plane, ofWidth: width)
                let size = stride * format.planeHeight(plane, ofHeight: height)
                let whole = (size + page - 1) / page * page + 2 * page
                let map = try #require(mmap(nil, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0))
                try #require(map != MAP_FAILED)
                maps.append((map, whole))
                try #require(mprotect(map + whole - page, page, PROT_NONE) == 0)
                planes.append(UnsafeRawBufferPointer(start: map + whole - page - size, count: size))
                strides.append(stride)
            }
            view = try PixelView.validated(
                format: format, width: width, height: height, planes: planes, strides: strides)
        }

        deinit {
            for (map, size) in maps { munmap(map, size) }
        }
    }

    @Test func `nothing beyond the last byte of a frame is touched`() throws {
        let transfer = PixelTransfer()
        let sizes = Self.sizes + [(641, 37, 1280, 72), (640, 36, 853, 48), (130, 3, 130, 3)]
        for (width, height, newWidth, newHeight) in sizes {
            for format in PixelFormat.supported {
                let source = try FencedFrame(format, width, height)
                for destination in [PixelFormat.nv12, .i420FullRange] {
                    let result = try FencedFrame(destination, newWidth, newHeight)
                    try transfer.transfer(from: source.view, to: result.view, matrix: .itu709)
                    withExtendedLifetime((source, result)) {}
                }
            }
        }
    }
}
