internal import Nalu
internal import NaluLibc

/// Draws the pictures of the test source in `'420v'` or `'y420'`: a pattern that moves to the left and upwards by 2 and 1
/// pixels per picture, a white box of 32 x 32 pixels that moves to the right, and a box at the left that is white during
/// a beep. The top left corner has two rows of 32 boxes of 8 x 8 pixels, most significant bit first, with luma 235 for 1
/// and 16 for 0: the frame counter, and the host time of capture in milliseconds modulo 2^32.
struct TestPicture {
    private let format: PixelFormat
    private let width: Int
    private let height: Int
    /// One texture for each plane.
    private let textures: [TestTexture]

    private static let period = 256
    private static let boxSize = 8
    private static let bits = 32
    private static let white: UInt8 = 235
    private static let black: UInt8 = 16

    init(_ format: PixelFormat, width: Int, height: Int) throws(NaluError) {
        self.format = format
        self.width = width
        self.height = height
        /// A triangle wave from 0 to 127 with the period 256.
        func wave(_ position: Int) -> Int {
            let place = position & 255
            return place < 128 ? place : 255 - place
        }
        func blue(_ column: Int, _ row: Int) -> UInt8 { UInt8(64 + wave(column * 2 + row * 2)) }
        func red(_ column: Int, _ row: Int) -> UInt8 { UInt8(64 + wave(row * 2 + 64)) }
        let half = Self.period / 2
        let luma = TestTexture(rows: Self.period, period: Self.period, width: width) { column, row in
            UInt8(40 + (wave(column) + wave(row * 2)) / 2 + (column / 16 + row / 16) % 2 * 24)
        }
        let chromaWidth = (width + 1) / 2
        if format == .i420 {
            textures = [
                luma, TestTexture(rows: half, period: half, width: chromaWidth, value: blue),
                TestTexture(rows: half, period: half, width: chromaWidth, value: red),
            ]
        } else {
            textures = [
                luma,
                TestTexture(rows: half, period: 2 * half, width: 2 * chromaWidth) { column, row in
                    column % 2 == 0 ? blue(column / 2, row) : red(column / 2, row)
                },
            ]
        }
    }

    /// Draws a picture.
    ///
    /// - Parameter view: a view of the size and format that the initializer received.
    func draw(to view: PixelView, number: UInt64, milliseconds: UInt32, isBeeping: Bool) {
        let shift = Int(number % UInt64(Self.period))
        for plane in 0..<view.planeCount {
            // Chroma planes have half the size, and '420v' has two bytes for each pair.
            let column = plane == 0 ? shift * 2 % Self.period : shift % (Self.period / 2) * (format == .i420 ? 1 : 2)
            unsafe textures[plane].copy(
                to: view.plane(plane), width: view.bytesPerRow(plane), height: view.planeHeight(plane),
                column: column, row: plane == 0 ? shift : shift / 2)
        }
        let box = 32
        if height >= 3 * box {
            let travel = max(1, width - box)
            fill(view, Self.white, x: Int(number * 4 % UInt64(travel)), y: height / 2, width: box, height: box)
            fill(view, isBeeping ? Self.white : Self.black, x: 0, y: 24, width: box, height: box)
        }
        clearChroma(view, width: Self.bits * Self.boxSize, height: 2 * Self.boxSize)
        drawBits(UInt32(truncatingIfNeeded: number), y: 0, view)
        drawBits(milliseconds, y: Self.boxSize, view)
    }

    private func drawBits(_ value: UInt32, y: Int, _ view: PixelView) {
        for bit in 0..<Self.bits {
            let isSet = value >> UInt32(Self.bits - 1 - bit) & 1 == 1
            fill(
                view, isSet ? Self.white : Self.black, x: bit * Self.boxSize, y: y, width: Self.boxSize,
                height: Self.boxSize)
        }
    }

    /// Fills a rectangle of luma, which must lie inside the picture.
    private func fill(_ view: PixelView, _ value: UInt8, x: Int, y: Int, width: Int, height: Int) {
        let plane = unsafe view.plane(0)
        for row in y..<(y + height) {
            let start = unsafe plane.baseAddress + row * plane.stride + x
            unsafe start.initializeMemory(as: UInt8.self, repeating: value, count: width)
        }
    }

    /// Makes the chroma of the top left corner neutral.
    private func clearChroma(_ view: PixelView, width: Int, height: Int) {
        for index in 1..<view.planeCount {
            let plane = unsafe view.plane(index)
            let count = width / 2 * (format == .i420 ? 1 : 2)
            for row in 0..<(height / 2) {
                unsafe (plane.baseAddress + row * plane.stride).initializeMemory(
                    as: UInt8.self, repeating: 128, count: count)
            }
        }
    }
}

/// A plane of a repeating pattern, from which each row of a picture is copied.
struct TestTexture {
    private let rows: Int
    private let rowBytes: Int
    private let bytes: [UInt8]

    /// - Parameters:
    ///   - rows: the period of the pattern downwards.
    ///   - period: the period to the right, in bytes.
    ///   - width: the bytes of the longest copied row.
    ///   - value: the byte at a column and a row.
    init(rows: Int, period: Int, width: Int, value: (_ column: Int, _ row: Int) -> UInt8) {
        self.rows = rows
        rowBytes = width + period
        let pattern = (0..<rows).map { row in (0..<period).map { value($0, row) } }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows * rowBytes)
        for row in pattern {
            for column in 0..<rowBytes { bytes.append(row[column % period]) }
        }
        self.bytes = bytes
    }

    /// Copies the pattern to a plane.
    ///
    /// - Parameters:
    ///   - column: the first copied byte of each row, less than the period.
    ///   - row: the first copied row.
    func copy(to plane: PixelPlane, width: Int, height: Int, column: Int, row: Int) {
        unsafe bytes.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            for y in 0..<height {
                let start = (row + y) % rows * rowBytes + column
                unsafe plane.baseAddress.advanced(by: y * plane.stride).copyMemory(from: base + start, byteCount: width)
            }
        }
    }
}
