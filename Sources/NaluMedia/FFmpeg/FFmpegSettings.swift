internal import CFFmpeg

/// Settings for a function of FFmpeg that opens something: texts by name.
@safe
final class FFmpegSettings {
    private var dictionary: OpaquePointer?

    deinit {
        unsafe av_dict_free(&dictionary)
    }

    func set(_ name: String, _ value: String) {
        unsafe av_dict_set(&dictionary, name, value, 0)
    }

    /// Calls a function that removes the settings that it recognises.
    func used(by function: (UnsafeMutablePointer<OpaquePointer?>) -> Int32) -> Int32 {
        unsafe function(&dictionary)
    }
}
