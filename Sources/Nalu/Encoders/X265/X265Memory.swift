internal import CX265

/// The address space of an encoder of x265. If the address space is too small, x265 uses memory that it did not get, and
/// waits for pictures that never arrive.
enum X265Memory {
    /// The bytes of address space that a thread can reserve: its heap, by glibc, its stack, and its buffers.
    private static let perThread = 75 << 20
    /// The bytes of tables and of code.
    private static let common = 16 << 20
    /// The bytes of a pixel of 8 bits in all copies of a frame, and of what x265 keeps about the frame: 8.4 to 12 were
    /// measured at 640x480 and 1280x720, with three presets.
    private static let perPixel = 12
    /// The frames inside x265 and the session that no parameter counts.
    private static let furtherFrames = 6

    /// Throws if a limit of the process forbids the address space of an encoder with these parameters.
    static func check(_ parameters: x265_param) throws(NaluError) {
        // The session has a thread too.
        let threads = unsafe Int(X265Threads.most(parameters)) + 1
        let (width, height) = unsafe (Int(parameters.sourceWidth), Int(parameters.sourceHeight))
        let frames =
            unsafe Int(parameters.lookaheadDepth) + Int(parameters.bframes) + Int(parameters.maxNumReferences)
            + Int(parameters.frameNumThreads) + furtherFrames
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
