/// Finds the NAL units of a stream that arrives in several reads.
protocol UnitScanner {
    /// Scans the bytes after those that earlier calls consumed. Returns how many it consumes; the caller passes the
    /// rest again with more bytes after them. At the end of the stream it consumes all.
    mutating func take(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ body: (ScannedUnit) throws -> Void
    ) throws -> Int

    /// Bytes that were skipped because they belong to no NAL unit.
    var complaints: [ScanComplaint] { get }
}

/// Bytes that belong to no NAL unit.
struct ScanComplaint {
    let offset: Int
    let message: String
}

/// Returns how many bytes of a NAL unit to keep, by its first byte.
typealias HeadLimit = (_ firstByte: UInt8) -> Int

/// A NAL unit with its place in the file.
struct ScannedUnit {
    /// The file offset of its start code or length prefix.
    var offset: Int
    /// The size of the start code (3 or 4 bytes) or of the length prefix.
    var prefixSize: Int
    /// The size of the unit with its header, without prefix and trailing zeros. At least 1.
    var size: Int
    /// The number of zeros after the unit that belong to no start code.
    var trailingZeros = 0
    /// The first bytes of the unit, as many as ``HeadLimit`` allows.
    var head: [UInt8]
    /// True if the stream ends inside the unit.
    var isCutOff = false

    /// The bytes of the unit in the file, with prefix and trailing zeros.
    var totalSize: Int { prefixSize + size + trailingZeros }
}
