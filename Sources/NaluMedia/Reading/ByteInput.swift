/// The source of the bytes of a file or a stream.
protocol ByteInput: AnyObject {
    var canSeek: Bool { get }
    /// The number of bytes; -1 if not known.
    var size: Int64 { get }
    /// Reads up to `bytes.count` bytes. Returns their number (at least 1), 0 at the end, or a negative errno number.
    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int
    /// Moves to an offset from the beginning. Returns 0 or an errno number.
    func seek(to offset: Int64) -> Int32
}
