internal import CFFmpeg
internal import Nalu
internal import NaluBase

/// Decodes the pictures of a camera that sends each one as a JPEG. Used by one thread.
final class MJPEGDecoder {
    /// The format of the images, unless the client requests another 4:2:0 format: JPEG has full range.
    static let format = PixelFormat.nv12FullRange

    let format: PixelFormat
    private let context: FFmpegStruct<AVCodecContext>
    private let packet: Packet
    private let maker: ImageMaker

    /// - Parameter wanted: the format that the client requests.
    ///
    /// Throws `.couldNotCreateInstance` if FFmpeg cannot be loaded, or has no decoder.
    init(_ wanted: PixelFormat?) throws(NaluError) {
        try FFmpegLibraries.load()
        guard let decoder = unsafe avcodec_find_decoder(AV_CODEC_ID_MJPEG) else {
            throw NaluError(
                .couldNotCreateInstance,
                "the camera's pictures are compressed (MJPEG), and the loaded FFmpeg has no decoder for them; expected the system's FFmpeg (libavcodec59 or newer)"
            )
        }
        format = wanted.flatMap { $0.is420 ? $0 : nil } ?? Self.format
        packet = try Packet()
        var options = DecompressionSession.Options()
        options.pixelFormat = format
        maker = ImageMaker(options)
        guard let made = unsafe FFmpegStruct(avcodec_alloc_context3(decoder)) else {
            throw NaluError(.allocationFailed, "no memory for a decoder")
        }
        context = made
        // Threads would delay each picture.
        context.thread_count = 1
        // Raises the level of all messages beyond AV_LOG_INFO, FFmpeg's default, so that none is written.
        context.log_level_offset = AV_LOG_INFO
        let opened = unsafe avcodec_open2(context.pointer, decoder, nil)
        guard opened >= 0 else {
            unsafe context.free(avcodec_free_context)
            throw NaluError(
                .couldNotCreateInstance, "FFmpeg's decoder of MJPEG fails: \(SystemError.text(ffmpeg: opened))")
        }
    }

    deinit {
        unsafe context.free(avcodec_free_context)
    }

    /// Returns the image of one JPEG; nil if it is corrupt, or has another size.
    func decode(_ bytes: Span<UInt8>, width: Int, height: Int) -> PixelBuffer? {
        guard let picture = DecodedPicture() else { return nil }
        do throws(NaluError) {
            try packet.copy(bytes)
            let sent = unsafe avcodec_send_packet(context.pointer, packet.fields.pointer)
            packet.clear()
            guard sent >= 0, unsafe avcodec_receive_frame(context.pointer, picture.fields.pointer) >= 0 else {
                return nil
            }
            guard picture.width == width, picture.height == height else { return nil }
            return try maker.image(of: picture).buffer
        } catch {
            return nil
        }
    }
}
