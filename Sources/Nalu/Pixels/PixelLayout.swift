/// The layout of one frame's planes in one block of memory. Each plane and each row begins at a multiple of 64 bytes.
struct PixelLayout: Sendable {
    let format: PixelFormat
    let width: Int
    let height: Int
    /// The size of the block in bytes.
    let byteCount: Int

    private let strides: (Int, Int, Int)
    private let offsets: (Int, Int)

    /// Throws `.invalidPixelFormat`, or `.invalidSize` if width or height is not in 1...16384.
    init(format: PixelFormat, width: Int, height: Int) throws(NaluError) {
        try format.check(width: width, height: height)
        self.init(checked: format, width: width, height: height)
    }

    /// Creates a layout for a format and a size that have been checked.
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

    /// Returns the frame in a block of at least ``byteCount`` bytes.
    func view(at base: UnsafeMutableRawPointer) -> PixelView {
        let first = unsafe PixelPlane(base, strides.0)
        let second = unsafe format.planeCount < 2 ? first : PixelPlane(base + offsets.0, strides.1)
        let third = unsafe format.planeCount < 3 ? first : PixelPlane(base + offsets.1, strides.2)
        return unsafe PixelView(unchecked: format, width: width, height: height, first, second, third)
    }
}
