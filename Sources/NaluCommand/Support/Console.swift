private import NaluBase
private import NaluLibc

/// Writes complete lines for people to standard output and standard error.
enum Console {
    /// Prints a line. Ends the process with an error message if standard output fails.
    static func print(_ line: String) {
        guard write(line + "\n", to: STDOUT_FILENO) else {
            Failure.end(with: Failure.system("cannot write to standard output"))
        }
    }

    static func error(_ line: String) {
        // If standard error fails too, nothing more can be reported.
        _ = write(line + "\n", to: STDERR_FILENO)
    }

    /// Writes all of the text. Returns false, with `errno` set, if this fails.
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text.withoutMarkedBytes
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
