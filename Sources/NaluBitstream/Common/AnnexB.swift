/// The byte stream form of H.264 (ITU-T H.264 Annex B): NAL units after start codes of 3 or 4 bytes. Any number of zero
/// bytes can stand before and after a NAL unit.
///
/// The input may come from anywhere: no function traps or reads outside the given range.
public enum AnnexB {
    /// Walks the NAL units of a stream.
    ///
    /// Start with `offset` 0 and pass it back unchanged. The result lies inside `bytes`, has no start code and no
    /// trailing zeros, and holds at least one byte. Empty NAL units are skipped. Returns nil after the last NAL unit,
    /// and for an empty stream.
    ///
    /// Throws `.badData` if bytes other than zero precede the start code, or the stream has no start code. Throws
    /// `.parameter` if `offset` is not in 0...bytes.count.
    public static func next(
        in bytes: UnsafeRawBufferPointer,
        offset: inout Int
    ) throws(NaluError) -> UnsafeRawBufferPointer? {
        let count = bytes.count
        guard offset >= 0, offset <= count else {
            throw NaluError(.parameter, "offset is \(offset); expected 0 to \(count)")
        }
        guard let base = bytes.baseAddress else { return nil }
        var position = offset
        while true {
            let one = unsafe StartCodeScanner.endOfZeros(base, from: position, count: count)
            guard one < count else {
                if position == 0, count > 0 {
                    throw NaluError(.badData, "\(count) bytes have no start code: all of them are zero")
                }
                offset = count
                return nil
            }
            let byte = unsafe base.load(fromByteOffset: one, as: UInt8.self)
            guard byte == 1, one - position >= 2 else {
                throw NaluError(
                    .badData,
                    "byte 0x\(String(byte, radix: 16)) at offset \(one); expected a start code (00 00 01)"
                )
            }
            let start = one + 1
            let following = unsafe StartCodeScanner.nextStartCode(base, from: start, count: count)
            var end = following
            while end > start, unsafe base.load(fromByteOffset: end - 1, as: UInt8.self) == 0 {
                end -= 1
            }
            position = following
            if end > start {
                offset = following
                return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            }
            if following == count {
                offset = count
                return nil
            }
        }
    }

    /// Calls `body` with each NAL unit, in order.
    ///
    /// Throws as ``next(in:offset:)`` does, and whatever `body` throws.
    public static func forEachUnit(
        in bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(NaluError) -> Void
    ) throws(NaluError) {
        var offset = 0
        while let unit = unsafe try next(in: bytes, offset: &offset) {
            unsafe try body(unit)
        }
    }

    /// The size of a stream after conversion, and the ranges of its first NAL units. Most access units have no more
    /// than these, so that writing need not search for start codes again.
    private struct Measure {
        static let capacity = 32
        var size = 0
        var unitCount = 0
        var units = InlineArray<32, Range<Int>>(repeating: 0..<0)
        /// The offset in the stream after the last of `units`, where the search continues.
        var offset = 0
    }

    @inline(__always)
    private static func measure(
        _ bytes: UnsafeRawBufferPointer, _ prefix: LengthPrefix
    ) throws(NaluError) -> Measure {
        var result = Measure()
        var offset = 0
        while let unit = unsafe try next(in: bytes, offset: &offset) {
            guard unit.count <= prefix.maximum else {
                throw tooLong(unit.count, prefix)
            }
            result.size += prefix.size + unit.count
            if result.unitCount < Measure.capacity, let base = bytes.baseAddress, let start = unit.baseAddress {
                let first = unsafe start - base
                result.units[result.unitCount] = first..<first + unit.count
                result.unitCount += 1
                result.offset = offset
            }
        }
        return result
    }

    /// Rewrites a stream as length-prefixed data. The last NAL unit extends to the end of the input.
    ///
    /// `needed` receives the size of the result, whether it fits or not. If `buffer` has no address, only `needed` is
    /// set. The buffer must not overlap the input.
    ///
    /// Throws `.bufferTooSmall`, without writing anything, if the buffer is smaller than the result. Throws `.badData`
    /// as ``next(in:offset:)`` does and for a NAL unit too long for the prefix. Throws `.parameter` if `lengthSize` is
    /// not 1, 2 or 4. In both cases `needed` is unchanged.
    public static func toLengthPrefixed(
        _ bytes: UnsafeRawBufferPointer, lengthSize: Int, into buffer: UnsafeMutableRawBufferPointer, needed: inout Int
    ) throws(NaluError) {
        let prefix = try LengthPrefix(size: lengthSize)
        let measure = unsafe try measure(bytes, prefix)
        needed = measure.size
        guard let target = buffer.baseAddress else { return }
        try BufferSize.check(needed: measure.size, capacity: buffer.count)
        unsafe try write(bytes, measure, prefix: prefix, to: target)
    }

    /// Rewrites a stream as length-prefixed data in a new array.
    ///
    /// Throws as ``toLengthPrefixed(_:lengthSize:into:needed:)`` does.
    public static func toLengthPrefixed(_ bytes: [UInt8], lengthSize: Int = 4) throws(NaluError) -> [UInt8] {
        unsafe try bytes.withBytes { (input) throws(NaluError) in
            let prefix = try LengthPrefix(size: lengthSize)
            let measure = unsafe try measure(input, prefix)
            var output = [UInt8](repeating: 0, count: measure.size)
            unsafe try output.withMutableBytes { (buffer) throws(NaluError) in
                if let target = buffer.baseAddress {
                    unsafe try write(input, measure, prefix: prefix, to: target)
                }
            }
            return output
        }
    }

    /// Writes every NAL unit of a measured stream to `target`, which must have room for `measure.size` bytes.
    private static func write(
        _ bytes: UnsafeRawBufferPointer, _ measure: Measure, prefix: LengthPrefix, to target: UnsafeMutableRawPointer
    ) throws(NaluError) {
        var position = unsafe target
        func append(_ source: UnsafeRawPointer, _ count: Int) {
            unsafe prefix.write(count, to: position)
            unsafe (position + prefix.size).copyMemory(from: source, byteCount: count)
            unsafe position += prefix.size + count
        }
        guard let base = bytes.baseAddress else { return }
        for index in 0..<measure.unitCount {
            let unit = measure.units[index]
            unsafe append(base + unit.lowerBound, unit.count)
        }
        var offset = measure.offset
        while let unit = unsafe try next(in: bytes, offset: &offset), let source = unit.baseAddress {
            unsafe append(source, unit.count)
        }
    }

    private static func tooLong(_ count: Int, _ prefix: LengthPrefix) -> NaluError {
        NaluError(
            .badData,
            "a NAL unit of \(count) bytes, but prefixes of length_size \(prefix.size) reach only \(prefix.maximum)"
        )
    }
}
