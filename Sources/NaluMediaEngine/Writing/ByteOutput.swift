/// Where the bytes of a container go. Failures are errno numbers, 0 is success.
protocol ByteOutput: AnyObject {
    /// Whether ``seek(to:)`` works.
    var canSeek: Bool { get }
    /// For reading back what was written; -1 where that cannot be.
    var readableDescriptor: Int32 { get }
    /// Writes all bytes at the current place.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int32
    func seek(to offset: Int64) -> Int32
    /// Cuts what lies beyond `size` where the output is a regular file, else does nothing.
    func cut(to size: Int64)
}
