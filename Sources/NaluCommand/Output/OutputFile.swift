internal import NaluLibc
private import Synchronization

/// Where the stream goes.
final class OutputFile: Sendable {
    /// For sentences.
    let name: String
    private let path: String?
    private let replaces: Bool
    /// -1 before it is open.
    private let descriptor = Atomic<Int32>(-1)
    private let isNew = Atomic<Bool>(false)
    private let form: OutputForm

    /// Nothing is opened or changed yet; throws where it is plain already that it will not do.
    ///
    /// - Parameters:
    ///   - path: "-" is standard output.
    ///   - replaces: an existing file may be replaced. Pipes and devices are no files in this sense.
    init(path: String, replaces: Bool, input: InputFile, form: OutputForm) throws(Failure) {
        self.path = path == "-" ? nil : path
        self.form = form
        self.replaces = replaces
        name = path == "-" ? "standard output" : path
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
        guard unsafe stat(path, &facts) == 0 else {
            // Before anything is read.
            guard errno == ENOENT, unsafe access(Failure.folder(of: path), F_OK) == 0 else { throw .unwritable(path) }
            return
        }
        if facts.st_mode & S_IFMT == S_IFDIR { throw Failure("\(path) is a directory; name a file in it") }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            try checkSeeking()
            return
        }
        if input.isSame(device: facts.st_dev, file: facts.st_ino) {
            throw Failure("\(path) is the input itself; name another file")
        }
        guard replaces else { throw Self.exists(path) }
    }

    /// What cannot go back to its beginning takes only some containers.
    private func checkSeeking() throws(Failure) {
        guard form.needsSeeking || form.fastStart else { return }
        throw Failure(
            "\(name) cannot seek to its beginning, which \(form.container) needs; add --fragmented\(form.fastStart ? " and leave out --fast-start" : "")"
        )
    }

    private static func exists(_ path: String) -> Failure {
        Failure("\(path) exists already; --force replaces it")
    }

    /// The descriptor of the open file.
    var openDescriptor: Int32 { descriptor.load(ordering: .relaxed) }

    /// Bytes of the open file; nil for what is none.
    var fileSize: Int? {
        var facts = stat()
        let isFile = unsafe fstat(openDescriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
        return isFile ? Int(facts.st_size) : nil
    }

    /// Creates or empties the file. A second call does nothing.
    func open() throws(Failure) {
        guard openDescriptor < 0 else { return }
        guard let path else {
            descriptor.store(STDOUT_FILENO, ordering: .relaxed)
            return
        }
        // What is moved to the beginning in the end is read for it.
        let access = form.fastStart ? O_RDWR : O_WRONLY
        var opened = unsafe Glibc.open(path, access | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if opened >= 0 {
            isNew.store(true, ordering: .relaxed)
        } else if errno == EEXIST {
            var facts = stat()
            let isRegular = unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            if isRegular && !replaces { throw Self.exists(path) }
            opened = unsafe Glibc.open(path, access | O_TRUNC | O_CLOEXEC)
        }
        guard opened >= 0 else { throw Failure.unwritable(path) }
        descriptor.store(opened, ordering: .relaxed)
    }

    /// All of the bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
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

    /// Some file systems say only now that they are full.
    func close() throws(Failure) {
        let descriptor = descriptor.exchange(-1, ordering: .relaxed)
        guard descriptor >= 0 else { return }
        guard Glibc.close(descriptor) == 0 || errno == EINTR else { throw complaint() }
    }

    /// Takes away a file that this run made and wrote nothing to.
    func discard() {
        guard let path, isNew.load(ordering: .relaxed) else { return }
        try? close()
        _ = unsafe unlink(path)
    }

    private func complaint() -> Failure {
        switch errno {
        case EPIPE: Failure("cannot write to \(name): its reader has closed it")
        case ENOSPC: Failure("cannot write to \(name): the disk is full; what was written so far can be played")
        default: Failure.system("cannot write to \(name)")
        }
    }
}
