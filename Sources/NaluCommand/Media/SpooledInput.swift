private import NaluLibc

/// A copy of standard input in a temporary file without a name, for what is read from several places or more than once.
enum SpooledInput {
    /// - Parameter head: what has been read of standard input already.
    static func copy(after head: [UInt8] = []) throws(Failure) -> InputFile {
        let file = try temporary()
        do throws(Failure) {
            try write(head[...], to: file)
            var buffer = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { throw Failure.system("cannot read standard input") }
                if count == 0 { break }
                try write(buffer[..<count], to: file)
            }
            guard lseek(file, 0, SEEK_SET) == 0 else { throw Failure.system("cannot read standard input again") }
            return try InputFile(spooled: file)
        } catch {
            close(file)
            throw error
        }
    }

    /// In the folder of the environment's TMPDIR, or in /tmp; it is gone when its descriptor is closed.
    private static func temporary() throws(Failure) -> Int32 {
        let named = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        let folder = named.isEmpty ? "/tmp" : named
        var template = Array("\(folder)/nalu-input-XXXXXX".utf8CString)
        let file = unsafe mkstemp(&template)
        guard file >= 0 else { throw Failure.system("cannot keep standard input in a temporary file in \(folder)") }
        _ = unsafe unlink(template)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        return file
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to file: Int32) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Failure.system("cannot keep standard input in a temporary file") }
            rest = rest.dropFirst(count)
        }
    }
}
