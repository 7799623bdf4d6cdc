private import NaluBase
private import NaluLibc

/// A file or standard output with a large write buffer.
final class BufferedOutput {
    private let name: String
    private let path: String
    private let descriptor: Int32
    /// True if this run created the file.
    private let isNew: Bool
    private var buffer: [UInt8] = []

    private static let pieceSize = 1 << 18

    /// - Parameters:
    ///   - path: the file's path; "-" is standard output.
    ///   - replaces: true if an existing file may be replaced. Pipes and devices do not count as existing files.
    ///   - isText: true if the output may go to a terminal.
    init(path: String, replaces: Bool, isText: Bool) throws(Failure) {
        self.path = path
        buffer.reserveCapacity(Self.pieceSize)
        guard path != "-" else {
            name = "standard output"
            descriptor = STDOUT_FILENO
            isNew = false
            guard isText || isatty(STDOUT_FILENO) == 0 else {
                throw Failure("standard output is a terminal; pipe the output to a program, or name a file")
            }
            return
        }
        name = path
        let made = unsafe open(path.pathBytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666 as mode_t)
        isNew = made >= 0
        if isNew || errno != EEXIST {
            descriptor = made
        } else {
            var facts = stat()
            let isFile = unsafe stat(path.pathBytes, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            if isFile, !replaces { throw Failure("\(path) exists; add --force to replace it") }
            descriptor = unsafe open(path.pathBytes, O_WRONLY | O_TRUNC | O_CLOEXEC)
        }
        guard descriptor >= 0 else { throw Failure.unwritable(path) }
    }

    deinit {
        if descriptor > STDERR_FILENO { close(descriptor) }
    }

    func write(_ bytes: some Collection<UInt8>) throws(Failure) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.pieceSize { try flush() }
    }

    func write(_ text: String) throws(Failure) {
        try write(text.utf8)
    }

    /// Writes the buffered bytes. Call this at the end, or a full disk stays unnoticed.
    func flush() throws(Failure) {
        var written = 0
        while written < buffer.count {
            let count = unsafe buffer.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Failure.system("cannot write to \(name)") }
            written += count
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Removes the file if this run created it.
    func discard() {
        if isNew { _ = unsafe unlink(path.pathBytes) }
    }
}
