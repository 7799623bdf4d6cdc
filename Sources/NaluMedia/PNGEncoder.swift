private import CFFmpeg
package import NaluBase

/// An encoder of PNG files (ISO/IEC 15948) that uses libavcodec. Only the command needs it.
package enum PNGEncoder {
    /// Returns a PNG file.
    ///
    /// - Parameter rgb: `height` rows of `width` pixels without padding; each pixel is R, G and B, one byte each.
    package static func encode(rgb: [UInt8], width: Int, height: Int) throws(NaluError) -> [UInt8] {
        try FFmpegLibraries.load()
        guard let encoder = unsafe avcodec_find_encoder(AV_CODEC_ID_PNG) else {
            throw NaluError(
                .couldNotFindVideoEncoder, "FFmpeg's library here was built without an encoder of PNG")
        }
        var context = unsafe avcodec_alloc_context3(encoder)
        var frame = unsafe av_frame_alloc()
        var packet = unsafe av_packet_alloc()
        defer {
            unsafe av_packet_free(&packet)
            unsafe av_frame_free(&frame)
            unsafe avcodec_free_context(&context)
        }
        guard let context = unsafe context, let frame = unsafe frame, let packet = unsafe packet,
            let columns = Int32(exactly: width), let rows = Int32(exactly: height), rgb.count == 3 * width * height
        else { throw NaluError(.allocationFailed, "there is no memory for a PNG file of \(width)x\(height)") }
        unsafe context.pointee.width = columns
        unsafe context.pointee.height = rows
        unsafe context.pointee.pix_fmt = AV_PIX_FMT_RGB24
        // libavcodec requires a time base, which PNG does not use. Pixels are square.
        unsafe context.pointee.time_base = AVRational(num: 1, den: 1)
        unsafe context.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
        // Filters each row with the best filter of ISO/IEC 15948 9.2; without filters files are larger.
        _ = unsafe nalu_ff_set_own_option(context, "pred", 5)
        try unsafe check(avcodec_open2(context, encoder, nil))
        unsafe frame.pointee.width = columns
        unsafe frame.pointee.height = rows
        unsafe frame.pointee.format = AV_PIX_FMT_RGB24.rawValue
        try unsafe check(av_frame_get_buffer(frame, 0))
        unsafe rgb.withUnsafeBytes { source in
            guard let target = unsafe frame.pointee.data.0, let start = source.baseAddress else { return }
            let stride = Int(unsafe frame.pointee.linesize.0)
            for row in 0..<height {
                unsafe UnsafeMutableRawPointer(target).advanced(by: row * stride)
                    .copyMemory(from: start + row * 3 * width, byteCount: 3 * width)
            }
        }
        try unsafe check(avcodec_send_frame(context, frame))
        try unsafe check(avcodec_receive_packet(context, packet))
        return unsafe [UInt8](UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    }

    private static func check(_ result: Int32) throws(NaluError) {
        guard result < 0 else { return }
        throw NaluError(.encoderMalfunction, "FFmpeg cannot make a PNG file: error \(result)")
    }
}
