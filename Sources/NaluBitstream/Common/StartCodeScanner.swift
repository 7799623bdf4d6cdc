/// Finds start codes at memory speed: 64 bytes per step, since two neighbouring zero bytes are rare in coded video.
package enum StartCodeScanner {
    /// Returns the offset of the first 00 00 01 at or after `from`, or `count` if there is none. `from` is at most
    /// `count`.
    package static func nextStartCode(_ base: UnsafeRawPointer, from: Int, count: Int) -> Int {
        unsafe next(1, base, from: from, count: count)
    }

    /// Returns the offset of the first 00 00 03 at or after `from`, or `count`. The 03 is an emulation prevention byte.
    static func nextEmulationPrevention(_ base: UnsafeRawPointer, from: Int, count: Int) -> Int {
        unsafe next(3, base, from: from, count: count)
    }

    /// Returns the offset of the first 00 00 that `third`, 1 or 3, follows; or `count`.
    @inline(__always)
    private static func next(_ third: UInt8, _ base: UnsafeRawPointer, from: Int, count: Int) -> Int {
        // Testing each even byte with the byte after it suffices: both zeros of a code are there, or its second zero
        // and its third byte. Only the bytewise minimum of four such pairs is tested, which rarely raises a false
        // alarm.
        let pair = SIMD8<UInt16>(repeating: 0xFCFF)
        var position = from
        // A code may begin one byte before these 64 bytes, and end two bytes after them.
        while count - position >= 66 {
            let here = unsafe base + position
            let first = unsafe lower(here, here + 16)
            let second = unsafe lower(here + 32, here + 48)
            let rest = unsafe unsafeBitCast(lower(first, second), to: SIMD8<UInt16>.self) & pair
            // The mask is tested as two words: any(mask) compiles to a chain of byte minima, four times slower.
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

    /// Returns the bytewise minimum of the 16 bytes at each address.
    @inline(__always)
    private static func lower(_ here: UnsafeRawPointer, _ there: UnsafeRawPointer) -> SIMD16<UInt8> {
        unsafe lower(here.loadUnaligned(as: SIMD16<UInt8>.self), there.loadUnaligned(as: SIMD16<UInt8>.self))
    }

    @inline(__always)
    private static func lower(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
        a.replacing(with: b, where: b .< a)
    }

    /// Returns the offset of the first nonzero byte at or after `from`, or `count`.
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

    /// Returns the offset of the first code that begins in `from..<to`, or nil. Two bytes after `to` must be readable.
    @inline(__always)
    private static func exact(_ third: UInt8, _ base: UnsafeRawPointer, from: Int, to: Int) -> Int? {
        var position = from
        while position < to {
            // The third byte decides the step: unless it is zero, no code begins at the next two bytes.
            let byte = unsafe base.load(fromByteOffset: position &+ 2, as: UInt8.self)
            if byte == third, unsafe base.loadUnaligned(fromByteOffset: position, as: UInt16.self) == 0 {
                return position
            }
            position &+= byte == 0 ? 1 : 3
        }
        return nil
    }
}
