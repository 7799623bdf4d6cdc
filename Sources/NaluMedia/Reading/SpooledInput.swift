internal import NaluBase
private import NaluLibc

/// An input that cannot seek, copied entirely to a temporary file and read from there.
final class SpooledInput: ByteInput {
    /// The original input. It is kept as long as the reader, because its release notifies the client of the reader's
    /// end.
    private let base: any ByteInput
    private let file: TemporaryFile

    /// Copies the input to its end.
    ///
    /// - Parameter beginning: the bytes that have been read from the input.
    init(_ base: any ByteInput, after beginning: ArraySlice<UInt8>) throws(NaluError) {
        self.base = base
        file = try TemporaryFile()
        try unsafe file.fill(beginning) { (piece) throws(NaluError) in
            let count = unsafe base.read(piece)
            guard count >= 0 else { throw InputStream.failure(Int32(-count)) }
            return count
        }
    }

    /// Returns a copy of an input that cannot seek and is an mp4 or mov with its index last. Other inputs are returned
    /// without a copy.
    static func replacing(_ base: any ByteInput) throws(NaluError) -> any ByteInput {
        guard !base.canSeek else { return base }
        let input = UnseekableInput(base)
        return input.hasIndexLast() ? try SpooledInput(base, after: input.beginning) : input
    }

    var canSeek: Bool { true }
    var size: Int64 { file.size }

    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = unsafe systemRead(file.descriptor, bytes)
            if count >= 0 { return count }
            if errno != EINTR { return -Int(errno) }
        }
    }

    func seek(to offset: Int64) -> Int32 {
        lseek(file.descriptor, off_t(offset), SEEK_SET) < 0 ? errno : 0
    }
}
