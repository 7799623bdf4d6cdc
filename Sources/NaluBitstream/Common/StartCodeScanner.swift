/// Finds start codes at memory speed: 64 bytes a step, since two neighbouring zero bytes are rare in coded video.
package enum StartCodeScanner {
    /// The offset of the first 00 00 01 at or after `from`, or `count`. `from` is at most `count`.
    package static func nextStartCode(_ base: UnsafeRawPointer, from: Int, count: Int) -> Int {
        unsafe next(1, base, from: from, count: count)
    }

    /// The same for 00 00 03, whose last byte prevents the emulation of a start code.
    static func nextEmulationPrevention(_ base: UnsafeRawPointer, from: Int, count: Int) -> Int {
        unsafe next(3, base, from: from, count: count)
    }

    /// The first 00 00 and that third byte, 1 or 3.
    @inline(__always)
    private static func next(_ third: UInt8, _ base: UnsafeRawPointer, from: Int, count: Int) -> Int {
        // Every other byte and the one after it are enough: the code begins with two zeros there, or has its second zero and
        // its third byte there. Of four such pairs the lower bytes are taken, which is rarely more than there is.
        let pair = SIMD8<UInt16>(repeating: 0xFCFF)
        var position = from
        // The code may begin a byte before the step, and end two bytes after it.
        while count - position >= 66 {
            let here = unsafe base + position
            let first = unsafe lower(here, here + 16)
            let second = unsafe lower(here + 32, here + 48)
            let rest = unsafe unsafeBitCast(lower(first, second), to: SIMD8<UInt16>.self) & pair
            // Asking the mask as two words: any(mask) compiles to a chain of byte minima, four times slower.
            let words = unsafe unsafeBitCast(rest .== SIMD8<UInt16>(repeating: 0), to: SIMD2<UInt64>.self)
            if words[0] | words[1] != 0 {
                if let found = unsafe exact(third, base, from: max(from, position &- 1), to: position &+ 64) {
                    return found
                }
            }
            position &+= 64
        }
        return unsafe exact(third, base, from: max(from, position &- 1), to: max(position, count - 2)) ?? count
    }

    /// The lower ones of 16 bytes here and there.
    @inline(__always)
    private static func lower(_ here: UnsafeRawPointer, _ there: UnsafeRawPointer) -> SIMD16<UInt8> {
        unsafe lower(here.loadUnaligned(as: SIMD16<UInt8>.self), there.loadUnaligned(as: SIMD16<UInt8>.self))
    }

    @inline(__always)
    private static func lower(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
        a.replacing(with: b, where: b .< a)
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

    /// The first code that begins in `from..<to`; two bytes after `to` are readable.
    @inline(__always)
    private static func exact(_ third: UInt8, _ base: UnsafeRawPointer, from: Int, to: Int) -> Int? {
        var position = from
        while position < to {
            // The third byte decides how far to go: unless it is zero, no code begins at the next two bytes.
            let byte = unsafe base.load(fromByteOffset: position &+ 2, as: UInt8.self)
            if byte == third, unsafe base.loadUnaligned(fromByteOffset: position, as: UInt16.self) == 0 {
                return position
            }
            position &+= byte == 0 ? 1 : 3
        }
        return nil
    }
}
