internal import NaluBase
private import NaluLibc
private import Synchronization

/// The statistics that an encoder keeps from one pass to the next: a directory, which is removed with the storage.
///
/// One session at a time uses a storage. Its statistics are removed when the session ends, unless the storage was
/// created from ``data()``. The corresponding C type is `nalu_multi_pass_storage`.
public final class MultiPassStorage: Sendable {
    /// The storage's own directory. Other users cannot read it.
    package let path: String
    private let isUsed = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)
    /// The frames of the first pass; nil before its end.
    private let firstPass: Guarded<PassClip?>
    private let isMadeOfData: Bool

    /// - Parameter directory: where the storage makes its own directory; nil: `/tmp`.
    /// - Throws: ``Status/multiPassStorageInvalid`` if the directory does not exist or cannot be written to.
    public convenience init(directory: String? = nil) throws(NaluError) {
        try self.init(directory: directory, firstPass: nil)
    }

    /// Creates a storage with the data of a first pass that another session ran, perhaps in another process or on
    /// another machine. Sessions with this storage begin with the second pass.
    ///
    /// - Parameters:
    ///   - data: the bytes that ``data()`` returned.
    ///   - directory: where the storage makes its own directory; nil: `/tmp`.
    /// - Throws: ``Status/badData`` if the bytes are corrupt; ``Status/unsupportedDataFormat`` if this library cannot read
    ///   them; ``Status/multiPassStorageInvalid``.
    public convenience init(data: [UInt8], directory: String? = nil) throws(NaluError) {
        let data = try PassData(data)
        let statistics = try PassStatistics(data.files[0] ?? [], of: data.clip)
        if let tree = data.files[1] { try statistics.check(tree: tree) }
        try self.init(directory: directory, firstPass: data.clip)
        for (path, content) in zip(EncoderPass.lastingFiles(statisticsPath), [statistics.text, data.files[1]]) {
            guard let content else { continue }
            try StorageFile.write(content, to: path)
        }
    }

    private init(directory: String?, firstPass: PassClip?) throws(NaluError) {
        self.firstPass = Guarded(firstPass)
        isMadeOfData = firstPass != nil
        let parent = directory ?? "/tmp"
        // The encoder receives the path among its options, which are text.
        func checkText(_ path: String) throws(NaluError) {
            guard path.hasMarkedBytes else { return }
            throw NaluError(
                .multiPassStorageInvalid,
                "directory is \"\(NaluError.excerpt(path))\", which is not valid UTF-8; expected a path that is")
        }
        try checkText(parent)
        func failure() -> NaluError {
            let reason = unsafe String(cString: strerror(errno))
            return NaluError(
                .multiPassStorageInvalid,
                "directory is \"\(NaluError.excerpt(parent))\"; expected a writable one (\(reason))")
        }
        // The session's thread uses the path later, when the process may be in another directory.
        guard let absolute = unsafe realpath(parent.pathBytes, nil) else { throw failure() }
        defer { unsafe free(absolute) }
        let resolved = unsafe String(path: absolute)
        try checkText(resolved)
        var template = Array(resolved.utf8CString.dropLast())
        template += "/nalu-passes-XXXXXX".utf8CString
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
        }
        guard made else { throw failure() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        remove()
    }

    /// The path of the encoder's file. The encoder creates other files in the same directory, whose names begin with
    /// this one.
    var statisticsPath: String { path + "/statistics" }

    /// Removes the storage's files and its directory. A second call does nothing.
    ///
    /// - Throws: ``Status/conflict`` while a session uses it.
    public func close() throws(NaluError) {
        try claim("closed")
        isClosed.store(true, ordering: .sequentiallyConsistent)
        remove()
        release()
    }

    private func remove() {
        removeFiles()
        _ = unsafe rmdir(path)
    }

    private func removeFiles() {
        for file in EncoderPass.files(statisticsPath) { _ = unsafe unlink(file) }
    }

    /// Reserves the storage for one session. Throws `.conflict` if a session uses it.
    func claim(_ purpose: String = "set") throws(NaluError) {
        guard isUsed.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent).exchanged else {
            throw NaluError(
                .conflict, "storage cannot be \(purpose): a session uses it; expected one that has ended or unset it")
        }
    }

    /// Releases the storage after its session has closed the encoder. Removes the files, unless the storage was created
    /// from data.
    func release() {
        if !isMadeOfData {
            firstPass.withLock { $0 = nil }
            removeFiles()
        }
        isUsed.store(false, ordering: .sequentiallyConsistent)
    }

    /// The frames of the first pass; nil before its end.
    var clip: PassClip? { firstPass.withLock { $0 } }

    func keep(_ clip: PassClip) {
        firstPass.withLock { $0 = clip }
    }

    /// Returns the data of the first pass as bytes for ``init(data:directory:)``. Call this after the first pass, while its
    /// session lives.
    ///
    /// - Throws: ``Status/valueNotAvailable`` if no first pass has ended; ``Status/multiPassStorageInvalid``.
    public func data() throws(NaluError) -> [UInt8] {
        try checkOpen()
        let clip = try finishedClip()
        var files: [[UInt8]?] = []
        for path in EncoderPass.lastingFiles(statisticsPath) {
            // Without the macroblock tree, x264 writes no second file.
            let isThere = unsafe files.isEmpty || access(path, F_OK) == 0
            try files.append(isThere ? StorageFile.read(path) : nil)
        }
        // The text has only the fields that a later pass reads, in one spelling. A storage created from the bytes
        // therefore has the same text.
        do throws(NaluError) {
            files[0] = try PassStatistics(files[0] ?? [], of: clip).text
        } catch {
            throw NaluError(.multiPassStorageInvalid, error.message)
        }
        return PassData(clip: clip, files: files).bytes
    }

    /// Returns the clip and the encoder's statistics of its frames.
    func statistics() throws(NaluError) -> (clip: PassClip, content: PassStatistics) {
        try checkOpen()
        let clip = try finishedClip()
        do throws(NaluError) {
            return (clip, try PassStatistics(StorageFile.read(statisticsPath), of: clip))
        } catch {
            throw NaluError(.multiPassStorageInvalid, error.message)
        }
    }

    private func finishedClip() throws(NaluError) -> PassClip {
        guard let clip else {
            throw NaluError(
                .valueNotAvailable,
                "storage has no data of a first pass; expected a call between end_pass of the first "
                    + "pass and the end of its session")
        }
        return clip
    }

    func checkOpen() throws(NaluError) {
        guard !isClosed.load(ordering: .sequentiallyConsistent) else {
            throw NaluError(.multiPassStorageInvalid, "storage is closed; create another one")
        }
    }
}
