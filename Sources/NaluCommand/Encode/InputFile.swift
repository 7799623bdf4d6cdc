private import NaluBase
internal import NaluLibc

/// The input's file descriptor; its position is after the bytes that are read so far.
final class InputFile: Sendable {
    /// The input's name in error messages.
    let name: String
    /// The path with which the input can be opened again; nil for an input that can only be read forward.
    let path: String?
    let descriptor: Int32
    /// The size of a regular file in bytes; nil for pipes, terminals and devices, which can only be read forward.
    let size: Int?
    private let identity: (device: dev_t, file: ino_t)

    /// - Parameter path: the file's path; "-" is standard input.
    init(path: String) throws(Failure) {
        if path == "-" {
            name = "standard input"
            descriptor = STDIN_FILENO
            guard isatty(descriptor) == 0 else {
                throw Failure("standard input is a terminal; pipe frames into it, or name a file")
            }
        } else {
            name = path
            let descriptor = unsafe open(path.pathBytes, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure.unreadable(path) }
            self.descriptor = descriptor
        }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else {
            throw Failure.system("cannot get the attributes of \(name)")
        }
        guard facts.st_mode & S_IFMT != S_IFDIR else {
            throw Failure("\(name) is a directory; name a file, or - for standard input")
        }
        size = facts.st_mode & S_IFMT == S_IFREG ? Int(facts.st_size) : nil
        self.path = size == nil || path == "-" ? nil : path
        identity = (facts.st_dev, facts.st_ino)
    }

    /// Creates an input from a copy of another input.
    ///
    /// - Parameters:
    ///   - file: the descriptor of a regular file without a name, positioned at its beginning.
    ///   - name: the name of the other input.
    init(spooled file: Int32, name: String) throws(Failure) {
        self.name = name
        descriptor = file
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0 else { throw Failure.system("cannot get the attributes of \(name)") }
        size = Int(facts.st_size)
        path = "/proc/self/fd/\(file)"
        identity = (facts.st_dev, facts.st_ino)
    }

    /// Returns true if the input is the file with this device and inode.
    func isSame(device: dev_t, file: ino_t) -> Bool {
        identity == (device, file)
    }

    /// The offset of the next byte; 0 for an input that cannot seek.
    var position: Int { max(0, lseek(descriptor, 0, SEEK_CUR)) }

    /// Returns true if a regular file contains `prefix` at the current position. The position does not change.
    func begins(with prefix: String) -> Bool {
        let expected = Array(prefix.utf8)
        var bytes = [UInt8](repeating: 0, count: expected.count)
        guard size != nil else { return false }
        let count = unsafe pread(descriptor, &bytes, bytes.count, position)
        return count == bytes.count && bytes == expected
    }

    /// Returns the first bytes of a regular file. The position does not change.
    func firstBytes(_ count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = unsafe pread(descriptor, &bytes, count, 0)
        guard got >= 0 else { throw Failure.system("cannot read \(name)") }
        return Array(bytes[..<got])
    }

    enum Beginning {
        /// A line without its newline; nothing beyond the newline is read.
        case line(String)
        /// The bytes that were read to find that the input does not begin with such a line.
        case other([UInt8])
    }

    /// Reads a line of at most `count` bytes that begins with `prefix`.
    func beginning(with prefix: String, atMost count: Int) throws(Failure) -> Beginning {
        var line: [UInt8] = []
        let expected = Array(prefix.utf8)
        while line.count < count {
            var byte: UInt8 = 0
            let got = unsafe Glibc.read(descriptor, &byte, 1)
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw Failure.system("cannot read \(name)") }
            guard got == 1 else { break }
            if byte == UInt8(ascii: "\n"), line.count >= expected.count {
                return .line(String(decoding: line, as: UTF8.self))
            }
            line.append(byte)
            if line.count <= expected.count && byte != expected[line.count - 1] { return .other(line) }
        }
        guard line.count >= expected.count else {
            if line.isEmpty { throw Failure("\(name) is empty") }
            return .other(line)
        }
        throw Failure("the first line of \(name) is corrupt: it has no end")
    }

    /// Reads available bytes into two memory regions; returns 0 at the end.
    func read(_ first: iovec, _ second: iovec) throws(Failure) -> Int {
        var pieces = unsafe (first, second)
        while true {
            let count = unsafe withUnsafePointer(to: &pieces) { pieces in
                unsafe readv(descriptor, UnsafeRawPointer(pieces).assumingMemoryBound(to: iovec.self), 2)
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw Failure.system("cannot read \(name)") }
        }
    }
}
