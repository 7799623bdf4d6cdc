internal import CFFmpeg
private import NaluLibc

/// Error messages of the system and of FFmpeg.
enum SystemError {
    /// Returns the message of an errno number, for example "No space left on device".
    static func text(_ number: Int32) -> String {
        text(ffmpeg: nalu_ff_error(number))
    }

    /// Returns the message of an FFmpeg error number, which is always negative. (`strerror` is not safe among threads.)
    static func text(ffmpeg error: Int32) -> String {
        if error == nalu_ff_invalid_data() { return "the data is corrupt" }
        if error == nalu_ff_end_of_file() { return "the data ends too early" }
        return unsafe FFmpegText.written(256) { _ = unsafe av_strerror(error, $0, $1) }
    }
}
