internal import CX265

/// libx265, which is opened when the first session asks for H.265.
enum X265Library {
    /// Returns the functions for a bit depth, 8 or 10. Throws `.couldNotFindVideoEncoder`, with a message that names
    /// the library and its package, if it is missing.
    static func functions(bitDepth: Int) throws(NaluError) -> UnsafePointer<x265_api> {
        var message = [CChar](repeating: 0, count: 512)
        let functions = unsafe message.withUnsafeMutableBufferPointer { buffer in
            unsafe nalu_x265_api(Int32(bitDepth), buffer.baseAddress, buffer.count)
        }
        guard let functions = unsafe functions else {
            let text = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw NaluError(.couldNotFindVideoEncoder, "codec 'hvc1' needs libx265: \(text)")
        }
        return unsafe functions
    }

    /// Throws `.couldNotFindVideoEncoder` if the library is missing.
    static func check() throws(NaluError) { _ = try unsafe functions(bitDepth: 8) }
}
