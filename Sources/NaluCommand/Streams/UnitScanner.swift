/// Finds the NAL units of a stream that comes in pieces.
protocol UnitScanner {
    /// Looks through the bytes that follow those it has taken, and returns how many of these it takes: the caller shows
    /// it the others again, with more after them. At the end of the stream it takes all.
    mutating func take(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ body: (ScannedUnit) throws -> Void
    ) throws -> Int

    /// What was passed over because it is part of no unit.
    var complaints: [ScanComplaint] { get }
}

/// Bytes that are part of no NAL unit.
struct ScanComplaint {
    let offset: Int
    let message: String
}

/// How many bytes of a unit to keep, by its first one.
typealias HeadLimit = (_ firstByte: UInt8) -> Int

/// A NAL unit as a scanner found it.
struct ScannedUnit {
    /// Where its start code or length begins in the file.
    var offset: Int
    /// Bytes of the start code (3 or 4) or of the length.
    var prefixSize: Int
    /// Bytes of the unit, its header byte first, without prefix and without trailing zeros. At least 1.
    var size: Int
    /// Zeros after it that belong to no start code.
    var trailingZeros = 0
    /// The first bytes of the unit, as many as the scanner was asked to keep.
    var head: [UInt8]
    /// Whether the stream ends before the unit does.
    var isCutOff = false

    /// Bytes in the file.
    var totalSize: Int { prefixSize + size + trailingZeros }
}
