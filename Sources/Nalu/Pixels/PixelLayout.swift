/// How the planes of one frame lie in one block of memory: each begins at 64 bytes, as does each row.
struct PixelLayout: Sendable {
    let format: PixelFormat
    let width: Int
    let height: Int
    /// Of the whole block.
    let byteCount: Int

    private let strides: (Int, Int, Int)
    private let offsets: (Int, Int)

    /// `.invalidPixelFormat`; `.invalidSize`: width or height is not in 1...16384.
    init(format: PixelFormat, width: Int, height: Int) throws(NaluError) {
        try format.check(width: width, height: height)
        self.init(checked: format, width: width, height: height)
    }

    /// For a format and a size that are known to be right.
    init(checked format: PixelFormat, width: Int, height: Int) {
        func stride(_ plane: Int) -> Int { PixelMemory.aligned(format.minimumBytesPerRow(plane, ofWidth: width)) }
        func size(_ plane: Int) -> Int { stride(plane) * format.planeHeight(plane, ofHeight: height) }
        self.format = format
        self.width = width
        self.height = height
        strides = (stride(0), stride(1), stride(2))
        offsets = (size(0), size(0) + size(1))
        byteCount = size(0) + size(1) + size(2)
    }

    /// The frame in a block of at least ``byteCount`` bytes.
    func view(at base: UnsafeMutableRawPointer) -> PixelView {
        let first = unsafe PixelPlane(base, strides.0)
        let second = unsafe format.planeCount < 2 ? first : PixelPlane(base + offsets.0, strides.1)
        let third = unsafe format.planeCount < 3 ? first : PixelPlane(base + offsets.1, strides.2)
        return unsafe PixelView(unchecked: format, width: width, height: height, first, second, third)
    }
}
