private import CFFmpeg

/// What FFmpeg's libraries write to standard error by themselves.
public enum FFmpegLog {
    /// Stops it, for the whole process. What fails is thrown all the same.
    public static func silence() {
        nalu_ff_set_log_level(AV_LOG_QUIET)
    }
}
