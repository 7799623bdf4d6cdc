/// The bytes of a NAL unit without its emulation prevention bytes (ITU-T H.264 7.4.1), one after the other.
@safe
struct UnescapedBytes {
    let unit: UnsafeRawBufferPointer
    /// The offset in the unit of the byte to read next, which may be an emulation prevention byte.
    private(set) var offset = 0
    private var zeros = 0

    init(_ unit: UnsafeRawBufferPointer) {
        unsafe self.unit = unit
    }

    /// The next byte; nil at the end.
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

    /// The rest of the unit as it is. Its emulation prevention bytes fit if the last byte read is not zero.
    var rest: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: unit[offset...])
    }
}
