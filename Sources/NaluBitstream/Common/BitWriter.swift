/// Writes syntax elements of a parameter set (ITU-T H.264 7.2 and 9.1), without emulation prevention.
package struct BitWriter: BitSink {
    /// The bytes so far. Unwritten bits of the last byte are zero.
    package private(set) var bytes: [UInt8] = []
    /// The number of bits written.
    package private(set) var count = 0

    package init() {}

    package mutating func append(_ value: UInt32, width: Int) {
        var left = width
        while left > 0 {
            let free = 8 - count & 7
            if free == 8 {
                bytes.append(0)
            }
            let step = min(free, left)
            left -= step
            let chunk = UInt8(truncatingIfNeeded: value &>> UInt32(left)) & UInt8(truncatingIfNeeded: (1 << step) - 1)
            bytes[bytes.count - 1] |= chunk &<< UInt8(free - step)
            count += step
        }
    }

    /// Appends the stop bit and the zeros up to the next whole byte.
    package mutating func appendTrailingBits() {
        append(true)
        append(0, width: (8 - count & 7) & 7)
    }
}
