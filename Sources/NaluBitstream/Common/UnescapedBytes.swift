/// An iterator over the bytes of a NAL unit without its emulation prevention bytes (ITU-T H.264 7.4.1).
@safe
struct UnescapedBytes {
    let unit: UnsafeRawBufferPointer
    /// The offset in the NAL unit of the next byte to read, which may be an emulation prevention byte.
    private(set) var offset = 0
    private var zeros = 0

    init(_ unit: UnsafeRawBufferPointer) {
        unsafe self.unit = unit
    }

    /// Returns the next byte, or nil at the end.
    mutating func next() -> UInt8? {
        guard unsafe offset < unit.count else { return nil }
        var byte = unsafe unit[offset]
        if byte == 3, zeros >= 2 {
            zeros = 0
            offset += 1
            guard unsafe offset < unit.count else { return nil }
            byte = unsafe unit[offset]
        }
        zeros = byte == 0 ? zeros + 1 : 0
        offset += 1
        return byte
    }

    /// The remaining bytes, with emulation prevention bytes. A copy of them is correct only if the last byte read is
    /// not zero.
    var rest: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: unit[offset...])
    }
}
