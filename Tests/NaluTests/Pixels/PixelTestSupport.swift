import Testing

@testable import Nalu

/// A random number generator that is the same in every run (SplitMix64).
struct Noise: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// A frame with its own planes and an arbitrary distance between rows. Each plane ends with the last byte of its last
/// row, so that AddressSanitizer detects any access beyond it. `margin` adds bytes around the plane that a test without
/// a sanitizer can check.
final class TestFrame {
    static let canary: UInt8 = 0xa5

    let view: PixelView
    private let blocks: [UnsafeMutableRawBufferPointer]
    private let margin: Int
    // These values are needed for millions of samples in unoptimized code, so they are stored.
    private let rows: [(bytes: UnsafeMutablePointer<UInt8>, stride: Int)]
    private let hasWords: Bool
    private let sampleShift: Int
    private let isInterleaved: Bool

    init(
        _ format: PixelFormat, _ width: Int, _ height: Int, padding: Int = 0, margin: Int = 0, noise seed: UInt64? = nil
    ) throws {
        var blocks: [UnsafeMutableRawBufferPointer] = []
        var strides: [Int] = []
        for plane in 0..<format.planeCount {
            let rowBytes = format.minimumBytesPerRow(plane, ofWidth: width)
            // Rows of words begin at even addresses.
            let stride = rowBytes + (format.bytesPerSample == 2 ? padding & ~1 : padding)
            let size = stride * (format.planeHeight(plane, ofHeight: height) - 1) + rowBytes
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: size + 2 * margin, alignment: 1)
            _ = block.initializeMemory(as: UInt8.self, repeating: Self.canary)
            blocks.append(block)
            strides.append(stride)
        }
        self.blocks = blocks
        self.margin = margin
        if format.isSupported {
            view = try PixelView.validated(
                format: format, width: width, height: height,
                planes: blocks.map { UnsafeRawBufferPointer(rebasing: $0[margin..<($0.count - margin)]) },
                strides: strides)
        } else {
            // The encoder's internal format has two planes, and no client can use it.
            let planes = (0..<2).map { PixelPlane(blocks[$0].baseAddress! + margin, strides[$0]) }
            view = PixelView(unchecked: format, width: width, height: height, planes[0], planes[1], planes[0])
        }
        let view = view
        rows = (0..<format.planeCount).map { plane in
            let place = view.plane(plane)
            return (place.baseAddress.assumingMemoryBound(to: UInt8.self), place.stride)
        }
        hasWords = format.bytesPerSample == 2
        sampleShift = format.sampleShift
        isInterleaved = format.planeCount == 2
        if let seed {
            var noise = Noise(seed)
            fill { _, _, _ in UInt8(truncatingIfNeeded: noise.next()) }
        }
    }

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Sets every byte of every row. The arguments of `value` are the plane, the byte's index in the row, and the row.
    func fill(_ value: (Int, Int, Int) -> UInt8) {
        for plane in 0..<view.planeCount {
            let (start, stride) = rows[plane]
            let bytesPerRow = view.bytesPerRow(plane)
            for y in 0..<view.planeHeight(plane) {
                let row = start + y * stride
                var x = 0
                while x < bytesPerRow {
                    row[x] = value(plane, x, y)
                    x += 1
                }
            }
        }
    }

    subscript(plane: Int, x: Int, y: Int) -> UInt8 {
        let (start, stride) = rows[plane]
        return start[y * stride + x]
    }

    /// Returns a sample on the scale of its depth.
    func sample(_ plane: Int, _ x: Int, _ y: Int) -> Int {
        guard hasWords else { return Int(self[plane, x, y]) }
        return (Int(self[plane, 2 * x, y]) | Int(self[plane, 2 * x + 1, y]) << 8) >> sampleShift
    }

    /// The bytes of all rows of all planes, without padding.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for plane in 0..<view.planeCount {
            let place = view.plane(plane)
            for y in 0..<view.planeHeight(plane) {
                bytes += UnsafeRawBufferPointer(
                    start: place.baseAddress + y * place.stride, count: view.bytesPerRow(plane))
            }
        }
        return bytes
    }

    /// True if the margins and the padding between rows are unchanged.
    var isIntactOutside: Bool {
        for plane in 0..<view.planeCount {
            let block = blocks[plane]
            let (stride, rowBytes) = (view.plane(plane).stride, view.bytesPerRow(plane))
            if !block[..<margin].allSatisfy({ $0 == Self.canary }) { return false }
            for y in 0..<view.planeHeight(plane) {
                let end = margin + y * stride + rowBytes
                let next = min(margin + (y + 1) * stride, block.count)
                if !block[end..<next].allSatisfy({ $0 == Self.canary }) { return false }
            }
        }
        return true
    }

    /// Returns Cb (0) or Cr (1) of a frame with two or three planes, on the scale of its depth.
    func chromaSample(_ component: Int, _ x: Int, _ y: Int) -> Int {
        isInterleaved ? sample(1, 2 * x + component, y) : sample(1 + component, x, y)
    }

    /// Returns Cb (0) or Cr (1) of a 4:2:0 frame of 8 bits.
    func chroma(_ component: Int, _ x: Int, _ y: Int) -> UInt8 {
        isInterleaved ? self[1, 2 * x + component, y] : self[1 + component, x, y]
    }
}

extension PixelTransfer {
    /// Converts between test frames, which a view alone would not keep alive.
    func transfer(
        from source: TestFrame, to destination: TestFrame, pictureWidth: Int? = nil, pictureHeight: Int? = nil,
        matrix: ColorMatrix = .itu709
    ) throws {
        try withExtendedLifetime((source, destination)) {
            try transfer(
                from: source.view, to: destination.view, pictureWidth: pictureWidth ?? destination.view.width,
                pictureHeight: pictureHeight ?? destination.view.height, matrix: matrix)
        }
    }
}

/// The conversion in doubles, directly from the standards' formulas.
struct ExactConversion {
    let source: TestFrame
    let matrix: ColorMatrix
    let isFullRange: Bool

    /// Returns luma on a scale of 0...1, and Cb and Cr on a scale of -0.5...0.5, of one source pixel.
    private func components(_ x: Int, _ y: Int) -> (Double, Double, Double) {
        let format = source.view.format
        func byte(_ plane: Int, _ x: Int, _ y: Int) -> Double { Double(source[plane, x, y]) }
        func scaled(_ luma: Double, _ cb: Double, _ cr: Double) -> (Double, Double, Double) {
            format.isFullRange
                ? (luma / 255, (cb - 128) / 255, (cr - 128) / 255)
                : ((luma - 16) / 219, (cb - 128) / 224, (cr - 128) / 224)
        }
        func colour(_ red: Int, _ green: Int, _ blue: Int, _ bytes: Int) -> (Double, Double, Double) {
            ExactConversion.colour(
                byte(0, bytes * x + red, y), byte(0, bytes * x + green, y), byte(0, bytes * x + blue, y), matrix)
        }
        switch format {
        case .bgra: return colour(2, 1, 0, 4)
        case .rgba: return colour(0, 1, 2, 4)
        case .argb: return colour(1, 2, 3, 4)
        case .abgr: return colour(3, 2, 1, 4)
        case .rgb24: return colour(0, 1, 2, 3)
        case .bgr24: return colour(2, 1, 0, 3)
        case .uyvy: return scaled(byte(0, 2 * x + 1, y), byte(0, x / 2 * 4, y), byte(0, x / 2 * 4 + 2, y))
        case .yuyv: return scaled(byte(0, 2 * x, y), byte(0, x / 2 * 4 + 1, y), byte(0, x / 2 * 4 + 3, y))
        case .gray8: return (byte(0, x, y) / 255, 0, 0)
        case .x420, .x420FullRange:
            let luma = Double(source.sample(0, x, y))
            let (cb, cr) = (source.chromaSample(0, x / 2, y / 2), source.chromaSample(1, x / 2, y / 2))
            return format.isFullRange
                ? (luma / 1023, Double(cb - 512) / 1023, Double(cr - 512) / 1023)
                : scaled(luma / 4, Double(cb) / 4, Double(cr) / 4)
        case _ where format.family == .biplanarSource:
            let (column, row) = (x / format.chromaColumns, y / format.chromaRows)
            let (cb, cr) = (source.chromaSample(0, column, row), source.chromaSample(1, column, row))
            let unit = Double(1 << (format.bitDepth - 8))
            guard format.isFullRange else {
                return scaled(Double(source.sample(0, x, y)) / unit, Double(cb) / unit, Double(cr) / unit)
            }
            let (largest, middle) = (256 * unit - 1, 128 * unit)
            return (
                Double(source.sample(0, x, y)) / largest, (Double(cb) - middle) / largest,
                (Double(cr) - middle) / largest
            )
        default:
            return scaled(
                byte(0, x, y), Double(source.chroma(0, x / 2, y / 2)), Double(source.chroma(1, x / 2, y / 2)))
        }
    }

    static func colour(_ red: Double, _ green: Double, _ blue: Double, _ matrix: ColorMatrix) -> (
        Double, Double, Double
    ) {
        let luma = (matrix.kr * red + (1 - matrix.kr - matrix.kb) * green + matrix.kb * blue) / 255
        return (luma, (blue / 255 - luma) / (2 * (1 - matrix.kb)), (red / 255 - luma) / (2 * (1 - matrix.kr)))
    }

    static func luma(_ value: Double, isFullRange: Bool) -> Double {
        min(max(isFullRange ? value * 255 : 16 + value * 219, 0), 255)
    }

    static func chroma(_ value: Double, isFullRange: Bool) -> Double {
        min(max(128 + value * (isFullRange ? 255 : 224), 0), 255)
    }

    func luma(_ x: Int, _ y: Int) -> Double {
        Self.luma(components(x, y).0, isFullRange: isFullRange)
    }

    /// Returns the chroma of the block at (2x, 2y). At the frame's edge the first column or row is used twice.
    func chroma(_ x: Int, _ y: Int) -> (Double, Double) {
        let (right, below) = (min(2 * x + 1, source.view.width - 1), min(2 * y + 1, source.view.height - 1))
        let block = [
            components(2 * x, 2 * y), components(right, 2 * y), components(2 * x, below), components(right, below),
        ]
        let (cb, cr) = block.reduce((0, 0)) { ($0.0 + $1.1 / 4, $0.1 + $1.2 / 4) }
        return (Self.chroma(cb, isFullRange: isFullRange), Self.chroma(cr, isFullRange: isFullRange))
    }

    /// Returns the largest error of a converted frame of the source's size.
    func largestError(of result: TestFrame) -> Double {
        var largest = 0.0
        for y in 0..<result.view.height {
            for x in 0..<result.view.width { largest = max(largest, abs(Double(result[0, x, y]) - luma(x, y))) }
        }
        for y in 0..<((result.view.height + 1) / 2) {
            for x in 0..<((result.view.width + 1) / 2) {
                let (cb, cr) = chroma(x, y)
                largest = max(largest, abs(Double(result.chroma(0, x, y)) - cb))
                largest = max(largest, abs(Double(result.chroma(1, x, y)) - cr))
            }
        }
        return largest
    }
}

let destinationFormats: [PixelFormat] = [.nv12, .nv12FullRange, .i420, .i420FullRange]
