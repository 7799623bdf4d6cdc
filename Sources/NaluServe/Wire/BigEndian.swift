extension RangeReplaceableCollection where Element == UInt8 {
    /// Appends the bytes of an integer, the most significant one first.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
