internal import Nalu
private import NaluBase
private import NaluLibc
internal import NaluMedia

/// The directory of finished chunks, with which an interrupted run can be resumed.
///
/// A file is complete or does not exist, because it is first written under another name. A corrupt file counts as
/// missing.
final class ChunkDirectory: Sendable {
    let path: String
    private let descriptor: Int32
    private static let planName = "plan"

    /// Creates the directory, or opens the one of a run that is resumed.
    ///
    /// - Parameter plan: the source, the settings and the cuts as text. Results are kept for the same text only.
    init(_ path: String, plan: String, resumes: Bool) throws(Failure) {
        self.path = path
        let planPath = "\(path)/\(Self.planName)"
        let exists = unsafe access(planPath.pathBytes, F_OK) == 0
        if exists, !resumes {
            throw Failure(
                "\(path) has chunks of a run that was not finished; resume it with --resume, or remove the directory")
        }
        if unsafe mkdir(path.pathBytes, 0o777) != 0 {
            guard errno == EEXIST else { throw .system("the directory of finished chunks, \(path), cannot be created") }
            if !exists, try !Self.names(in: path).isEmpty {
                throw Failure(
                    "\(path) is not empty, and has no finished chunks; remove it, or name another output")
            }
        }
        descriptor = unsafe open(path.pathBytes, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot open \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw Failure("\(path) is in use by another run") }
        if exists {
            guard Self.read(planPath).map({ String(decoding: $0, as: UTF8.self) }) == plan else {
                throw Failure(
                    "\(path) has chunks of another video, other settings or another version of Nalu; remove the directory"
                )
            }
        } else {
            try write([UInt8](plan.utf8), to: Self.planName)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Returns the result of a stage for a chunk; nil if it is missing or corrupt.
    func result(_ stage: String, _ number: Int) -> ChunkResult? {
        guard let bytes = Self.read("\(path)/\(Self.name(stage, number))"),
            let result = try? ChunkResult(bytes: bytes), result.number == number
        else { return nil }
        return result
    }

    /// Returns a result that must exist.
    func require(_ stage: String, _ number: Int) throws(NaluError) -> ChunkResult {
        guard let result = result(stage, number) else {
            throw NaluError(
                .badData,
                "\(path)/\(Self.name(stage, number)) is corrupt or missing; run the command again with --resume")
        }
        return result
    }

    func keep(_ result: ChunkResult, of stage: String) throws(NaluError) {
        do {
            try write(result.bytes, to: Self.name(stage, result.number))
        } catch {
            throw NaluError(.inputOutput, error.message)
        }
    }

    /// True if no chunk is finished.
    var isEmpty: Bool { ((try? Self.names(in: path)) ?? []).allSatisfy { $0 == Self.planName } }

    func remove() {
        for name in (try? Self.names(in: path)) ?? [] { _ = unsafe unlink("\(path)/\(name)".pathBytes) }
        _ = unsafe rmdir(path.pathBytes)
    }

    private static func name(_ stage: String, _ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 5 - digits.count)) + digits + "." + stage
    }

    private static func names(in path: String) throws(Failure) -> [String] {
        guard let directory = unsafe opendir(path.pathBytes) else {
            throw errno == ENOTDIR
                ? Failure("\(path) is not a directory; remove it, or name another output")
                : .system("cannot read \(path)")
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func read(_ path: String) -> [UInt8]? {
        let file = unsafe open(path.pathBytes, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        var count = 0
        while count < bytes.count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(file, buffer.baseAddress.unsafelyUnwrapped + count, buffer.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            count += got
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], to name: String) throws(Failure) {
        let unfinished = "\(path)/.\(name)"
        let file = unsafe open(unfinished.pathBytes, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw .system("cannot write \(path)/\(name)") }
        let isWritten = unsafe bytes.withUnsafeBytes { unsafe Self.write($0, to: file) } && fsync(file) == 0
        let number = errno
        close(file)
        guard isWritten, unsafe rename(unfinished.pathBytes, "\(path)/\(name)".pathBytes) == 0 else {
            let failure = Failure.system("cannot write \(path)/\(name)", isWritten ? errno : number)
            _ = unsafe unlink(unfinished.pathBytes)
            throw failure
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = unsafe Glibc.write(file, bytes.baseAddress.unsafelyUnwrapped + written, bytes.count - written)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }
}
