internal import CFFmpeg
internal import CNalu
internal import CPixelKernels
internal import NaluBase

/// Makes a client's images of a decoder's pictures.
@safe
final class ImageMaker {
    @safe
    struct Image {
        /// A `nalu_pixel_buffer` with one reference.
        let handle: OpaquePointer
        /// Whether nobody else reads it.
        let isModifiable: Bool

        init(_ handle: OpaquePointer, isModifiable: Bool) {
            unsafe self.handle = unsafe handle
            self.isModifiable = isModifiable
        }
    }

    private let settings: DecoderSettings
    /// For pictures in a layout that pixel buffers do not have, for those that are scaled on the way, and for images.
    private let native = ImagePool()
    private let scaled = ImagePool()
    private let images = ImagePool()

    init(_ settings: DecoderSettings) {
        self.settings = settings
    }

    /// Takes the picture over, also when it throws.
    func image(of picture: UnsafeMutablePointer<AVFrame>) throws(NaluError) -> Image {
        let colorSpace = unsafe Int(picture.pointee.colorspace.rawValue)
        let pictureHeight = unsafe picture.pointee.height
        let (image, format) = try unsafe nativeImage(of: picture)
        let size = unsafe (nalu_pixel_buffer_get_width(image.handle), nalu_pixel_buffer_get_height(image.handle))
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
        defer { unsafe nalu_pixel_buffer_release(prepared.handle) }
        let result = try unsafe images.buffer(wanted, width, height)
        // RGB that was scaled has become YCbCr with the matrix of its new height.
        let matrix = format == nil ? RGBConversion.Matrix(2, height: height) : .init(colorSpace, height: pictureHeight)
        unsafe RGBConversion(matrix, from: source, to: wanted)?.convert(prepared.handle, to: result)
        return unsafe Image(result, isModifiable: true)
    }

    /// The image itself when it is as wanted; else another in its place.
    private func transferred(
        _ image: Image, _ format: nalu_pixel_format, _ width: Int32, _ height: Int32, _ pool: ImagePool
    ) throws(NaluError) -> Image {
        let isOfFormat = unsafe format == nalu_pixel_buffer_get_pixel_format(image.handle)
        let isOfSize =
            unsafe width == nalu_pixel_buffer_get_width(image.handle)
            && height == nalu_pixel_buffer_get_height(image.handle)
        if isOfFormat && isOfSize { return image }
        defer { unsafe nalu_pixel_buffer_release(image.handle) }
        let made = try unsafe pool.buffer(format, width, height)
        let status = unsafe nalu_pixel_transfer_image(image.handle, made, Int32(NALU_MATRIX_AUTOMATIC))
        guard status == NALU_STATUS_OK else {
            unsafe nalu_pixel_buffer_release(made)
            throw NaluError(Status(rawValue: status), "a picture cannot be converted")
        }
        return unsafe Image(made, isModifiable: true)
    }

    /// The picture as it was decoded, in a format of pixel buffers: none of YCbCr for RGB, which comes in the layout that
    /// the client wants, or as BGRA.
    private func nativeImage(
        of picture: UnsafeMutablePointer<AVFrame>
    ) throws(NaluError) -> (Image, ImageFormat?) {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe picture
        defer { unsafe av_frame_free(&frame) }
        let pixels = unsafe AVPixelFormat(picture.pointee.format)
        // Those in JPEG's range have names of their own.
        let isFull =
            unsafe [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P].contains(pixels)
            || picture.pointee.color_range == AVCOL_RANGE_JPEG
        guard let layout = PictureLayout(pixels), !layout.isRGB || layout.depth == 8 else { throw Self.unknownPicture }
        if layout.isRGB {
            let wanted = RGBConversion.isRGB(settings.pixelFormat) ? settings.pixelFormat : NALU_PIXEL_FORMAT_BGRA
            let made = try unsafe native.buffer(wanted, picture.pointee.width, picture.pointee.height)
            unsafe RGBConversion.interleave(picture, to: made, wanted)
            return unsafe (Image(made, isModifiable: true), nil)
        }
        guard let format = ImageFormat(layout, isFullRange: isFull) else { throw Self.unknownPicture }
        if format.code == NALU_PIXEL_FORMAT_Y420 || format.code == NALU_PIXEL_FORMAT_F420, layout.hasChroma {
            unsafe frame = nil
            return try unsafe (Image(wrap(picture, format.code), isModifiable: false), format)
        }
        let made = try unsafe native.buffer(format.code, picture.pointee.width, picture.pointee.height)
        if !layout.hasChroma && layout.depth == 8 {
            unsafe copyGray(picture, to: made)
        } else if layout.depth == 8 {
            unsafe copyBytes(picture, to: made)
        } else {
            unsafe copyWords(picture, to: made, shift: 16 - layout.depth, hasChroma: layout.hasChroma)
        }
        return unsafe (Image(made, isModifiable: true), format)
    }

    private static var unknownPicture: NaluError {
        NaluError(
            .unsupportedDataFormat,
            "a picture has a layout that no pixel format has; expected 8 to 14 bits, or RGB with 8")
    }

    // MARK: - Planes

    /// The picture's planes as they lie; the picture goes with the buffer.
    private func wrap(
        _ picture: UnsafeMutablePointer<AVFrame>, _ format: nalu_pixel_format
    ) throws(NaluError) -> OpaquePointer {
        let data = unsafe picture.pointee.data
        let linesize = unsafe picture.pointee.linesize
        var planes: (UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?) = unsafe (
            UnsafeRawPointer(data.0), UnsafeRawPointer(data.1), UnsafeRawPointer(data.2)
        )
        var strides = (Int64(linesize.0), Int64(linesize.1), Int64(linesize.2))
        var made: OpaquePointer?
        let status = unsafe withUnsafeBytes(of: &planes) { planes in
            unsafe withUnsafeBytes(of: &strides) { strides in
                unsafe nalu_pixel_buffer_create_with_planes(
                    picture.pointee.width, picture.pointee.height, format, 3,
                    planes.baseAddress?.assumingMemoryBound(to: UnsafeRawPointer?.self),
                    strides.baseAddress?.assumingMemoryBound(to: Int64.self), nil,
                    { picture in
                        var frame = unsafe picture?.assumingMemoryBound(to: AVFrame.self)
                        unsafe av_frame_free(&frame)
                    }, picture, &made)
            }
        }
        guard status == NALU_STATUS_OK, let made = unsafe made else {
            var frame: UnsafeMutablePointer<AVFrame>? = unsafe picture
            unsafe av_frame_free(&frame)
            throw NaluError(Status(rawValue: status), "a picture of the decoder's cannot be wrapped")
        }
        return unsafe made
    }

    /// Luma, and chroma without colour.
    private func copyGray(_ picture: UnsafeMutablePointer<AVFrame>, to buffer: OpaquePointer) {
        let planes = unsafe nalu_pixel_buffer_get_plane_count(buffer)
        for plane in 0..<planes {
            let width = unsafe Int(nalu_pixel_buffer_get_plane_width(buffer, plane))
            unsafe Self.eachRow(of: buffer, plane) { target, y in
                if plane == 0 {
                    guard let source = unsafe picture.pointee.data.0 else { return }
                    unsafe target.copyMemory(from: source + Int(picture.pointee.linesize.0) * y, byteCount: width)
                } else {
                    unsafe target.initializeMemory(as: UInt8.self, repeating: 128, count: width)
                }
            }
        }
    }

    /// A row of a picture.
    private func row<Sample>(
        _ plane: UnsafeMutablePointer<UInt8>?, _ stride: Int32, _ y: Int, as type: Sample.Type
    ) -> UnsafePointer<Sample>? {
        unsafe plane.map { unsafe UnsafeRawPointer($0 + Int(stride) * y).assumingMemoryBound(to: type) }
    }

    /// Bytes, Cb and Cr into one plane.
    private func copyBytes(_ picture: UnsafeMutablePointer<AVFrame>, to buffer: OpaquePointer) {
        let data = unsafe picture.pointee.data
        let strides = unsafe picture.pointee.linesize
        let width = unsafe Int(nalu_pixel_buffer_get_plane_width(buffer, 0))
        unsafe Self.eachRow(of: buffer, 0) { target, y in
            guard let source = unsafe row(data.0, strides.0, y, as: UInt8.self) else { return }
            unsafe target.copyMemory(from: source, byteCount: width)
        }
        let pairs = unsafe nalu_pixel_buffer_get_plane_width(buffer, 1)
        unsafe Self.eachRow(of: buffer, 1) { target, y in
            unsafe nalu_byte_pairs(
                row(data.1, strides.1, y, as: UInt8.self), row(data.2, strides.2, y, as: UInt8.self), pairs,
                target.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// From the low bits of words, plane by plane, to the high bits, Cb and Cr in one plane.
    private func copyWords(
        _ picture: UnsafeMutablePointer<AVFrame>, to buffer: OpaquePointer, shift: Int32, hasChroma: Bool
    ) {
        let data = unsafe picture.pointee.data
        let strides = unsafe picture.pointee.linesize
        let width = unsafe nalu_pixel_buffer_get_plane_width(buffer, 0)
        unsafe Self.eachRow(of: buffer, 0) { target, y in
            unsafe nalu_words_shifted(
                row(data.0, strides.0, y, as: UInt16.self), width, shift, target.assumingMemoryBound(to: UInt16.self))
        }
        let pairs = unsafe nalu_pixel_buffer_get_plane_width(buffer, 1)
        unsafe Self.eachRow(of: buffer, 1) { target, y in
            if hasChroma {
                unsafe nalu_word_pairs_shifted(
                    row(data.1, strides.1, y, as: UInt16.self), row(data.2, strides.2, y, as: UInt16.self), pairs,
                    shift,
                    target.assumingMemoryBound(to: UInt16.self))
            } else {
                unsafe target.initializeMemory(as: UInt16.self, repeating: 1 << 15, count: 2 * Int(pairs))
            }
        }
    }

    private static func eachRow(
        of buffer: OpaquePointer, _ plane: UInt32, _ body: (UnsafeMutableRawPointer, Int) -> Void
    ) {
        guard let base = unsafe nalu_pixel_buffer_get_plane_base_address(buffer, plane) else { return }
        let stride = unsafe Int(nalu_pixel_buffer_get_plane_stride(buffer, plane))
        let rows = unsafe Int(nalu_pixel_buffer_get_plane_height(buffer, plane))
        for y in 0..<rows {
            unsafe body(base + stride * y, y)
        }
    }
}

/// Buffers of one format and size, made again when another is asked for.
@safe
private final class ImagePool {
    private var pool: OpaquePointer?
    private var format: nalu_pixel_format = 0
    private var width: Int32 = 0
    private var height: Int32 = 0

    deinit {
        unsafe nalu_pixel_buffer_pool_release(pool)
    }

    /// A `nalu_pixel_buffer` with one reference.
    func buffer(_ format: nalu_pixel_format, _ width: Int32, _ height: Int32) throws(NaluError) -> OpaquePointer {
        if unsafe pool == nil || (format, width, height) != (self.format, self.width, self.height) {
            unsafe nalu_pixel_buffer_pool_release(pool)
            unsafe pool = nil
            guard unsafe nalu_pixel_buffer_pool_create(width, height, format, 0, &pool) == NALU_STATUS_OK else {
                throw Self.outOfMemory
            }
            (self.format, self.width, self.height) = (format, width, height)
        }
        var made: OpaquePointer?
        guard unsafe nalu_pixel_buffer_pool_create_pixel_buffer(pool, &made) == NALU_STATUS_OK,
            let made = unsafe made
        else { throw Self.outOfMemory }
        return unsafe made
    }

    private static var outOfMemory: NaluError {
        NaluError(.allocationFailed, "no memory for an image")
    }
}
