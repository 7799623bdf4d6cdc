private import NaluBase
internal import NaluLibc
private import NaluMedia
private import Synchronization

/// The output of a command: a file, a pipe or standard output.
final class OutputFile: Sendable {
    /// The output's name in error messages.
    let name: String
    private let path: String?
    private let replaces: Bool
    /// The file descriptor; -1 before ``open()``.
    private let descriptor = Atomic<Int32>(-1)
    private let isNew = Atomic<Bool>(false)
    /// True while the open file still has the content that it had before this run.
    private let hasOldContent = Atomic<Bool>(false)
    private let container: OutputContainer
    /// True if an unfinished file is useless. It is then written under another name and moved to its place by
    /// ``close()``.
    private let isPending: Bool
    /// The address to which a ``PublishSink`` sends; nil for files. Nothing is opened for it here.
    let address: String?

    private struct State {
        var pending: PendingFile?
        /// True after ``complete()``.
        var isComplete = false
        /// The end of an error message if ``close()`` removed a file that was not complete; nil otherwise.
        var loss: String?
    }

    private let state = Guarded(State())

    /// Checks the output without opening or changing anything; throws if it cannot be written.
    ///
    /// - Parameters:
    ///   - path: the path; "-" is standard output.
    ///   - input: the input file, which must not be the output; nil if the input is no file.
    ///   - replaces: true if an existing file may be replaced. Pipes and devices do not count as existing files.
    ///   - allowsAddress: true if the command publishes to an address with a ``PublishSink``.
    ///   - isPending: true if the file is moved to its place at the end; nil selects this for containers with an index
    ///     at the end.
    init(
        path: String, replaces: Bool, input: InputFile?, container: OutputContainer, isPending: Bool? = nil,
        allowsAddress: Bool = false
    ) throws(Failure) {
        address = Publisher.isAddress(path) ? path : nil
        guard address == nil || allowsAddress else {
            throw .usage(
                "\(path) is an address; expected a file, or nalu capture, nalu encode, nalu transcode or nalu demux, which publish"
            )
        }
        self.isPending = isPending ?? container.needsSeeking
        self.path = path == "-" ? nil : path
        self.container = container
        self.replaces = replaces
        name = address.map { Publisher.shownAddress(of: $0) } ?? (path == "-" ? "standard output" : path)
        if address != nil { return }
        guard self.path != nil else {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw Failure("standard output is a terminal; pipe the output to a program, or name a file")
            }
            var facts = stat()
            let isFile = unsafe fstat(STDOUT_FILENO, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            let isAtStart = isFile && lseek(STDOUT_FILENO, 0, SEEK_CUR) == 0
            if !isAtStart || fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND != 0 { try checkSeeking() }
            return
        }
        var facts = stat()
        guard unsafe stat(path.pathBytes, &facts) == 0 else {
            // A missing directory is reported before anything is read.
            guard errno == ENOENT, unsafe access(Failure.directory(of: path).pathBytes, F_OK) == 0 else {
                throw .unwritable(path)
            }
            return
        }
        if facts.st_mode & S_IFMT == S_IFDIR { throw Failure("\(path) is a directory; name a file in it") }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            try checkSeeking()
            return
        }
        if let input, input.isSame(device: facts.st_dev, file: facts.st_ino) {
            throw Failure("\(path) is the input itself; name another file")
        }
        guard replaces else { throw Self.exists(path) }
    }

    /// Throws if the container needs a seekable output and this one is not seekable.
    private func checkSeeking() throws(Failure) {
        guard container.needsSeeking || container.fastStart else { return }
        throw Failure(
            "\(name) is not seekable, which \(container.kind) needs; add --fragmented\(container.fastStart ? " and leave out --fast-start" : "")"
        )
    }

    private static func exists(_ path: String) -> Failure {
        Failure("\(path) exists; add --force to replace it")
    }

    /// The descriptor of the open file.
    var openDescriptor: Int32 { descriptor.load(ordering: .relaxed) }

    /// The size of the open file; nil unless it is a regular file.
    var fileSize: Int? {
        var facts = stat()
        let isFile = unsafe fstat(openDescriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
        return isFile ? Int(facts.st_size) : nil
    }

    /// Creates the file, or opens an existing one, whose content stays until the first byte is written. A second call
    /// does nothing.
    func open() throws(Failure) {
        guard openDescriptor < 0, address == nil else { return }
        guard let path else {
            descriptor.store(STDOUT_FILENO, ordering: .relaxed)
            return
        }
        if isPending {
            do {
                if let pending = try PendingFile(path: path, overwrite: replaces) {
                    descriptor.store(pending.descriptor, ordering: .relaxed)
                    state.withLock { $0.pending = pending }
                    return
                }
            } catch {
                throw Failure(error.message)
            }
        }
        // The writer reads the samples again to move the index before them.
        let access = container.fastStart ? O_RDWR : O_WRONLY
        var opened = unsafe Glibc.open(path.pathBytes, access | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if opened >= 0 {
            isNew.store(true, ordering: .relaxed)
        } else if errno == EEXIST {
            var facts = stat()
            let isRegular = unsafe stat(path.pathBytes, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            if isRegular && !replaces { throw Self.exists(path) }
            opened = unsafe Glibc.open(path.pathBytes, access | O_CLOEXEC)
            hasOldContent.store(isRegular, ordering: .relaxed)
        }
        guard opened >= 0 else { throw Failure.unwritable(path) }
        descriptor.store(opened, ordering: .relaxed)
    }

    /// Empties an existing file before its first byte is written. A run that fails earlier leaves the file unchanged.
    private func begin() throws(Failure) {
        guard hasOldContent.exchange(false, ordering: .relaxed) else { return }
        guard ftruncate(openDescriptor, 0) == 0 else { throw complaint() }
    }

    /// Returns true if the open file still has the content that it had before this run. The caller must then empty it
    /// before the first byte is written, because ``write(_:)`` no longer does.
    func passOldContent() -> Bool { hasOldContent.exchange(false, ordering: .relaxed) }

    func write(_ bytes: [UInt8]) throws(Failure) {
        let result: Result<Void, Failure> = unsafe bytes.withUnsafeBytes { bytes in
            do throws(Failure) {
                return .success(try unsafe write(bytes))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Writes all of the bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        try begin()
        let descriptor = descriptor.load(ordering: .relaxed)
        var written = 0
        while written < bytes.count {
            let count = unsafe Glibc.write(
                descriptor, bytes.baseAddress.unsafelyUnwrapped + written, bytes.count - written)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw complaint() }
            written += count
        }
    }

    /// Marks the output as complete. Without this, ``close()`` removes a file that was to be moved to its place.
    func complete() {
        state.withLock { $0.isComplete = true }
    }

    /// Closes the file, and moves it to its place if it is complete. Some file systems report a full disk only here.
    func close() throws(Failure) {
        let descriptor = descriptor.exchange(-1, ordering: .relaxed)
        guard descriptor >= 0 else { return }
        let pending = state.withLock { state in
            defer { state.pending = nil }
            return state.pending.map { (file: $0, isComplete: state.isComplete) }
        }
        guard let pending else {
            guard Glibc.close(descriptor) == 0 || errno == EINTR else { throw complaint() }
            return
        }
        guard pending.isComplete else {
            state.withLock { $0.loss = Self.loss(replacesFile: pending.file.replacesFile) }
            return
        }
        let number = pending.file.commit()
        guard number != 0 else { return }
        let failure =
            number == EEXIST ? Self.exists(name) : .system("cannot write to \(name)", number, isOfOutput: true)
        throw pending.file.salvage().map {
            Failure("\(failure.message); the written data is in \($0)", isOfOutput: true)
        } ?? failure
    }

    /// Returns a message part on the state of an output that could not be finished.
    ///
    /// - Parameter hasFrames: whether the output has frames that can be played.
    func remainder(hasFrames: Bool) -> String {
        guard container.needsSeeking else {
            guard (fileSize ?? 0) > 0 else { return "" }
            return hasFrames ? "; the frames written so far can be played" : "; it has no frame that can be played"
        }
        guard let replaces = state.withLock({ $0.pending?.replacesFile }) else {
            return "; the file is incomplete and cannot be played (--fragmented avoids this)"
        }
        return Self.loss(replacesFile: replaces)
    }

    private static func loss(replacesFile: Bool) -> String {
        let before = replacesFile ? "the existing file is unchanged" : "no file was written"
        return "; \(before) (--fragmented keeps the frames written so far)"
    }

    /// The end of an error message if ``close()`` removed a file that was not complete; nil otherwise.
    var loss: String? { state.withLock { $0.loss } }

    /// Removes a file that this run created and wrote nothing to.
    func discard() {
        state.withLock { $0.isComplete = false }
        guard let path, address == nil else { return }
        try? close()
        guard isNew.load(ordering: .relaxed) else { return }
        _ = unsafe unlink(path.pathBytes)
    }

    private func complaint() -> Failure {
        switch errno {
        case EPIPE: Failure("cannot write to \(name): its reader closed the pipe", isOfOutput: true)
        case ENOSPC:
            Failure(
                "cannot write to \(name): the disk is full"
                    + (isPending ? "" : "; the frames written so far can be played"), isOfOutput: true)
        default: .system("cannot write to \(name)", isOfOutput: true)
        }
    }
}
