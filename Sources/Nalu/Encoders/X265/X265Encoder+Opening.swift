internal import CX265
private import NaluLibc

/// The parameter sets of an encoder that is being opened.
extension X265Encoder {
    /// Reads the parameter sets, and raises their level to the one that the bit rate needs: x265, which holds a quality,
    /// knows no rate.
    static func readHeaders(
        _ api: UnsafePointer<x265_api>, _ encoder: OpaquePointer, _ rate: RateSettings
    ) throws(NaluError) -> FormatDescription {
        let level = rate.heldQuality == nil ? H265Limits.level(kilobitsPerSecond: rate.heldKilobits) : 0
        var units: UnsafeMutablePointer<x265_nal>?
        var count: UInt32 = 0
        guard unsafe api.pointee.encoder_headers(encoder, &units, &count) > 0, let units = unsafe units else {
            throw NaluError(.encoderMalfunction, "x265 returned no parameter sets")
        }
        var sets: [[UInt8]] = []
        for index in 0..<Int(count) {
            let unit = unsafe units[index]
            guard unsafe (NAL_UNIT_VPS.rawValue...NAL_UNIT_PPS.rawValue).contains(unit.type), unsafe unit.sizeBytes > 4
            else { continue }
            // The parameter set follows a 4-byte length prefix.
            let set = unsafe [UInt8](UnsafeBufferPointer(start: unit.payload + 4, count: Int(unit.sizeBytes) - 4))
            sets.append(HEVCLevelEditor.raise(set, to: level))
        }
        return try FormatDescription(hevcParameterSets: sets, lengthSize: 4)
    }
}

/// libx265, which is opened when the first session asks for H.265.
enum X265Library {
    /// Returns the functions for a bit depth, 8 or 10. Throws `.couldNotFindVideoEncoder`, with a message that names
    /// the library and its package, if it is missing.
    static func functions(bitDepth: Int) throws(NaluError) -> UnsafePointer<x265_api> {
        var functions: UnsafePointer<x265_api>?
        let message = unsafe CText.written(512) { unsafe functions = nalu_x265_api(Int32(bitDepth), $0, $1) }
        guard let functions = unsafe functions else {
            throw NaluError(.couldNotFindVideoEncoder, "codec 'hvc1' needs libx265: \(message)")
        }
        return unsafe functions
    }

    /// Throws `.couldNotFindVideoEncoder` if the library is missing.
    static func check() throws(NaluError) { _ = try unsafe functions(bitDepth: 8) }
}

/// The address space of an encoder of x265. x265 does not survive a lack of it: it uses blocks that it did not get, and
/// waits for pictures that never come.
enum X265Memory {
    /// The bytes of address space that a thread can reserve: its heap, by glibc, its stack, and its buffers.
    private static let perThread = 75 << 20
    /// The bytes of tables and of code.
    private static let common = 16 << 20
    /// The bytes of a pixel of 8 bits in all copies of a frame, and of what x265 keeps about the frame: 8.4 to 12 were
    /// measured at 640x480 and 1280x720, with three presets.
    private static let perPixel = 12
    /// The frames that are inside x265 and the session beside those that the parameters name.
    private static let furtherFrames = 6
    /// x265's most frame threads if their number is not set.
    private static let mostFrameThreads = 6

    /// Throws if a limit of the process forbids the address space of an encoder with these parameters.
    static func check(_ parameters: x265_param) throws(NaluError) {
        let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let frameThreads =
            unsafe parameters.frameNumThreads > 0
            ? Int(parameters.frameNumThreads) : min(processors, mostFrameThreads)
        let threads = processors + frameThreads + 1
        let (width, height) = unsafe (Int(parameters.sourceWidth), Int(parameters.sourceHeight))
        let frames =
            unsafe Int(parameters.lookaheadDepth) + Int(parameters.bframes) + Int(parameters.maxNumReferences)
            + frameThreads + furtherFrames
        let frame = unsafe width * height * perPixel * (parameters.internalBitDepth > 8 ? 2 : 1)
        let total = threads * perThread + common + frames * frame
        guard nalu_x265_can_reserve(Int64(total)) == 1 else {
            throw NaluError(
                .allocationFailed,
                "x265 needs up to \(total >> 20) MiB of memory for \(width)x\(height) with these properties, which "
                    + "exceeds the process's limit; use a smaller size or fewer lookahead frames, or raise the limit")
        }
    }
}
