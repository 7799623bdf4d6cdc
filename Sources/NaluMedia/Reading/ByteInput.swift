/// Where the bytes of a file or a stream come from.
protocol ByteInput: AnyObject {
    var canSeek: Bool { get }
    /// Bytes in all; -1 where that is not known.
    var size: Int64 { get }
    /// Fills up to `bytes.count`: how many (at least 1), 0 at the end, or a negative errno number.
    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int
    /// 0 or an errno number.
    func seek(to offset: Int64) -> Int32
}
