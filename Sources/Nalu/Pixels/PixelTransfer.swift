import CPixelKernels

/// Converts frames of any format and size to 4:2:0, the input of encoders.
///
/// - RGB becomes YCbCr with the given matrix in the destination's range. Each value is within 1 of the exact result (in
///   fact the exact value, off by at most 0.02, rounded). Alpha is ignored: colours are neither multiplied nor divided
///   by it.
/// - YCbCr keeps its matrix, and changes range if the formats differ in it.
/// - 8 bits become 10 exactly in video range: four times the value. In full range 255 becomes 1023. Rounding 10 bits to
///   8 takes halves to the even neighbour, so that a picture becomes neither brighter nor darker. RGB and packed 4:2:2
///   become 4:2:0 in 8 bits. Frames of 8 bits are scaled in 8 bits, frames of 10 bits in 10.
/// - Gray becomes luma in the destination's range, with chroma 128 (512 in 10 bits).
/// - A chroma sample is the average of its 2x2 pixels (of two rows if the source is 4:2:2). It lies in their centre, as
///   in MPEG-1 and JPEG. An odd last column or row counts twice.
/// - A source of another size is scaled to fill the destination, without letterboxing. Areas are averaged if a side
///   shrinks to less than half. Otherwise libyuv's filters are used (averages for exact halves, bilinear for other
///   ratios).
///
/// Not safe for several threads at once: a transfer keeps scratch memory from one frame to the next. A run of similar
/// frames therefore allocates nothing further. (libyuv allocates a few rows in each call that scales.)
public final class PixelTransfer {
    /// The best kernel level that may be used. Tests lower it.
    let limit: Int32
    var pixelScratch = ScratchMemory()
    var frameScratch = ScratchMemory()
    var chromaScratch = ScratchMemory()
    var shrinkScratch = ScratchMemory()
    var sumScratch = ScratchMemory()
    var deepScratch = ScratchMemory()

    public init() {
        limit = Int32(NALU_KERNEL_AVX512)
    }

    init(limit: Int) {
        self.limit = Int32(limit)
    }

    /// Converts `source` into `destination`, and scales it if the sizes differ. The destination must be one of
    /// `'420v'`, `'420f'`, `'y420'`, `'f420'`, `'x420'` and `'xf20'`. No byte outside the destination's rows is
    /// written.
    ///
    /// `matrix` is used for RGB only. Throws `.pixelTransferNotSupported` for the destination's format, or
    /// `.allocationFailed`.
    public func transfer(from source: PixelView, to destination: PixelView, matrix: ColorMatrix) throws(NaluError) {
        try transfer(
            from: source, to: destination, pictureWidth: destination.width, pictureHeight: destination.height,
            matrix: matrix)
    }

    /// Converts and scales between buffers. Throws as the method for views does.
    public func transfer(from source: PixelBuffer, to destination: PixelBuffer, matrix: ColorMatrix) throws(NaluError) {
        try transfer(from: source.view, to: destination.view, matrix: matrix)
        withExtendedLifetime((source, destination)) {}
    }

    /// Converts a picture into the top left corner of a larger destination, and fills the rest by repeating the
    /// picture's last column and row. H.264 in 4:2:0 has even sizes only, so that a picture of 641x361 needs a frame of
    /// 642x362.
    ///
    /// - Parameter pictureWidth: the width that the picture fills in the destination, 1...destination.width. A source
    ///   of that size is not scaled. The same holds for `pictureHeight`.
    ///
    /// Throws `.pixelTransferNotSupported` for the destination's format, `.invalidSize` for `pictureWidth` or
    /// `pictureHeight`, or `.allocationFailed`.
    public func transfer(
        from source: PixelView, to destination: PixelView, pictureWidth: Int, pictureHeight: Int, matrix: ColorMatrix
    ) throws(NaluError) {
        guard destination.format.is420 else {
            throw NaluError(
                .pixelTransferNotSupported,
                "destination has the format \(destination.format); frames are converted to '420v', '420f', 'y420', 'f420', "
                    + "'x420' and 'xf20' only")
        }
        func check(_ name: StaticString, _ value: Int, _ maximum: Int) throws(NaluError) {
            guard (1...maximum).contains(value) else {
                throw NaluError(
                    .invalidSize,
                    "the \(name) is \(value) pixels; expected 1 to \(maximum), the size of the destination")
            }
        }
        try check("picture width", pictureWidth, destination.width)
        try check("picture height", pictureHeight, destination.height)

        let picture = destination.corner(width: pictureWidth, height: pictureHeight)
        if source.format.bitDepth > 8 || destination.format.bitDepth > 8 {
            try transferDeep(source, to: picture, matrix: matrix)
        } else if source.width == pictureWidth && source.height == pictureHeight {
            convert(source, to: picture, matrix: matrix)
        } else {
            try scale(source, to: picture, matrix: matrix)
        }
        extendEdges(of: picture, to: destination)
    }

    private func extendEdges(of picture: PixelView, to destination: PixelView) {
        guard picture.width < destination.width || picture.height < destination.height else { return }
        for index in 0..<destination.planeCount {
            unsafe destination.plane(index).extendEdges(
                width: picture.planeWidth(index), height: picture.planeHeight(index),
                newWidth: destination.planeWidth(index), newHeight: destination.planeHeight(index),
                bytesPerSample: (destination.format.isBiplanar420 && index == 1 ? 2 : 1)
                    * destination.format.bytesPerSample)
        }
    }
}

/// Memory that is reused and only ever grows.
struct ScratchMemory: ~Copyable {
    private var memory: PixelMemory?
    private var capacity = 0

    init() {}

    deinit {
        unsafe memory?.release()
    }

    /// Returns at least `byteCount` bytes, aligned to 64 bytes. They are valid until the next call; their contents are
    /// undefined.
    ///
    /// Throws `.allocationFailed`; the previous memory is then freed too.
    mutating func reserve(_ byteCount: Int) throws(NaluError) -> UnsafeMutableRawPointer {
        if let memory, capacity >= byteCount { return unsafe memory.baseAddress }
        unsafe memory?.release()
        memory = nil
        let larger = try PixelMemory(byteCount: byteCount)
        memory = larger
        capacity = byteCount
        return unsafe larger.baseAddress
    }
}
