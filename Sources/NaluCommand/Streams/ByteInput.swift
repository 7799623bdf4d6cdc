private import NaluLibc

/// A file, or standard input, read from its beginning to its end.
final class ByteInput {
    /// What sentences call it.
    let name: String
    /// Its size where it is a regular file.
    let size: Int?
    /// For whoever reads on in its place.
    let descriptor: Int32
    private let device: UInt
    private let node: UInt
    /// What was read ahead.
    private var head: ArraySlice<UInt8> = []

    /// `-` is standard input.
    ///
    /// - Parameter other: what sentences call it, in place of the path.
    init(path: String, name other: String? = nil) throws(Failure) {
        let isStandard = path == "-"
        name = isStandard ? "standard input" : other ?? path
        descriptor = isStandard ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure.unreadable(path) }
        guard !isStandard || isatty(descriptor) == 0 else {
            throw Failure("standard input is a terminal; pipe a stream into it, or name a file")
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure.system("cannot read \(name)") }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw Failure("\(name) is a directory; name a file, or - for standard input")
        }
        size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
        device = UInt(status.st_dev)
        node = UInt(status.st_ino)
    }

    deinit {
        if descriptor > STDIN_FILENO { close(descriptor) }
    }

    /// Fills as much of the buffer as there is; fewer bytes than it holds mean that the end is reached.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        var filled = min(head.count, buffer.count)
        unsafe buffer.copyBytes(from: head.prefix(filled))
        head = head.dropFirst(filled)
        while filled < buffer.count, let base = buffer.baseAddress {
            let count = unsafe Glibc.read(descriptor, base + filled, buffer.count - filled)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Failure.system("cannot read \(name)") }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// The first bytes, which will be read again: fewer than `count` only where there are no more.
    func peek(_ count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try unsafe bytes.withRawBytes { (buffer) throws(Failure) in unsafe try read(into: buffer) }
        head = bytes[..<got]
        return Array(head)
    }

    /// The whole content, for small files; throws when there are more bytes than `limit`.
    func all(limit: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = try unsafe bytes.withRawBytes { (buffer) throws(Failure) in unsafe try read(into: buffer) }
        guard count <= limit else { throw Failure("\(name) has more than \(limit) bytes") }
        return Array(bytes[..<count])
    }

    /// Whether writing to `path` would destroy this very file.
    func isSameFile(as path: String) -> Bool {
        var status = stat()
        guard size != nil, unsafe stat(path, &status) == 0 else { return false }
        return UInt(status.st_dev) == device && UInt(status.st_ino) == node
    }
}

extension [UInt8] {
    /// `withUnsafeMutableBytes` with the error type kept.
    mutating func withRawBytes<R, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        unsafe try withUnsafeMutableBufferPointer { (elements) throws(E) in
            unsafe try body(UnsafeMutableRawBufferPointer(elements))
        }
    }
}
