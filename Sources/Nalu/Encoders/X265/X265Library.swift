internal import CX265

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
