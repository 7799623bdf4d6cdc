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
