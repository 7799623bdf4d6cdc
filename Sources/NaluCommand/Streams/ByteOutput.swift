private import Glibc

/// A file, or standard output, written in large pieces.
final class ByteOutput {
    private let name: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    private static let pieceSize = 1 << 18

    /// `-` is standard output; a file that exists is overwritten.
    init(path: String) throws(Failure) {
        let isStandard = path == "-"
        name = isStandard ? "standard output" : path
        descriptor =
            isStandard
            ? STDOUT_FILENO : unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666 as mode_t)
        guard descriptor >= 0 else { throw Failure.system("cannot write \(path)") }
        buffer.reserveCapacity(Self.pieceSize)
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
}
