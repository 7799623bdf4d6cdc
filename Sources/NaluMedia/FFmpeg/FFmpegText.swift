internal import CFFmpeg

/// Text that FFmpeg returns.
enum FFmpegText {
    /// Returns the value of an entry; nil if there is no such entry.
    @unsafe
    static func tag(_ name: String, in dictionary: OpaquePointer?) -> String? {
        unsafe av_dict_get(dictionary, name, nil, 0).map { unsafe String(cString: $0.pointee.value) }
    }

    /// Returns all entries, in order.
    @unsafe
    static func tags(in dictionary: OpaquePointer?) -> [(key: String, value: String)] {
        var entries: [(key: String, value: String)] = []
        var last: UnsafeMutablePointer<AVDictionaryEntry>?
        while let entry = unsafe av_dict_get(dictionary, "", last, AV_DICT_IGNORE_SUFFIX) {
            unsafe entries.append((String(cString: entry.pointee.key), String(cString: entry.pointee.value)))
            unsafe last = entry
        }
        return entries
    }

    /// Returns the name of a codec.
    static func name(_ codec: AVCodecID) -> String { unsafe String(cString: avcodec_get_name(codec)) }
}

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
