internal import CFFmpeg
internal import CNalu
internal import CPixelKernels
internal import NaluBase

/// Makes a client's images of a decoder's pictures.
final class ImageMaker {
    struct Image {
        let buffer: PixelBufferObject
        /// Whether nobody else reads it.
        let isModifiable: Bool
    }

    private let settings: DecoderSettings
    /// For pictures in a layout that pixel buffers do not have, for those that are scaled on the way, and for images.
    private let native = ImagePool()
    private let scaled = ImagePool()
    private let images = ImagePool()

    init(_ settings: DecoderSettings) {
        self.settings = settings
    }

    func image(of picture: PictureObject) throws(NaluError) -> Image {
        let (colorSpace, pictureHeight) = unsafe (
            Int(picture.pointer.pointee.colorspace.rawValue), picture.pointer.pointee.height
        )
        let (image, format) = try nativeImage(of: picture)
        let size = (image.buffer.width, image.buffer.height)
        let width = settings.width == 0 ? size.0 : settings.width
        let height = settings.height == 0 ? size.1 : settings.height
        let isScaled = (width, height) != size
        let wanted =
            if settings.pixelFormat != 0 {
                settings.pixelFormat
            } else if let format {
                isScaled ? format.scalable.code : format.code
            } else {
                NALU_PIXEL_FORMAT_BGRA
            }
        guard RGBConversion.isRGB(wanted) else {
            return try transferred(image, wanted, width, height, images)
        }
        if !isScaled && format == nil { return image }
        let source = isScaled ? format?.scalable ?? .scaledRGB : format ?? .scaledRGB
        let prepared = try transferred(image, source.code, width, height, scaled)
        let result = try images.buffer(wanted, width, height)
        // RGB that was scaled has become YCbCr with the matrix of its new height.
        let matrix = format == nil ? RGBConversion.Matrix(2, height: height) : .init(colorSpace, height: pictureHeight)
        RGBConversion(matrix, from: source, to: wanted)?.convert(prepared.buffer, to: result)
        return Image(buffer: result, isModifiable: true)
    }

    /// The image itself when it is as wanted; else another in its place.
    private func transferred(
        _ image: Image, _ format: nalu_pixel_format, _ width: Int32, _ height: Int32, _ pool: ImagePool
    ) throws(NaluError) -> Image {
        let source = image.buffer
        if (source.pixelFormat, source.width, source.height) == (format, width, height) { return image }
        let made = try pool.buffer(format, width, height)
        let status = unsafe nalu_pixel_transfer_image(source.handle, made.handle, Int32(NALU_MATRIX_AUTOMATIC))
        guard status == NALU_STATUS_OK else {
            throw NaluError(Status(rawValue: status), "a picture cannot be converted")
        }
        return Image(buffer: made, isModifiable: true)
    }

    /// The picture as it was decoded, in a format of pixel buffers: none of YCbCr for RGB, which comes in the layout that
    /// the client wants, or as BGRA.
    private func nativeImage(of picture: PictureObject) throws(NaluError) -> (Image, ImageFormat?) {
        let (width, height) = unsafe (picture.pointer.pointee.width, picture.pointer.pointee.height)
        let pixels = unsafe AVPixelFormat(picture.pointer.pointee.format)
        // Those in JPEG's range have names of their own.
        let isFull =
            unsafe [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P].contains(pixels)
            || picture.pointer.pointee.color_range == AVCOL_RANGE_JPEG
        guard let layout = PictureLayout(pixels), !layout.isRGB || layout.depth == 8 else { throw Self.unknownPicture }
        if layout.isRGB {
            let wanted = RGBConversion.isRGB(settings.pixelFormat) ? settings.pixelFormat : NALU_PIXEL_FORMAT_BGRA
            let made = try native.buffer(wanted, width, height)
            RGBConversion.interleave(picture, to: made, wanted)
            return (Image(buffer: made, isModifiable: true), nil)
        }
        guard let format = ImageFormat(layout, isFullRange: isFull) else { throw Self.unknownPicture }
        if format.code == NALU_PIXEL_FORMAT_Y420 || format.code == NALU_PIXEL_FORMAT_F420, layout.hasChroma {
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

    /// The picture's planes as they lie; the picture goes with the buffer.
    private func wrap(_ picture: PictureObject, _ format: nalu_pixel_format) throws(NaluError) -> PixelBufferObject {
        let frame = unsafe picture.pointer.pointee
        var planes: (UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?) = unsafe (
            UnsafeRawPointer(frame.data.0), UnsafeRawPointer(frame.data.1), UnsafeRawPointer(frame.data.2)
        )
        var strides = unsafe (Int64(frame.linesize.0), Int64(frame.linesize.1), Int64(frame.linesize.2))
        var made: OpaquePointer?
        let kept = unsafe Unmanaged.passRetained(picture)
        let status = unsafe withUnsafeBytes(of: &planes) { planes in
            unsafe withUnsafeBytes(of: &strides) { strides in
                unsafe nalu_pixel_buffer_create_with_planes(
                    frame.width, frame.height, format, 3,
                    planes.baseAddress?.assumingMemoryBound(to: UnsafeRawPointer?.self),
                    strides.baseAddress?.assumingMemoryBound(to: Int64.self), nil,
                    { picture in
                        guard let picture = unsafe picture else { return }
                        unsafe Unmanaged<PictureObject>.fromOpaque(picture).release()
                    }, kept.toOpaque(), &made)
            }
        }
        guard status == NALU_STATUS_OK, let made = unsafe made else {
            unsafe kept.release()
            throw NaluError(Status(rawValue: status), "a picture of the decoder's cannot be wrapped")
        }
        return unsafe PixelBufferObject(owning: made)
    }

    /// Luma, and chroma without colour.
    private func copyGray(_ picture: PictureObject, to buffer: PixelBufferObject) {
        for plane in 0..<buffer.planeCount {
            let width = Int(buffer.width(ofPlane: plane))
            unsafe buffer.eachRow(ofPlane: plane) { target, y in
                if plane > 0 {
                    unsafe target.initializeMemory(as: UInt8.self, repeating: 128, count: width)
                } else if let source = unsafe picture.row(y, ofPlane: 0, as: UInt8.self) {
                    unsafe target.copyMemory(from: source, byteCount: width)
                }
            }
        }
    }

    /// Bytes, Cb and Cr into one plane.
    private func copyBytes(_ picture: PictureObject, to buffer: PixelBufferObject) {
        let width = Int(buffer.width(ofPlane: 0))
        unsafe buffer.eachRow(ofPlane: 0) { target, y in
            guard let source = unsafe picture.row(y, ofPlane: 0, as: UInt8.self) else { return }
            unsafe target.copyMemory(from: source, byteCount: width)
        }
        let pairs = buffer.width(ofPlane: 1)
        unsafe buffer.eachRow(ofPlane: 1) { target, y in
            unsafe nalu_byte_pairs(
                picture.row(y, ofPlane: 1, as: UInt8.self), picture.row(y, ofPlane: 2, as: UInt8.self), pairs,
                target.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// From the low bits of words, plane by plane, to the high bits, Cb and Cr in one plane.
    private func copyWords(_ picture: PictureObject, to buffer: PixelBufferObject, shift: Int32, hasChroma: Bool) {
        let width = buffer.width(ofPlane: 0)
        unsafe buffer.eachRow(ofPlane: 0) { target, y in
            unsafe nalu_words_shifted(
                picture.row(y, ofPlane: 0, as: UInt16.self), width, shift, target.assumingMemoryBound(to: UInt16.self))
        }
        let pairs = buffer.width(ofPlane: 1)
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

/// Buffers of one format and size, made again when another is asked for.
private final class ImagePool {
    private var pool: PixelBufferPoolObject?
    private var format: nalu_pixel_format = 0
    private var width: Int32 = 0
    private var height: Int32 = 0

    func buffer(_ format: nalu_pixel_format, _ width: Int32, _ height: Int32) throws(NaluError) -> PixelBufferObject {
        if let pool, (format, width, height) == (self.format, self.width, self.height) { return try pool.makeBuffer() }
        // The one before gives its memory back first.
        pool = nil
        let made = try PixelBufferPoolObject(format, width, height)
        pool = made
        (self.format, self.width, self.height) = (format, width, height)
        return try made.makeBuffer()
    }
}
