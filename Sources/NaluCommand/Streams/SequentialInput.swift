private import NaluBase
private import NaluLibc

/// A file or standard input, read from beginning to end.
final class SequentialInput {
    /// The input's name in error messages.
    let name: String
    /// The size of a regular file; otherwise nil.
    let size: Int?
    /// The file descriptor, for a caller that continues the reading.
    let descriptor: Int32
    private let device: UInt
    private let node: UInt
    /// Bytes that ``peek(_:)`` has read ahead.
    private var head: ArraySlice<UInt8> = []

    /// - Parameters:
    ///   - path: the file's path; `-` is standard input.
    ///   - other: the name in error messages; nil to use the path.
    init(path: String, name other: String? = nil) throws(Failure) {
        let isStandard = path == "-"
        name = isStandard ? "standard input" : other ?? path
        descriptor = isStandard ? STDIN_FILENO : unsafe open(path.pathBytes, O_RDONLY | O_CLOEXEC)
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

    /// Fills the buffer. Returns fewer bytes than it holds only at the end of the input.
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

    /// Returns the first bytes, which ``read(into:)`` will return again. Fewer than `count` bytes mean the end of the
    /// input.
    func peek(_ count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try unsafe bytes.withRawBytes { (buffer) throws(Failure) in unsafe try read(into: buffer) }
        head = bytes[..<got]
        return Array(head)
    }

    /// Returns the whole content of a small file; throws if it has more than `limit` bytes.
    func all(limit: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = try unsafe bytes.withRawBytes { (buffer) throws(Failure) in unsafe try read(into: buffer) }
        guard count <= limit else { throw Failure("\(name) has more than \(limit) bytes") }
        return Array(bytes[..<count])
    }

    /// Returns true if writing to `path` would overwrite this file.
    func isSameFile(as path: String) -> Bool {
        var status = stat()
        guard size != nil, unsafe stat(path.pathBytes, &status) == 0 else { return false }
        return UInt(status.st_dev) == device && UInt(status.st_ino) == node
    }
}

extension [UInt8] {
    /// Calls `withUnsafeMutableBytes` with a typed throw.
    mutating func withRawBytes<R, E: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        unsafe try withUnsafeMutableBufferPointer { (elements) throws(E) in
            unsafe try body(UnsafeMutableRawBufferPointer(elements))
        }
    }
}
