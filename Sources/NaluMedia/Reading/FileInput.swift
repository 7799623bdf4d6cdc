internal import Nalu
internal import NaluBase
private import NaluLibc

/// A file, a pipe or a device, opened by its path.
final class FileInput: ByteInput {
    let canSeek: Bool
    private let descriptor: Int32
    private let isRegularFile: Bool
    private let identity: FileIdentity
    private let signals: ReaderSignals

    init(path: String, signals: ReaderSignals) throws(NaluError) {
        self.signals = signals
        var descriptor: Int32
        repeat {
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        var info = stat()
        let isKnown = unsafe fstat(descriptor, &info) == 0
        guard isKnown, info.st_mode & S_IFMT != S_IFDIR else {
            let number = isKnown ? EISDIR : errno
            close(descriptor)
            throw Self.failure(path, number)
        }
        self.descriptor = descriptor
        identity = FileIdentity(info)
        OpenInputs.add(identity)
        isRegularFile = info.st_mode & S_IFMT == S_IFREG
        canSeek = isRegularFile || info.st_mode & S_IFMT == S_IFBLK
    }

    private static func failure(_ path: String, _ number: Int32) -> NaluError {
        let hint = number == ENOENT ? "; expected the path of a file that exists" : ""
        return NaluError(
            .inputOutput,
            "path \"\(NaluError.excerpt(path))\" cannot be opened: \(SystemError.text(number))\(hint)")
    }

    deinit {
        OpenInputs.remove(identity)
        close(descriptor)
    }

    var size: Int64 {
        var info = stat()
        return unsafe isRegularFile && fstat(descriptor, &info) == 0 ? Int64(info.st_size) : -1
    }

    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            if !isRegularFile, let failure = waitForBytes() { return -Int(failure) }
            let count = unsafe systemRead(descriptor, bytes)
            if count >= 0 { return count }
            let number = errno
            if number != EINTR && number != EAGAIN { return -Int(number) }
        }
    }

    /// Waits until bytes can be read. Returns an errno number if this fails. A pipe may be silent for long, so a
    /// cancelled reader stops waiting within 100 ms.
    private func waitForBytes() -> Int32? {
        while true {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&wait, 1, 100)
            if signals.isCancelled { return ECANCELED }
            if count > 0 { return nil }
            if count < 0 && errno != EINTR { return errno }
        }
    }

    func seek(to offset: Int64) -> Int32 {
        lseek(descriptor, off_t(offset), SEEK_SET) < 0 ? errno : 0
    }
}

/// Calls the C library's `read`. Inputs have a function of the same name, which hides it.
func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, bytes.baseAddress, bytes.count)
}
