/// The byte stream form of H.264 (ITU-T H.264 Annex B): NAL units behind start codes of 3 or 4 bytes, with any number
/// of zero bytes before and after units.
///
/// The input may come from anywhere; nothing here traps or reads outside the range given.
public enum AnnexB {
    /// Walks the NAL units of a stream.
    ///
    /// Start with `offset` 0 and pass it back unchanged. The result lies inside `bytes`, has no start code and no
    /// trailing zeros, and holds at least one byte; empty units are passed over. Returns nil when no further unit
    /// follows, and for an empty stream.
    ///
    /// Throws `.badData` when bytes other than zero precede the start code, or a stream has none at all;
    /// `.parameter` when `offset` is not in 0...bytes.count.
    public static func next(
        in bytes: UnsafeRawBufferPointer,
        offset: inout Int
    ) throws(NaluError) -> UnsafeRawBufferPointer? {
        let count = bytes.count
        guard offset >= 0, offset <= count else {
            throw NaluError(.parameter, "offset is \(offset), expected 0 to \(count)")
        }
        guard let base = bytes.baseAddress else {
            return nil
        }
        var position = offset
        while true {
            let one = unsafe StartCodeScanner.endOfZeros(base, from: position, count: count)
            guard one < count else {
                if position == 0, count > 0 {
                    throw NaluError(.badData, "no start code in \(count) bytes, all of them zero")
                }
                offset = count
                return nil
            }
            let byte = unsafe base.load(fromByteOffset: one, as: UInt8.self)
            guard byte == 1, one - position >= 2 else {
                throw NaluError(
                    .badData,
                    "byte 0x\(String(byte, radix: 16)) at offset \(one), expected a start code (00 00 01)"
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

    /// Calls `body` with each NAL unit in turn.
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

    /// The number of bytes that ``toLengthPrefixed(_:lengthSize:into:needed:)`` writes for the same input.
    ///
    /// Throws `.badData` as ``next(in:offset:)`` does and for a unit too long for the prefix, `.parameter` when
    /// `lengthSize` is not 1, 2 or 4.
    public static func lengthPrefixedSize(
        _ bytes: UnsafeRawBufferPointer,
        lengthSize: Int
    ) throws(NaluError) -> Int {
        let prefix = try LengthPrefix(size: lengthSize)
        var offset = 0
        var size = 0
        while let unit = unsafe try next(in: bytes, offset: &offset) {
            guard unit.count <= prefix.maximum else {
                throw tooLong(unit.count, prefix)
            }
            size += prefix.size + unit.count
        }
        return size
    }

    /// Rewrites a stream as length-prefixed data. The whole input is taken as complete NAL units.
    ///
    /// `needed` receives the size of the result, whether it fits or not. A buffer without an address only asks for
    /// that size. The buffer must not overlap the input.
    ///
    /// Throws `.bufferTooSmall` when the buffer holds fewer bytes, and then has written nothing; `.badData` and
    /// `.parameter` as ``lengthPrefixedSize(_:lengthSize:)`` does, and then leaves `needed` as it was.
    public static func toLengthPrefixed(
        _ bytes: UnsafeRawBufferPointer,
        lengthSize: Int,
        into buffer: UnsafeMutableRawBufferPointer,
        needed: inout Int
    ) throws(NaluError) {
        let size = unsafe try lengthPrefixedSize(bytes, lengthSize: lengthSize)
        needed = size
        guard let target = buffer.baseAddress else {
            return
        }
        try BufferSize.check(needed: size, capacity: buffer.count)
        unsafe try write(bytes, prefix: LengthPrefix(size: lengthSize), to: target)
    }

    /// Rewrites a stream as length-prefixed data in a new array.
    ///
    /// Throws as ``lengthPrefixedSize(_:lengthSize:)`` does.
    public static func toLengthPrefixed(_ bytes: [UInt8], lengthSize: Int = 4) throws(NaluError) -> [UInt8] {
        unsafe try bytes.withBytes { (input) throws(NaluError) in
            let size = unsafe try lengthPrefixedSize(input, lengthSize: lengthSize)
            var output = [UInt8](repeating: 0, count: size)
            unsafe try output.withMutableBytes { (buffer) throws(NaluError) in
                if let target = buffer.baseAddress {
                    unsafe try write(input, prefix: LengthPrefix(size: lengthSize), to: target)
                }
            }
            return output
        }
    }

    /// Writes every unit of a stream that has been measured to `target`, which has room for it.
    private static func write(
        _ bytes: UnsafeRawBufferPointer,
        prefix: LengthPrefix,
        to target: UnsafeMutableRawPointer
    ) throws(NaluError) {
        var offset = 0
        var position = unsafe target
        while let unit = unsafe try next(in: bytes, offset: &offset), let source = unit.baseAddress {
            unsafe prefix.write(unit.count, to: position)
            unsafe (position + prefix.size).copyMemory(from: source, byteCount: unit.count)
            unsafe position += prefix.size + unit.count
        }
    }

    private static func tooLong(_ count: Int, _ prefix: LengthPrefix) -> NaluError {
        NaluError(
            .badData,
            "a NAL unit of \(count) bytes, but prefixes of length_size \(prefix.size) reach only \(prefix.maximum)"
        )
    }
}
