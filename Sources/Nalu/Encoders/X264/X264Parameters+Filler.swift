internal import CX264

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Darwin)
    private import Darwin
#endif

/// Filler data, which x264 writes after a picture that needs fewer bits than its VBV buffer receives.
///
/// x264 allocates memory for a picture when it is opened, and enlarges it row by row. For filler it reserves 32 bytes
/// beyond the NAL unit and then writes 64 (encoder.c, bitstream_check_buffer_filler and nal_end). Filler must therefore
/// never reach the end of the memory. With many small NAL units it certainly would, with a single one it might. A
/// picture and its filler together are no larger than what the VBV buffer receives while the picture lasts.
extension X264Parameters {
    /// The bytes that x264 writes beyond the end of a NAL unit: padding, and the rest of the words by which it writes.
    private static let slack = 128

    private static func isFilled(_ parameters: x264_param_t) -> Bool {
        unsafe parameters.rc.b_filler != 0 || parameters.i_nal_hrd == X264_NAL_HRD_CBR
    }

    /// Returns the most bytes of a picture with its filler (encoder.c, x264_encoder_open).
    private static func mostFilledBytes(_ parameters: x264_param_t) -> Int {
        let coarseness: Double
        if unsafe parameters.rc.i_rc_method == X264_RC_CRF {
            // x264 also counts on larger key frames. They are no reason to fill up more.
            coarseness = unsafe max(Double(parameters.rc.f_rf_constant), 0) + Double(6 * (parameters.i_bitdepth - 8))
        } else {
            coarseness = unsafe Double(min(max(parameters.rc.i_qp_min, 0), max(parameters.rc.i_qp_max, 0)))
        }
        let pixels = unsafe Double(parameters.i_width) * Double(parameters.i_height)
        let bytes = min(max(pixels * 4 * pow(0.95, coarseness), 1_000_000), Double(Int32.max / 3))
        return Int(bytes) - slack
    }

    /// Throws if x264 would write beyond its memory, or fill up a VBV buffer that does not stand for a rate.
    static func checkFiller(_ parameters: x264_param_t, _ setup: EncoderSetup) throws(NaluError) {
        guard unsafe isFilled(parameters) else { return }
        let configuration = setup.configuration
        let options = "x264.params \"\(NaluError.excerpt(configuration.x264.options.text))\""
        let rate = unsafe Int(parameters.rc.i_vbv_max_bitrate)
        let optionsAreConstant =
            unsafe configuration.x264.ownsRate && parameters.rc.i_rc_method == X264_RC_ABR
            && parameters.rc.i_vbv_buffer_size > 0 && parameters.rc.i_bitrate == parameters.rc.i_vbv_max_bitrate
        guard rate > 0, configuration.constantBitRate > 0 || optionsAreConstant else {
            throw NaluError(
                .conflict,
                "\(options) turns on filler data, which needs a constant rate; set ConstantBitRate, or bitrate, "
                    + "vbv-maxrate of the same value and vbv-bufsize in x264.params")
        }
        let framesPerSecond = unsafe Double(parameters.i_fps_num) / Double(max(1, parameters.i_fps_den))
        let most = unsafe mostFilledBytes(parameters)
        let bytes = Double(rate) * 125 / framesPerSecond
        guard bytes <= Double(most) else {
            let isProperty = configuration.constantBitRate > 0
            let mostRate = Int(Double(most) * framesPerSecond / 125)
            throw NaluError(
                .conflict,
                (isProperty ? "ConstantBitRate \(configuration.constantBitRate)" : "\(options), bitrate \(rate),")
                    + " at \(framesPerSecond) frames per second is \(Int(min(bytes, 1e15))) bytes per frame, and x264 writes at most "
                    + "\(most) bytes for a frame of \(setup.width)x\(setup.height); expected at most "
                    + "\(isProperty ? mostRate * 1000 : mostRate), or more frames per second")
        }
    }

    /// Returns the longest duration of a picture, in ticks. x264 fills up what the VBV buffer receives during that
    /// time.
    static func longestPicture(_ parameters: x264_param_t, ticksPerSecond: Double) -> Int64 {
        guard unsafe isFilled(parameters) else { return Int64(ticksPerSecond) }
        let rate = unsafe Double(max(1, parameters.rc.i_vbv_max_bitrate))
        let seconds = unsafe Double(mostFilledBytes(parameters)) / 125 / rate
        return max(1, Int64(min(seconds, 1) * ticksPerSecond))
    }
}
