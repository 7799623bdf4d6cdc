import CPixelKernels

/// Converts frames of any format and size into 4:2:0, what an encoder takes.
///
/// - RGB becomes YCbCr with the given matrix in the destination's range; each value is within 1 of the exact
///   arithmetic (in fact the exact value, off by at most 0.02, rounded). Alpha is ignored: colours are taken as they
///   stand, neither multiplied nor divided by it.
/// - YCbCr keeps its matrix, and changes range where the formats demand it.
/// - 8 bits become 10 exactly in video range: four times the value; in full range 255 becomes 1023. 10 bits are
///   rounded to 8, halves to the even neighbour, so that a picture gets neither brighter nor darker. What is not 4:2:0
///   becomes it in 8 bits, and frames of 8 bits are scaled in 8; frames of 10 bits are scaled in 10.
/// - Gray becomes luma in the destination's range, with chroma 128 (512 in 10 bits).
/// - A chroma sample is the average of its 2x2 pixels (of two rows where the source is 4:2:2), so it sits in their
///   centre, as in MPEG-1 and JPEG. An odd last column or row counts twice.
/// - A source of another size is scaled to fill the destination, without letterboxing: by averaging areas where a
///   side shrinks to less than half, otherwise with libyuv's filters (averages for exact halves, else bilinear).
///
/// Not safe for several threads at once: a transfer keeps scratch memory from one frame to the next, so that a run of
/// like frames allocates nothing of its own. (libyuv allocates a few rows in each call that scales.)
public final class PixelTransfer {
    /// The best level of kernel that may be used; tests lower it.
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

    /// Converts and, when the sizes differ, scales `source` into `destination`, which must be one of `'420v'`,
    /// `'420f'`, `'y420'`, `'f420'`, `'x420'` and `'xf20'`. No byte outside the destination's rows is written.
    ///
    /// `matrix` matters for RGB alone. `.pixelTransferNotSupported`: the destination's format. `.allocationFailed`.
    public func transfer(from source: PixelView, to destination: PixelView, matrix: ColorMatrix) throws(NaluError) {
        try transfer(
            from: source, to: destination, pictureWidth: destination.width, pictureHeight: destination.height,
            matrix: matrix)
    }

    /// As above, between buffers.
    public func transfer(from source: PixelBuffer, to destination: PixelBuffer, matrix: ColorMatrix) throws(NaluError) {
        try transfer(from: source.view, to: destination.view, matrix: matrix)
        withExtendedLifetime((source, destination)) {}
    }

    /// Converts a picture into the top left corner of a larger destination, and fills the rest by repeating the
    /// picture's last column and row. H.264 in 4:2:0 has even sizes only: so a picture of 641x361 comes into a frame of
    /// 642x362 unscaled.
    ///
    /// - Parameter pictureWidth: the part of the destination that the picture fills, 1...destination.width; a source
    ///   of that size is not scaled. The same for `pictureHeight`.
    ///
    /// `.pixelTransferNotSupported`: the destination's format. `.invalidSize`: `pictureWidth` or `pictureHeight`.
    /// `.allocationFailed`.
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

/// Memory that is kept from one use to the next and only ever grows.
struct ScratchMemory: ~Copyable {
    private var memory: PixelMemory?
    private var capacity = 0

    init() {}

    deinit {
        unsafe memory?.release()
    }

    /// At least `byteCount` bytes, aligned to 64, valid until the next call; their contents are undefined.
    ///
    /// `.allocationFailed`; what was there before is gone then, too.
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
