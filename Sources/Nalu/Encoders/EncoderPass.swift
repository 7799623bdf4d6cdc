private import NaluLibc

/// One of several passes over the same frames.
struct EncoderPass: Hashable, Sendable {
    /// The first pass writes this file, and the later ones read it.
    let statisticsPath: String
    let isFirst: Bool

    /// Every file that x264 makes: what it writes goes into `.temp` first, and gets its name when x264 is closed.
    static func files(_ statisticsPath: String) -> [String] {
        ["", ".temp", ".mbtree", ".mbtree.temp"].map { statisticsPath + $0 }
    }

    /// Those that later passes read: the statistics of the frames, and the macroblock tree, where the encoder uses one.
    static func lastingFiles(_ statisticsPath: String) -> [String] {
        ["", ".mbtree"].map { statisticsPath + $0 }
    }

    /// Before the first pass: makes the files that x264 is going to write, so that nobody else can read them.
    func prepareFiles() throws(NaluError) {
        guard isFirst else { return }
        for file in Self.files(statisticsPath) {
            _ = unsafe unlink(file)
            if file.hasSuffix(".temp") { try StorageFile.write([], to: file) }
        }
    }

    /// Before a later pass.
    func checkFiles() throws(NaluError) {
        guard !isFirst, unsafe access(statisticsPath, R_OK) != 0 else { return }
        let reason = unsafe String(cString: strerror(errno))
        throw NaluError(
            .multiPassStorageInvalid, "storage: \"\(NaluError.excerpt(statisticsPath))\" cannot be read (\(reason))")
    }

    /// After the first pass: x264 does not say when it could not write the end of what it has learned.
    ///
    /// - Parameter frames: how many there were; each has a line.
    func checkWritten(frames: Int) throws(NaluError) {
        let lines = try StorageFile.read(statisticsPath).count(where: { $0 == UInt8(ascii: "\n") })
        // The first line has the options.
        guard lines == frames + 1 else {
            throw NaluError(
                .multiPassStorageInvalid,
                "storage: \"\(NaluError.excerpt(statisticsPath))\" has the statistics of \(max(0, lines - 1)) of "
                    + "\(frames) frames; expected room for all of them where the storage is")
        }
    }
}
