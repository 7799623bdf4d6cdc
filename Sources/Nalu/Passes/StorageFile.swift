private import NaluLibc

/// The files of a storage, each read and written as a whole.
enum StorageFile {
    static func read(_ path: String) throws(NaluError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, "read") }
        defer { _ = NaluLibc.close(descriptor) }
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe NaluLibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path, "read") }
            if count == 0 { return content }
            content += piece[..<count]
        }
    }

    /// Creates a file that does not exist yet. Other users cannot read it.
    static func write(_ content: [UInt8], to path: String) throws(NaluError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, "written") }
        var rest = content[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe NaluLibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = failure(path, "written")
                _ = NaluLibc.close(descriptor)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        guard NaluLibc.close(descriptor) == 0 else { throw failure(path, "written") }
    }

    private static func failure(_ path: String, _ verb: String) -> NaluError {
        let reason = unsafe String(cString: strerror(errno))
        return NaluError(
            .multiPassStorageInvalid, "storage: \"\(NaluError.excerpt(path))\" cannot be \(verb) (\(reason))")
    }
}
