/// Gives the bytes of one frame after the other. One thread uses it.
protocol PayloadReader {
    /// The bytes of the next frame, and what keeps them where they are; nil at the end. Throws a ``Failure`` when the
    /// input cannot be read or is damaged.
    mutating func next() throws -> (bytes: UnsafeRawPointer, owner: AnyObject)?
}
