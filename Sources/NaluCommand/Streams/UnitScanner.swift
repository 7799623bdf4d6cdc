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
