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
        var image = try unsafe nativeImage(of: picture)
        let format = unsafe nalu_pixel_buffer_get_pixel_format(image.handle)
        let wanted = settings.pixelFormat == 0 ? format : settings.pixelFormat
        let width = settings.width == 0 ? unsafe nalu_pixel_buffer_get_width(image.handle) : settings.width
        let height = settings.height == 0 ? unsafe nalu_pixel_buffer_get_height(image.handle) : settings.height
        guard RGBConversion.isRGB(wanted) else {
            return try transferred(image, wanted, width, height, images)
        }
        image = try transferred(image, format, width, height, scaled)
        defer { unsafe nalu_pixel_buffer_release(image.handle) }
        let result = try unsafe images.buffer(wanted, width, height)
        let conversion = RGBConversion(
            RGBConversion.Matrix(colorSpace, height: pictureHeight),
            isFullRange: format == NALU_PIXEL_FORMAT_F420 || format == NALU_PIXEL_FORMAT_XF20,
            hasWords: unsafe nalu_pixel_buffer_get_plane_count(image.handle) == 2, to: wanted)
        unsafe conversion?.convert(image.handle, to: result)
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

    /// The picture as it was decoded, in a format of pixel buffers.
    private func nativeImage(of picture: UnsafeMutablePointer<AVFrame>) throws(NaluError) -> Image {
        let layout = unsafe AVPixelFormat(picture.pointee.format)
        let isFull = unsafe layout == AV_PIX_FMT_YUVJ420P || picture.pointee.color_range == AVCOL_RANGE_JPEG
        if layout == AV_PIX_FMT_YUV420P || layout == AV_PIX_FMT_YUVJ420P {
            return try unsafe Image(
                wrap(picture, isFull ? NALU_PIXEL_FORMAT_F420 : NALU_PIXEL_FORMAT_Y420), isModifiable: false)
        }
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe picture
        defer { unsafe av_frame_free(&frame) }
        let format: nalu_pixel_format
        switch layout {
        case AV_PIX_FMT_GRAY8: format = isFull ? NALU_PIXEL_FORMAT_F420 : NALU_PIXEL_FORMAT_Y420
        case AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_GRAY10LE:
            format = isFull ? NALU_PIXEL_FORMAT_XF20 : NALU_PIXEL_FORMAT_X420
        default:
            throw NaluError(
                .unsupportedDataFormat, "a picture is neither 4:2:0 nor monochrome with 8 or 10 bits")
        }
        let made = try unsafe native.buffer(format, picture.pointee.width, picture.pointee.height)
        if layout == AV_PIX_FMT_GRAY8 {
            unsafe copyGray(picture, to: made)
        } else {
            unsafe copyWords(picture, to: made, hasChroma: layout == AV_PIX_FMT_YUV420P10LE)
        }
        return unsafe Image(made, isModifiable: true)
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

    /// 10 bits in the low bits of words, plane by plane, to the high bits, Cb and Cr in one plane.
    private func copyWords(_ picture: UnsafeMutablePointer<AVFrame>, to buffer: OpaquePointer, hasChroma: Bool) {
        let data = unsafe picture.pointee.data
        let strides = unsafe picture.pointee.linesize
        func row(_ plane: UnsafeMutablePointer<UInt8>?, _ stride: Int32, _ y: Int) -> UnsafePointer<UInt16>? {
            unsafe plane.map { unsafe UnsafeRawPointer($0 + Int(stride) * y).assumingMemoryBound(to: UInt16.self) }
        }
        let width = unsafe nalu_pixel_buffer_get_plane_width(buffer, 0)
        unsafe Self.eachRow(of: buffer, 0) { target, y in
            unsafe nalu_words_from_10_bits(
                row(data.0, strides.0, y), width, target.assumingMemoryBound(to: UInt16.self))
        }
        let pairs = unsafe nalu_pixel_buffer_get_plane_width(buffer, 1)
        unsafe Self.eachRow(of: buffer, 1) { target, y in
            if hasChroma {
                unsafe nalu_word_pairs_from_10_bits(
                    row(data.1, strides.1, y), row(data.2, strides.2, y), pairs,
                    target.assumingMemoryBound(to: UInt16.self))
            } else {
                unsafe target.initializeMemory(as: UInt16.self, repeating: 512 << 6, count: 2 * Int(pairs))
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
