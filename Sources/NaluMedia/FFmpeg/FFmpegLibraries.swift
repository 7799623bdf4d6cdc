private import CFFmpeg
package import NaluBase

/// FFmpeg's libraries. libnalu does not depend on them; the first call that needs them loads them.
package enum FFmpegLibraries {
    /// Loads the libraries unless they are loaded. Must be called before any function of FFmpeg.
    ///
    /// Throws `.couldNotCreateInstance` with the name of the missing library and of its package. The next call tries
    /// again.
    package static func load() throws(NaluError) {
        var message = [CChar](repeating: 0, count: 1024)
        guard unsafe nalu_ff_load(&message, message.count) == 0 else {
            throw NaluError(
                .couldNotCreateInstance,
                String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
    }
}
