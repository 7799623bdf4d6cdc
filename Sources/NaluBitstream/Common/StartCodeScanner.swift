/// Finds start codes at memory speed: 64 bytes a step, since two neighbouring zero bytes are rare in coded video.
package enum StartCodeScanner {
    /// The offset of the first 00 00 01 at or after `from`, or `count`. `from` is at most `count`.
    package static func nextStartCode(_ base: UnsafeRawPointer, from: Int, count: Int) -> Int {
        var position = from
        // A step looks at the 65 bytes from `position` on, and at two more where it finds a pair of zeros.
        while count - position >= 66 {
            let here = unsafe base + position
            let first = unsafe pairs(here) .| pairs(here + 16)
            let second = unsafe pairs(here + 32) .| pairs(here + 48)
            // Asking the mask as two words: any(mask) compiles to a chain of byte minima, four times slower.
            let words = unsafe unsafeBitCast(first .| second, to: SIMD2<UInt64>.self)
            if words[0] | words[1] != 0 {
                if let found = unsafe exact(base, from: position, to: position &+ 64) {
                    return found
                }
            }
            position &+= 64
        }
        return unsafe exact(base, from: position, to: max(position, count - 2)) ?? count
    }

    /// Which of 16 bytes and their right neighbours are both zero.
    @inline(__always)
    private static func pairs(_ bytes: UnsafeRawPointer) -> SIMDMask<SIMD16<Int8>> {
        let left = unsafe bytes.loadUnaligned(as: SIMD16<UInt8>.self)
        let right = unsafe bytes.loadUnaligned(fromByteOffset: 1, as: SIMD16<UInt8>.self)
        return (left | right) .== SIMD16<UInt8>(repeating: 0)
    }

    /// The offset of the first byte that is not zero at or after `from`, or `count`.
    package static func endOfZeros(_ base: UnsafeRawPointer, from: Int, count: Int) -> Int {
        var position = from
        while position < count, unsafe base.load(fromByteOffset: position, as: UInt8.self) == 0 {
            position &+= 1
            while count - position >= 8, unsafe base.loadUnaligned(fromByteOffset: position, as: UInt64.self) == 0 {
                position &+= 8
            }
        }
        return position
    }

    /// The first start code that begins in `from..<to`; two bytes after `to` are readable.
    private static func exact(_ base: UnsafeRawPointer, from: Int, to: Int) -> Int? {
        var position = from
        while position < to {
            // The third byte decides how far to go: unless it is zero, no start code begins at the next two bytes.
            let third = unsafe base.load(fromByteOffset: position &+ 2, as: UInt8.self)
            if third == 1, unsafe base.loadUnaligned(fromByteOffset: position, as: UInt16.self) == 0 {
                return position
            }
            position &+= third == 0 ? 1 : 3
        }
        return nil
    }
}
