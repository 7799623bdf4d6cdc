private import CFFmpeg
package import NaluBase

/// FFmpeg's libraries. libnalu does not depend on them; the first call that needs them loads them.
package enum FFmpegLibraries {
    /// Loads the libraries unless they are loaded. Must be called before any function of FFmpeg.
    ///
    /// Throws `.couldNotCreateInstance` with the name of the missing library and of its package. The next call tries
    /// again.
    package static func load() throws(NaluError) {
        var result: Int32 = 0
        let message = unsafe CText.written(1024) { unsafe result = nalu_ff_load($0, $1) }
        guard result == 0 else { throw NaluError(.couldNotCreateInstance, message) }
    }
}

/// The messages that FFmpeg's libraries write to standard error.
public enum FFmpegLog {
    /// Turns the messages off, for the whole process. Failures are still thrown.
    public static func silence() {
        nalu_ff_set_log_level(AV_LOG_QUIET)
    }
}
