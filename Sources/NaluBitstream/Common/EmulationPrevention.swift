/// The bytes that keep start codes out of NAL units (ITU-T H.264 7.4.1): a 03 after each 00 00 that precedes 00 to 03.
public enum EmulationPrevention {
    /// Returns the bytes without emulation prevention: each 03 after 00 00 is left out.
    public static func removing(from bytes: UnsafeRawBufferPointer) -> [UInt8] {
        unsafe [UInt8](capacity: bytes.count) { output in
            guard let source = bytes.baseAddress, let copy = output.baseAddress else { return 0 }
            var count = 0
            var position = 0
            while position < bytes.count {
                let code = unsafe StartCodeScanner.nextEmulationPrevention(source, from: position, count: bytes.count)
                let end = min(code + 2, bytes.count)
                unsafe (copy + count).copyMemory(from: source + position, byteCount: end - position)
                count += end - position
                position = code + 3
            }
            return count
        }
    }

    /// Replaces `output` by the bytes without emulation prevention. Allocates nothing if the array has the capacity.
    package static func remove(from bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        output.removeAll(keepingCapacity: true)
        guard let source = bytes.baseAddress else { return }
        var position = 0
        while position < bytes.count {
            let code = unsafe StartCodeScanner.nextEmulationPrevention(source, from: position, count: bytes.count)
            let end = min(code + 2, bytes.count)
            unsafe output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
            position = code + 3
        }
    }

    /// Returns the bytes with emulation prevention. If the last byte is zero, a final 03 is appended, so that the end
    /// differs from the zeros that may follow a NAL unit.
    public static func inserting(into bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8]()
        output.reserveCapacity(bytes.count + bytes.count / 2 + 1)
        var zeros = 0
        for byte in bytes {
            if zeros == 2, byte <= 3 {
                output.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            output.append(byte)
        }
        if bytes.last == 0 {
            output.append(3)
        }
        return output
    }

    /// Returns the offset of the first 00 00 00, 00 00 01 or 00 00 02 before the trailing zeros, or nil. No valid NAL
    /// unit contains these bytes.
    static func firstViolation(in bytes: UnsafeRawBufferPointer) -> Int? {
        var zeros = 0
        for offset in 0..<bytes.count {
            let byte = unsafe bytes[offset]
            if byte == 0 {
                zeros += 1
            } else if zeros >= 3 || (zeros == 2 && byte <= 2) {
                return offset - zeros
            } else {
                zeros = 0
            }
        }
        return nil
    }
}
