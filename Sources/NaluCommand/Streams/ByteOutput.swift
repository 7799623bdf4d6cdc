private import NaluLibc

/// A file, or standard output, written in large pieces.
final class ByteOutput {
    private let name: String
    private let path: String
    private let descriptor: Int32
    /// Whether this run made the file.
    private let isNew: Bool
    private var buffer: [UInt8] = []

    private static let pieceSize = 1 << 18

    /// - Parameters:
    ///   - path: "-" is standard output.
    ///   - replaces: a file that exists may be replaced. Pipes and devices are no files in this sense.
    ///   - isText: what is written may be shown on a terminal.
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
        let made = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666 as mode_t)
        isNew = made >= 0
        if isNew || errno != EEXIST {
            descriptor = made
        } else {
            var facts = stat()
            let isFile = unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            if isFile, !replaces { throw Failure("\(path) exists already; --force replaces it") }
            descriptor = unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
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

    /// Writes what has been kept back. To be called at the end: only here is a full disk seen.
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

    /// Takes the file away, when this run made it.
    func discard() {
        if isNew { _ = unsafe unlink(path) }
    }
}
