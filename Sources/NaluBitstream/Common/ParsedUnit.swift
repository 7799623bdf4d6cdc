/// A value that is read from one NAL unit.
public protocol ParsedUnit {
    /// Reads a NAL unit with its header and emulation prevention bytes, without start code.
    init(parsing unit: UnsafeRawBufferPointer) throws(NaluError)
}

extension ParsedUnit {
    /// Reads a NAL unit. Throws as ``init(parsing:)-(UnsafeRawBufferPointer)`` does.
    public init(parsing unit: [UInt8]) throws(NaluError) {
        self = unsafe try unit.withBytes { (bytes) throws(NaluError) in unsafe try Self(parsing: bytes) }
    }
}
