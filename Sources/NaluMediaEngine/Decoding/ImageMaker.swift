internal import CFFmpeg
internal import CNalu

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
    private var pool: OpaquePointer?
    private var poolSize: (width: Int32, height: Int32) = (0, 0)

    init(_ settings: DecoderSettings) {
        self.settings = settings
    }

    deinit {
        unsafe nalu_pixel_buffer_pool_release(pool)
    }

    /// Takes the picture over, also when it throws.
    func image(of picture: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> Image {
        let wrapped = try unsafe wrap(picture)
        let format = unsafe nalu_pixel_buffer_get_pixel_format(wrapped)
        let size = unsafe (
            width: nalu_pixel_buffer_get_width(wrapped), height: nalu_pixel_buffer_get_height(wrapped)
        )
        let wanted = (
            width: settings.width == 0 ? size.width : settings.width,
            height: settings.height == 0 ? size.height : settings.height
        )
        if settings.pixelFormat == 0 || settings.pixelFormat == format, wanted == size {
            return unsafe Image(wrapped, isModifiable: false)
        }
        defer { unsafe nalu_pixel_buffer_release(wrapped) }
        let converted = try unsafe buffer(settings.pixelFormat == 0 ? format : settings.pixelFormat, wanted)
        let status = unsafe nalu_pixel_transfer_image(wrapped, converted, Int32(NALU_MATRIX_AUTOMATIC))
        guard status == NALU_STATUS_OK else {
            unsafe nalu_pixel_buffer_release(converted)
            throw MediaError(Int(status), "a picture cannot be converted")
        }
        return unsafe Image(converted, isModifiable: true)
    }

    /// A buffer of the pool's, which is made anew when the stream's size changes.
    private func buffer(
        _ format: nalu_pixel_format, _ size: (width: Int32, height: Int32)
    ) throws(MediaError) -> OpaquePointer {
        if unsafe pool == nil || poolSize != size {
            unsafe nalu_pixel_buffer_pool_release(pool)
            unsafe pool = nil
            guard unsafe nalu_pixel_buffer_pool_create(size.width, size.height, format, 0, &pool) == NALU_STATUS_OK
            else { throw Self.outOfMemory }
            poolSize = size
        }
        var made: OpaquePointer?
        guard unsafe nalu_pixel_buffer_pool_create_pixel_buffer(pool, &made) == NALU_STATUS_OK,
            let made = unsafe made
        else { throw Self.outOfMemory }
        return unsafe made
    }

    /// The picture's planes as they lie; the picture goes with the buffer.
    private func wrap(_ picture: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> OpaquePointer {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe picture
        let layout = unsafe AVPixelFormat(picture.pointee.format)
        let isFull = unsafe layout == AV_PIX_FMT_YUVJ420P || picture.pointee.color_range == AVCOL_RANGE_JPEG
        guard layout == AV_PIX_FMT_YUV420P || layout == AV_PIX_FMT_YUVJ420P else {
            unsafe av_frame_free(&frame)
            throw MediaError(
                NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "a picture is neither 4:2:0 nor monochrome with 8 bits")
        }
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
                    picture.pointee.width, picture.pointee.height,
                    isFull ? NALU_PIXEL_FORMAT_F420 : NALU_PIXEL_FORMAT_Y420, 3,
                    planes.baseAddress?.assumingMemoryBound(to: UnsafeRawPointer?.self),
                    strides.baseAddress?.assumingMemoryBound(to: Int64.self), nil,
                    { picture in
                        var frame = unsafe picture?.assumingMemoryBound(to: AVFrame.self)
                        unsafe av_frame_free(&frame)
                    }, picture, &made)
            }
        }
        guard status == NALU_STATUS_OK, let made = unsafe made else {
            unsafe av_frame_free(&frame)
            throw MediaError(Int(status), "a picture of the decoder's cannot be wrapped")
        }
        return unsafe made
    }

    private static var outOfMemory: MediaError {
        MediaError(NALU_STATUS_ALLOCATION_FAILED, "no memory for an image")
    }
}
