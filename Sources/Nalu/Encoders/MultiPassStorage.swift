private import NaluLibc
private import Synchronization

/// Where an encoder keeps what it learns of a clip from one pass to the next: a directory of its own, which goes with it.
///
/// It serves one session at a time, and remembers nothing beyond it. The corresponding C type is
/// `nalu_multi_pass_storage`.
public final class MultiPassStorage: Sendable {
    /// The storage's own directory, which nobody else can read.
    package let path: String
    private let isUsed = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)

    /// - Parameter directory: where the storage makes its own directory; nil: `/tmp`.
    /// - Throws: ``Status/multiPassStorageInvalid`` when it cannot.
    public init(directory: String? = nil) throws(NaluError) {
        let parent = directory ?? "/tmp"
        func failure() -> NaluError {
            let reason = unsafe String(cString: strerror(errno))
            return NaluError(
                .multiPassStorageInvalid,
                "directory is \"\(NaluError.excerpt(parent))\"; expected one to write in (\(reason))")
        }
        // The session's thread uses the path later, when the process may be in another directory.
        guard let absolute = unsafe realpath(parent, nil) else { throw failure() }
        defer { unsafe free(absolute) }
        var template = unsafe Array(String(cString: absolute).utf8CString.dropLast())
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

    /// The encoder's file. It creates others in the same folder, whose names begin alike.
    var statisticsPath: String { path + "/statistics" }

    /// Removes the storage's files and its directory. A second call does nothing.
    ///
    /// - Throws: ``Status/conflict`` while a session uses it.
    public func close() throws(NaluError) {
        try claim("closed")
        isClosed.store(true, ordering: .sequentiallyConsistent)
        remove()
        giveBack()
    }

    private func remove() {
        removeFiles()
        _ = unsafe rmdir(path)
    }

    private func removeFiles() {
        for file in EncoderPass.files(statisticsPath) { _ = unsafe unlink(file) }
    }

    /// A session takes it, for itself alone.
    func claim(_ purpose: String = "set") throws(NaluError) {
        guard isUsed.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent).exchanged else {
            throw NaluError(
                .conflict, "storage cannot be \(purpose): a session uses it; expected one that has ended or unset it")
        }
    }

    /// The session that claimed it is at its end, and its encoder closed: nobody will read what it wrote.
    func giveBack() {
        removeFiles()
        isUsed.store(false, ordering: .sequentiallyConsistent)
    }

    func checkOpen() throws(NaluError) {
        guard !isClosed.load(ordering: .sequentiallyConsistent) else {
            throw NaluError(.multiPassStorageInvalid, "storage is closed; create another one")
        }
    }
}
