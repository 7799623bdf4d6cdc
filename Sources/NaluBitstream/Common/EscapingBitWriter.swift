/// Writes the bits of one NAL unit with its emulation prevention bytes (ITU-T H.264 7.4.1), into memory of the caller or
/// only to learn how many bytes they take.
@safe
struct EscapingBitWriter: BitSink {
    /// Without an address: bytes are counted and not stored.
    private let memory: UnsafeMutableRawBufferPointer
    /// Bytes written, or that would have been: those that the memory has no room for are counted too.
    private(set) var byteCount = 0
    /// The last bits, which do not make a byte yet.
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

    /// Appends one bits up to the next whole byte: `cabac_alignment_one_bit` (7.3.4).
    mutating func alignWithOnes() {
        let count = (8 - pendingCount) & 7
        append(UInt32(1) &<< UInt32(count) &- 1, width: count)
    }

    /// Appends bytes that begin at a whole byte of both the source and this unit, and ends the unit.
    mutating func append(rest bytes: consuming UnescapedBytes) {
        while let byte = bytes.next() {
            append(UInt32(byte), width: 8)
            guard byte == 0 else {
                // Neither side has zeros before what follows, so that both have the same emulation prevention bytes.
                unsafe store(bytes.rest)
                return
            }
        }
        end()
    }

    /// Appends bytes that do not begin at a whole byte of this unit, and ends the unit. `hasStopBit`: the bits so far may
    /// have the stop bit, which is the last one of all that is set.
    mutating func append(shifting bytes: consuming UnescapedBytes, hasStopBit: Bool) {
        var hasStopBit = hasStopBit
        while let byte = bytes.next() {
            append(UInt32(byte), width: 8)
            hasStopBit = true
        }
        // What follows the stop bit is padding.
        if pending != 0 || !hasStopBit {
            append(0, width: (8 - pendingCount) & 7)
        }
        end()
    }

    /// A unit does not end in a zero byte: such a one gets a last 03.
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
