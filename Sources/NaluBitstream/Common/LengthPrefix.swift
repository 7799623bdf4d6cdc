/// The size of the big-endian length before each NAL unit of length-prefixed data: 1, 2 or 4 bytes.
package struct LengthPrefix {
    package let size: Int

    /// Throws `.parameter` for any other size.
    package init(size: Int) throws(NaluError) {
        guard size == 1 || size == 2 || size == 4 else {
            throw NaluError(.parameter, "length_size is \(size); expected 1, 2 or 4")
        }
        self.size = size
    }

    /// The size of the longest NAL unit that the prefix can express, in bytes.
    package var maximum: Int { size == 4 ? 0xFFFF_FFFF : size == 2 ? 0xFFFF : 0xFF }

    /// Reads a prefix; `size` bytes at `pointer` must be readable.
    @inline(__always)
    package func read(_ pointer: UnsafeRawPointer) -> Int {
        switch size {
        case 4: unsafe Int(UInt32(bigEndian: pointer.loadUnaligned(as: UInt32.self)))
        case 2: unsafe Int(UInt16(bigEndian: pointer.loadUnaligned(as: UInt16.self)))
        default: unsafe Int(pointer.load(as: UInt8.self))
        }
    }

    /// Writes a prefix; `size` bytes at `pointer` must be writable and `length` at most `maximum`.
    @inline(__always)
    package func write(_ length: Int, to pointer: UnsafeMutableRawPointer) {
        switch size {
        case 4: unsafe pointer.storeBytes(of: UInt32(truncatingIfNeeded: length).bigEndian, as: UInt32.self)
        case 2: unsafe pointer.storeBytes(of: UInt16(truncatingIfNeeded: length).bigEndian, as: UInt16.self)
        default: unsafe pointer.storeBytes(of: UInt8(truncatingIfNeeded: length), as: UInt8.self)
        }
    }
}
