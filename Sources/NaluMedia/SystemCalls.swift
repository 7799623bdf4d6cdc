internal import CFFmpeg
internal import NaluBase
internal import NaluLibc

/// System calls that take pointers, with safe arguments. After a failure, which the result shows, errno has its number.
enum SystemCalls {
    private static let newFile: mode_t = 0o666

    /// Returns a descriptor; negative for a failure. New files have the permissions 0666 less the umask.
    static func open(_ path: String, _ flags: Int32, permissions: mode_t = newFile) -> Int32 {
        while true {
            let descriptor = unsafe NaluLibc.open(path.pathBytes, flags | O_CLOEXEC, permissions)
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }

    /// Opens a file of a directory, which is open as `directory`.
    static func open(_ name: String, in directory: Int32, _ flags: Int32) -> Int32 {
        while true {
            let descriptor = unsafe openat(directory, name.pathBytes, flags | O_CLOEXEC, newFile)
            if descriptor >= 0 || errno != EINTR { return descriptor }
        }
    }

    /// Returns the status of a file, after following links; nil for a failure.
    static func status(_ path: String) -> stat? {
        var info = stat()
        return unsafe stat(path.pathBytes, &info) == 0 ? info : nil
    }

    static func status(_ descriptor: Int32) -> stat? {
        var info = stat()
        return unsafe fstat(descriptor, &info) == 0 ? info : nil
    }

    /// Returns the text of a symbolic link; nil for a failure.
    static func target(ofLink path: String) -> String? {
        var characters = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink(path.pathBytes, &characters, characters.count)
        guard count > 0 else { return nil }
        return String(path: characters.prefix(count).map { UInt8(bitPattern: $0) })
    }

    static func canAccess(_ path: String, _ mode: Int32) -> Bool { unsafe access(path.pathBytes, mode) == 0 }

    /// Waits until one of the events has occurred on a descriptor. Returns 1, or 0 after `milliseconds` (-1 for no
    /// limit); negative for a failure.
    static func wait(for events: Int32, on descriptor: Int32, milliseconds: Int32) -> Int32 {
        var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return unsafe poll(&request, 1, milliseconds)
    }
}

extension stat {
    var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
    var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    var isBlockDevice: Bool { st_mode & S_IFMT == S_IFBLK }
}

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
        return unsafe CText.written(256) { _ = unsafe av_strerror(error, $0, $1) }
    }
}
