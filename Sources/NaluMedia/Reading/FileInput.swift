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
        let descriptor = SystemCalls.open(path, O_RDONLY)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        let info = SystemCalls.status(descriptor)
        guard let info, !info.isDirectory else {
            let number = info == nil ? errno : EISDIR
            close(descriptor)
            throw Self.failure(path, number)
        }
        self.descriptor = descriptor
        identity = FileIdentity(info)
        OpenInputs.add(identity)
        isRegularFile = info.isRegularFile
        canSeek = isRegularFile || info.isBlockDevice
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
        isRegularFile ? SystemCalls.status(descriptor).map { Int64($0.st_size) } ?? -1 : -1
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
            let count = SystemCalls.wait(for: Int32(POLLIN), on: descriptor, milliseconds: 100)
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
