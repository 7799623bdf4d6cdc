private import NaluLibc

/// The files of x264's passes, at ``EncoderPass/statisticsPath``.
extension EncoderPass {
    /// Returns every file that x264 creates. x264 writes to `.temp` first, and renames the file when x264 is closed.
    static func files(_ statisticsPath: String) -> [String] {
        ["", ".temp", ".mbtree", ".mbtree.temp"].map { statisticsPath + $0 }
    }

    /// Returns the files that later passes read: the statistics of the frames, and the macroblock tree if the encoder
    /// uses one.
    static func lastingFiles(_ statisticsPath: String) -> [String] {
        ["", ".mbtree"].map { statisticsPath + $0 }
    }

    /// Creates the files that x264 will write in the first pass, so that other users cannot read them.
    func prepareFiles() throws(NaluError) {
        guard isFirst else { return }
        for file in Self.files(statisticsPath) {
            _ = unsafe unlink(file)
            if file.hasSuffix(".temp") { try StorageFile.write([], to: file) }
        }
    }

    /// Throws if a later pass cannot read the file of the first pass.
    func checkFiles() throws(NaluError) {
        guard !isFirst, unsafe access(statisticsPath, R_OK) != 0 else { return }
        let reason = unsafe String(cString: strerror(errno))
        throw NaluError(
            .multiPassStorageInvalid, "storage: \"\(NaluError.excerpt(statisticsPath))\" cannot be read (\(reason))")
    }

    /// Throws if the first pass has not written all statistics. x264 does not report a failure to write the end of
    /// them.
    ///
    /// - Parameter frames: the number of frames; each has a line.
    func checkWritten(frames: Int) throws(NaluError) {
        let lines = try StorageFile.read(statisticsPath).count(where: { $0 == UInt8(ascii: "\n") })
        // The first line contains the options.
        guard lines == frames + 1 else {
            throw NaluError(
                .multiPassStorageInvalid,
                "storage: \"\(NaluError.excerpt(statisticsPath))\" has statistics of \(max(0, lines - 1)) of "
                    + "\(frames) frames; make more space in the directory of the storage")
        }
    }
}
