private import CFFmpeg
package import NaluBase
internal import NaluBitstream

/// An encoder of PNG files (ISO/IEC 15948) that uses libavcodec. Only the command needs it.
package enum PNGEncoder {
    /// Returns a PNG file.
    ///
    /// - Parameter rgb: `height` rows of `width` pixels without padding; each pixel is R, G and B, one byte each.
    package static func encode(rgb: [UInt8], width: Int, height: Int) throws(NaluError) -> [UInt8] {
        try FFmpegLibraries.load()
        guard let encoder = unsafe avcodec_find_encoder(AV_CODEC_ID_PNG) else {
            throw NaluError(
                .couldNotFindVideoEncoder, "the installed FFmpeg has no PNG encoder; expected one that has it")
        }
        guard let columns = Int32(exactly: width), let rows = Int32(exactly: height), rgb.count == 3 * width * height,
            let context = unsafe FFmpegStruct(avcodec_alloc_context3(encoder))
        else { throw outOfMemory(width, height) }
        defer { unsafe context.free(avcodec_free_context) }
        guard let picture = DecodedPicture() else { throw outOfMemory(width, height) }
        defer { withExtendedLifetime(picture) {} }
        let (frame, packet) = (picture.fields, try Packet())
        context.width = columns
        context.height = rows
        context.pix_fmt = AV_PIX_FMT_RGB24
        // libavcodec requires a time base, which PNG does not use. Pixels are square.
        context.time_base = AVRational(num: 1, den: 1)
        context.sample_aspect_ratio = AVRational(num: 1, den: 1)
        // Filters each row with the best filter of ISO/IEC 15948 9.2; without filters files are larger.
        _ = unsafe nalu_ff_set_own_option(context.pointer, "pred", 5)
        try check(unsafe avcodec_open2(context.pointer, encoder, nil))
        frame.width = columns
        frame.height = rows
        frame.format = AV_PIX_FMT_RGB24.rawValue
        // The encoder only reads the rows, which have no padding.
        unsafe try rgb.withBytes { (pixels) throws(NaluError) in
            unsafe frame.data.0 = UnsafeMutablePointer(
                mutating: pixels.baseAddress?.assumingMemoryBound(to: UInt8.self))
            frame.linesize.0 = 3 * columns
            try check(unsafe avcodec_send_frame(context.pointer, frame.pointer))
        }
        try check(unsafe avcodec_receive_packet(context.pointer, packet.fields.pointer))
        return packet.withBytes { [UInt8](copying: $0) }
    }

    private static func outOfMemory(_ width: Int, _ height: Int) -> NaluError {
        NaluError(.allocationFailed, "no memory for a PNG file of \(width)x\(height)")
    }

    private static func check(_ result: Int32) throws(NaluError) {
        guard result < 0 else { return }
        throw NaluError(.encoderMalfunction, "FFmpeg cannot make a PNG file: error \(result)")
    }
}
