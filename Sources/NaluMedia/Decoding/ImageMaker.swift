internal import CFFmpeg
internal import CPixelKernels
internal import Nalu
internal import NaluBase

/// Makes the client's images from a decoder's pictures.
final class ImageMaker {
    struct Image {
        let buffer: PixelBuffer
        /// Whether nothing else reads the pixels.
        let isModifiable: Bool
    }

    private let options: DecompressionSession.Options
    /// The buffers of pictures whose layout pixel buffers lack, of scaled intermediate pictures, and of delivered
    /// images.
    private let native = ImagePool()
    private let scaled = ImagePool()
    private let images = ImagePool()
    private let transfer = PixelTransfer()

    init(_ options: DecompressionSession.Options) {
        self.options = options
    }

    func image(of picture: DecodedPicture) throws(NaluError) -> Image {
        let (colorSpace, pictureHeight) = (Int(picture.fields.colorspace.rawValue), picture.height)
        let (image, format) = try nativeImage(of: picture)
        let size = (image.buffer.width, image.buffer.height)
        let width = options.width ?? size.0
        let height = options.height ?? size.1
        let isScaled = (width, height) != size
        let wanted =
            if let format = options.pixelFormat {
                format
            } else if let format {
                isScaled ? format.scalable.code : format.code
            } else {
                PixelFormat.bgra
            }
        guard RGBConversion.isRGB(wanted) else { return try transferred(image, wanted, width, height, images) }
        if !isScaled && format == nil { return image }
        let source = isScaled ? format?.scalable ?? .scaledRGB : format ?? .scaledRGB
        let prepared = try transferred(image, source.code, width, height, scaled)
        let result = try images.buffer(wanted, width, height)
        // Scaled RGB was converted to YCbCr with the matrix of its new height.
        let matrix =
            format == nil ? .automatic(height: height) : ColorMatrix(coefficients: colorSpace, height: pictureHeight)
        RGBConversion(matrix, from: source, to: wanted)?.convert(prepared.buffer, to: result)
        return Image(buffer: result, isModifiable: true)
    }

    /// Returns the image itself if it has this format and size, or a converted copy.
    private func transferred(
        _ image: Image, _ format: PixelFormat, _ width: Int, _ height: Int, _ pool: ImagePool
    ) throws(NaluError) -> Image {
        let source = image.buffer
        if (source.format, source.width, source.height) == (format, width, height) { return image }
        let made = try pool.buffer(format, width, height)
        do throws(NaluError) {
            try transfer.transfer(from: source, to: made, matrix: .automatic(height: height))
        } catch {
            throw NaluError(error.status, "a picture cannot be converted: \(error.message)")
        }
        return Image(buffer: made, isModifiable: true)
    }

    /// Returns the picture as it was decoded, in a format of pixel buffers. RGB has no YCbCr format: it gets the layout
    /// that the client has requested, or BGRA.
    private func nativeImage(of picture: DecodedPicture) throws(NaluError) -> (Image, ImageFormat?) {
        let (width, height) = (picture.width, picture.height)
        let pixels = AVPixelFormat(picture.fields.format)
        // FFmpeg has separate names for pictures in JPEG's range.
        let isFull =
            [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P].contains(pixels)
            || picture.fields.color_range == AVCOL_RANGE_JPEG
        guard let layout = PictureLayout(pixels), !layout.isRGB || layout.depth == 8 else { throw Self.unknownPicture }
        if layout.isRGB {
            let wanted = options.pixelFormat.flatMap { RGBConversion.isRGB($0) ? $0 : nil } ?? .bgra
            let made = try native.buffer(wanted, width, height)
            RGBConversion.interleave(picture, to: made, wanted)
            return (Image(buffer: made, isModifiable: true), nil)
        }
        guard let format = ImageFormat(layout, isFullRange: isFull) else { throw Self.unknownPicture }
        if format.code.planeCount == 3, layout.hasChroma {
            return (Image(buffer: try wrap(picture, format.code), isModifiable: false), format)
        }
        let made = try native.buffer(format.code, width, height)
        if !layout.hasChroma && layout.depth == 8 {
            copyGray(picture, to: made)
        } else if layout.depth == 8 {
            copyBytes(picture, to: made)
        } else {
            copyWords(picture, to: made, shift: 16 - layout.depth, hasChroma: layout.hasChroma)
        }
        return (Image(buffer: made, isModifiable: true), format)
    }

    private static var unknownPicture: NaluError {
        NaluError(
            .unsupportedDataFormat,
            "a picture has a layout that no pixel format has; expected 8 to 14 bits, or RGB with 8")
    }

    // MARK: - Planes

    /// Wraps the picture's planes without copying them. The buffer keeps the picture alive.
    private func wrap(_ picture: DecodedPicture, _ format: PixelFormat) throws(NaluError) -> PixelBuffer {
        let view: PixelView
        do throws(NaluError) {
            view = try picture.view(format)
        } catch {
            throw NaluError(error.status, "a decoded picture cannot become a pixel buffer")
        }
        return PixelBuffer(wrapping: view) { withExtendedLifetime(picture) {} }
    }

    /// Copies luma, and fills chroma with its neutral value.
    private func copyGray(_ picture: DecodedPicture, to buffer: PixelBuffer) {
        for plane in 0..<buffer.planeCount {
            let width = buffer.planeWidth(plane)
            unsafe buffer.eachRow(ofPlane: plane) { target, y in
                if plane > 0 {
                    unsafe target.initializeMemory(as: UInt8.self, repeating: 128, count: width)
                } else if let source = unsafe picture.row(y, ofPlane: 0, as: UInt8.self) {
                    unsafe target.copyMemory(from: source, byteCount: width)
                }
            }
        }
    }

    /// Copies 8-bit planes, and interleaves Cb and Cr into one plane.
    private func copyBytes(_ picture: DecodedPicture, to buffer: PixelBuffer) {
        let width = buffer.width
        unsafe buffer.eachRow(ofPlane: 0) { target, y in
            guard let source = unsafe picture.row(y, ofPlane: 0, as: UInt8.self) else { return }
            unsafe target.copyMemory(from: source, byteCount: width)
        }
        let pairs = Int32(buffer.planeWidth(1))
        unsafe buffer.eachRow(ofPlane: 1) { target, y in
            unsafe nalu_byte_pairs(
                picture.row(y, ofPlane: 1, as: UInt8.self), picture.row(y, ofPlane: 2, as: UInt8.self), pairs,
                target.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Copies planes of 16-bit words from the low bits to the high bits, and interleaves Cb and Cr into one plane.
    private func copyWords(_ picture: DecodedPicture, to buffer: PixelBuffer, shift: Int32, hasChroma: Bool) {
        let width = Int32(buffer.width)
        unsafe buffer.eachRow(ofPlane: 0) { target, y in
            unsafe nalu_words_shifted(
                picture.row(y, ofPlane: 0, as: UInt16.self), width, shift, target.assumingMemoryBound(to: UInt16.self))
        }
        let pairs = Int32(buffer.planeWidth(1))
        unsafe buffer.eachRow(ofPlane: 1) { target, y in
            if hasChroma {
                unsafe nalu_word_pairs_shifted(
                    picture.row(y, ofPlane: 1, as: UInt16.self), picture.row(y, ofPlane: 2, as: UInt16.self), pairs,
                    shift, target.assumingMemoryBound(to: UInt16.self))
            } else {
                unsafe target.initializeMemory(as: UInt16.self, repeating: 1 << 15, count: 2 * Int(pairs))
            }
        }
    }
}

/// Buffers of one format and size. A request for another format or size replaces the pool.
private final class ImagePool {
    private var pool: PixelBufferPool?

    func buffer(_ format: PixelFormat, _ width: Int, _ height: Int) throws(NaluError) -> PixelBuffer {
        do throws(NaluError) {
            if let pool, (pool.format, pool.width, pool.height) == (format, width, height) {
                return try pool.makeBuffer()
            }
            // The former pool frees its memory before the next one allocates.
            pool = nil
            let made = try PixelBufferPool(format: format, width: width, height: height)
            pool = made
            return try made.makeBuffer()
        } catch {
            throw NaluError(.allocationFailed, "no memory for an image")
        }
    }
}

extension PixelBuffer {
    /// Returns the first byte of a row; nil if there is no such plane.
    func row(_ y: Int, ofPlane plane: Int) -> UnsafeMutableRawPointer? {
        unsafe planeBaseAddress(plane).map { unsafe $0 + planeStride(plane) * y }
    }

    /// Calls `body` with the first byte and the number of each row.
    func eachRow(ofPlane plane: Int, _ body: (UnsafeMutableRawPointer, Int) -> Void) {
        guard let base = unsafe planeBaseAddress(plane) else { return }
        let stride = planeStride(plane)
        for y in 0..<planeHeight(plane) { unsafe body(base + stride * y, y) }
    }
}
