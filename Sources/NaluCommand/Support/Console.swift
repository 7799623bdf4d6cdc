private import NaluLibc

/// What people read: lines on standard output and standard error, whole and at once.
enum Console {
    /// Ends the process with a sentence when standard output cannot take the line.
    static func print(_ line: String) {
        guard write(line + "\n", to: STDOUT_FILENO) else {
            Failure.end(with: Failure.system("cannot write to standard output"))
        }
    }

    static func error(_ line: String) {
        // When nobody reads the complaint either, nothing more can be reported.
        _ = write(line + "\n", to: STDERR_FILENO)
    }

    /// False, with `errno`, when not everything could be written.
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[written...])
                let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                written += count
            }
            return true
        }
    }
}
