/// Writes the bits of one NAL unit with emulation prevention bytes (ITU-T H.264 7.4.1) into the caller's memory, or
/// only counts the bytes.
@safe
struct EscapingBitWriter: BitSink {
    /// The destination. If it has no address, bytes are only counted.
    private let memory: UnsafeMutableRawBufferPointer
    /// The number of bytes produced, including those that `memory` has no room for.
    private(set) var byteCount = 0
    /// The last bits, which do not fill a byte yet.
    private var pending: UInt64 = 0
    private(set) var pendingCount = 0
    private var zeros = 0

    init(into memory: UnsafeMutableRawBufferPointer) {
        unsafe self.memory = memory
    }

    mutating func append(_ value: UInt32, width: Int) {
        guard width > 0 else { return }
        let mask = UInt64(1) &<< UInt64(width) &- 1
        pending = pending &<< UInt64(width) | UInt64(value) & mask
        pendingCount += width
        while pendingCount >= 8 {
            pendingCount -= 8
            append(byte: UInt8(truncatingIfNeeded: pending &>> UInt64(pendingCount)))
        }
        pending &= UInt64(1) &<< UInt64(pendingCount) &- 1
    }

    /// Appends one bits up to the next byte boundary: `cabac_alignment_one_bit` (7.3.4).
    mutating func alignWithOnes() {
        let count = (8 - pendingCount) & 7
        append(UInt32(1) &<< UInt32(count) &- 1, width: count)
    }

    /// Appends the remaining bytes and ends the NAL unit. Both the source and this NAL unit must be at a byte boundary.
    mutating func append(rest bytes: consuming UnescapedBytes) {
        while let byte = bytes.next() {
            append(UInt32(byte), width: 8)
            guard byte == 0 else {
                // No zeros directly precede the rest on either side, so both sides have the same emulation prevention
                // bytes.
                unsafe store(bytes.rest)
                return
            }
        }
        end()
    }

    /// Appends the remaining bytes at a position that is no byte boundary of this NAL unit, and ends the NAL unit.
    /// `hasStopBit`: the bits so far may contain the stop bit, which is the last set bit of the NAL unit.
    mutating func append(shifting bytes: consuming UnescapedBytes, hasStopBit: Bool) {
        var hasStopBit = hasStopBit
        while let byte = bytes.next() {
            append(UInt32(byte), width: 8)
            hasStopBit = true
        }
        // Pending zeros after the stop bit are padding and are dropped.
        if pending != 0 || !hasStopBit {
            append(0, width: (8 - pendingCount) & 7)
        }
        end()
    }

    /// Ends the NAL unit. It must not end in a zero byte, so a final 03 follows such a byte.
    private mutating func end() {
        if zeros > 0 { put(3) }
    }

    private mutating func append(byte: UInt8) {
        if zeros >= 2, byte <= 3 {
            put(3)
            zeros = 0
        }
        zeros = byte == 0 ? zeros + 1 : 0
        put(byte)
    }

    private mutating func put(_ byte: UInt8) {
        if unsafe byteCount < memory.count { unsafe memory[byteCount] = byte }
        byteCount += 1
    }

    private mutating func store(_ bytes: UnsafeRawBufferPointer) {
        if unsafe byteCount < memory.count {
            let room = unsafe min(bytes.count, memory.count - byteCount)
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[byteCount...]).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[..<room]))
        }
        byteCount += bytes.count
    }
}
