private import CFFmpeg

/// The messages that FFmpeg's libraries write to standard error.
public enum FFmpegLog {
    /// Turns the messages off, for the whole process. Failures are still thrown.
    public static func silence() {
        nalu_ff_set_log_level(AV_LOG_QUIET)
    }
}
