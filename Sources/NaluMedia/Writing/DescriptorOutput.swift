internal import Nalu
internal import NaluBase
private import NaluLibc

/// An output to a file descriptor: a file, a pipe, a socket or a device.
final class DescriptorOutput: ByteOutput {
    let canSeek: Bool
    private var descriptor: Int32
    private var isOwned: Bool
    private let isRegularFile: Bool
    private let canRead: Bool
    private let raisesSignal: Bool
    /// The path of an existing file, which ``begin()`` empties.
    private var existingPath: String?
    /// Whether ``begin()`` empties the caller's file.
    private var emptiesFile = false
    /// The file that replaces the path at the end.
    private var pending: PendingFile?

    var readableDescriptor: Int32 { canRead ? descriptor : -1 }
    var holdsExistingFile: Bool { pending?.replacesFile ?? (existingPath != nil || emptiesFile) }

    /// Creates a file, or opens an existing one.
    ///
    /// - Parameter isPending: whether the file is useless until it is complete, and appears at the path only then.
    convenience init(path: String, overwrite: Bool, isPending: Bool, spelling: Spelling) throws(NaluError) {
        if isPending, let pending = try PendingFile(path: path, overwrite: overwrite) {
            try self.init(descriptor: pending.descriptor, isOwned: false)
            self.pending = pending
            return
        }
        var isNew = true
        var descriptor = SystemCalls.open(path, O_RDWR | O_CREAT | O_EXCL)
        if descriptor < 0 && errno == EEXIST && (overwrite || Self.isNoFile(path)) {
            isNew = false
            descriptor = SystemCalls.open(path, O_RDWR | O_CREAT)
        }
        guard descriptor >= 0 else {
            let number = errno
            let hint = number == EEXIST ? "; expected a new path, or \(spelling.overwrite)" : ""
            throw NaluError(
                .inputOutput,
                "path \"\(NaluError.excerpt(path))\" cannot be created: \(SystemError.text(number))\(hint)")
        }
        try self.init(descriptor: descriptor, isOwned: true)
        existingPath = isNew || !isRegularFile ? nil : path
    }

    /// Returns whether the path names a pipe or a device. Writing there replaces nothing.
    private static func isNoFile(_ path: String) -> Bool {
        let info = SystemCalls.status(path)
        errno = EEXIST
        return info.map { !$0.isRegularFile && !$0.isDirectory } ?? false
    }

    init(descriptor: Int32, isOwned: Bool, emptiesFile: Bool = false) throws(NaluError) {
        self.descriptor = descriptor
        self.emptiesFile = emptiesFile
        self.isOwned = isOwned
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, let info = SystemCalls.status(descriptor) else {
            let number = errno
            throw NaluError(.inputOutput, "descriptor is \(descriptor): \(SystemError.text(number))")
        }
        let access = flags & O_ACCMODE
        guard access != O_RDONLY else {
            throw NaluError(.inputOutput, "descriptor \(descriptor) is open for reading only; expected one to write to")
        }
        isRegularFile = info.isRegularFile
        let isBlockDevice = info.isBlockDevice
        raisesSignal = !isRegularFile && !isBlockDevice
        // Descriptors in append mode write at the end, whatever their position is.
        let place = lseek(descriptor, 0, SEEK_CUR)
        canSeek = (isRegularFile || isBlockDevice) && flags & O_APPEND == 0 && place >= 0
        canRead = isRegularFile && access == O_RDWR
        guard !canSeek || place == 0 else {
            throw NaluError(
                .conflict,
                "descriptor \(descriptor) is at byte \(place); expected the beginning, or a descriptor in append mode"
            )
        }
    }

    deinit {
        if isOwned {
            _ = close(descriptor)
        }
    }

    func begin() -> String? {
        if emptiesFile {
            emptiesFile = false
            return ftruncate(descriptor, 0) == 0 ? nil : SystemError.text(errno)
        }
        guard let path = existingPath else { return nil }
        existingPath = nil
        guard let info = SystemCalls.status(descriptor) else { return SystemError.text(errno) }
        guard OpenInputs.contains(FileIdentity(info)) else {
            return ftruncate(descriptor, 0) == 0 ? nil : SystemError.text(errno)
        }
        // An open reader keeps the old file, and the output becomes a new file.
        guard let made = try? PendingFile(path: path, overwrite: true) else {
            return "a reader is reading the file, which cannot be replaced in its directory; expected another path"
        }
        close(descriptor)
        isOwned = false
        descriptor = made.descriptor
        pending = made
        return nil
    }

    func commit(_ spelling: Spelling) -> String? {
        guard let pending else { return nil }
        let number = pending.commit()
        guard number != 0 else { return nil }
        let reason = SystemError.text(number)
        guard let path = pending.salvage() else { return reason }
        let hint = number == EEXIST ? "; expected no file there, or \(spelling.overwrite)" : ""
        return "\(reason)\(hint); the finished file is \"\(path)\""
    }

    func write(_ bytes: Span<UInt8>) -> Int32 {
        unsafe bytes.withUnsafeBytes { memory in
            unsafe raisesSignal ? Self.withoutSignal { unsafe writeAll(memory) } : writeAll(memory)
        }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let start = bytes.baseAddress else { return 0 }
        var done = 0
        while done < bytes.count {
            let count = unsafe Self.systemWrite(descriptor, start + done, bytes.count - done)
            if count > 0 {
                done += count
                continue
            }
            let number = count == 0 ? EIO : errno
            switch number {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK:
                let result = SystemCalls.wait(for: Int32(POLLOUT), on: descriptor, milliseconds: -1)
                if result < 0 && errno != EINTR { return errno }
            default: return number
            }
        }
        return 0
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
            unsafe Musl.write(descriptor, bytes, count)
        #else
            unsafe Darwin.write(descriptor, bytes, count)
        #endif
    }

    func seek(to offset: Int64) -> Int32 {
        lseek(descriptor, off_t(offset), SEEK_SET) < 0 ? errno : 0
    }

    func cut(to size: Int64) {
        if isRegularFile {
            _ = ftruncate(descriptor, off_t(size))
        }
    }

    /// Runs `body` and suppresses a SIGPIPE that it raises on this thread, because the signal would end the program. A
    /// SIGPIPE that was pending before stays pending: a write raises the signal on its own thread, and a signal cannot
    /// be pending twice.
    private static func withoutSignal(_ body: () -> Int32) -> Int32 {
        var pipe = sigset_t()
        var before = sigset_t()
        var pending = sigset_t()
        _ = unsafe sigemptyset(&pipe)
        _ = unsafe sigaddset(&pipe, SIGPIPE)
        _ = unsafe sigpending(&pending)
        let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
        _ = unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
        let result = body()
        if result == EPIPE && !wasPending {
            var none = timespec()
            while unsafe sigtimedwait(&pipe, nil, &none) < 0 && errno == EINTR {}
        }
        _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        return result
    }
}
