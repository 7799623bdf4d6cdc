/// The form of H.264 that MP4 and VideoToolbox use (ISO/IEC 14496-15): each NAL unit follows its big-endian length.
///
/// The input may come from anywhere: no function traps or reads outside the given range.
public enum LengthPrefixed {
    /// The size in bytes of the start code that ``toAnnexB(_:lengthSize:into:needed:)`` writes before each NAL unit.
    package static let startCodeSize = 4

    /// Walks the NAL units of length-prefixed data.
    ///
    /// Start with `offset` 0 and pass it back unchanged. The result lies inside `bytes`, has no prefix, and holds at
    /// least one byte. Returns nil after the last NAL unit.
    ///
    /// Throws `.badData` if a prefix is cut off, is zero, or reaches beyond the data. Throws `.parameter` if `offset`
    /// is not in 0...bytes.count or `lengthSize` is not 1, 2 or 4.
    public static func next(
        in bytes: UnsafeRawBufferPointer, lengthSize: Int, offset: inout Int
    ) throws(NaluError) -> UnsafeRawBufferPointer? {
        unsafe try next(in: bytes, prefix: LengthPrefix(size: lengthSize), offset: &offset)
    }

    /// Calls `body` with each NAL unit, in order.
    ///
    /// Throws as ``next(in:lengthSize:offset:)`` does, and whatever `body` throws.
    public static func forEachUnit(
        in bytes: UnsafeRawBufferPointer, lengthSize: Int, _ body: (UnsafeRawBufferPointer) throws(NaluError) -> Void
    ) throws(NaluError) {
        let prefix = try LengthPrefix(size: lengthSize)
        var offset = 0
        while let unit = unsafe try next(in: bytes, prefix: prefix, offset: &offset) {
            unsafe try body(unit)
        }
    }

    /// Returns the number of bytes that ``toAnnexB(_:lengthSize:into:needed:)`` writes for the same input.
    ///
    /// Throws as ``next(in:lengthSize:offset:)`` does.
    public static func annexBSize(_ bytes: UnsafeRawBufferPointer, lengthSize: Int) throws(NaluError) -> Int {
        let prefix = try LengthPrefix(size: lengthSize)
        var offset = 0
        var size = 0
        while let unit = unsafe try next(in: bytes, prefix: prefix, offset: &offset) {
            size += startCodeSize + unit.count
        }
        return size
    }

    /// Rewrites length-prefixed data as Annex B with 4-byte start codes.
    ///
    /// `needed` receives the size of the result, whether it fits or not. If `buffer` has no address, only `needed` is
    /// set. The buffer must not overlap the input.
    ///
    /// Nothing is written if an error is thrown. Throws `.bufferTooSmall` if the buffer is smaller than the result.
    /// Throws `.badData` and `.parameter` as ``next(in:lengthSize:offset:)`` does; `needed` is then unchanged.
    public static func toAnnexB(
        _ bytes: UnsafeRawBufferPointer, lengthSize: Int, into buffer: UnsafeMutableRawBufferPointer, needed: inout Int
    ) throws(NaluError) {
        let prefix = try LengthPrefix(size: lengthSize)
        let size = unsafe try annexBSize(bytes, lengthSize: lengthSize)
        needed = size
        guard var position = buffer.baseAddress else { return }
        try BufferSize.check(needed: size, capacity: buffer.count)
        var offset = 0
        while let unit = unsafe try next(in: bytes, prefix: prefix, offset: &offset), let source = unit.baseAddress {
            unsafe position.storeBytes(of: UInt32(1).bigEndian, as: UInt32.self)
            unsafe (position + startCodeSize).copyMemory(from: source, byteCount: unit.count)
            unsafe position += startCodeSize + unit.count
        }
    }

    /// Rewrites length-prefixed data as Annex B in a new array.
    ///
    /// Throws as ``next(in:lengthSize:offset:)`` does.
    public static func toAnnexB(_ bytes: [UInt8], lengthSize: Int = 4) throws(NaluError) -> [UInt8] {
        unsafe try bytes.withBytes { (input) throws(NaluError) in
            let size = unsafe try annexBSize(input, lengthSize: lengthSize)
            var output = [UInt8](repeating: 0, count: size)
            var needed = 0
            unsafe try output.withMutableBytes { (buffer) throws(NaluError) in
                unsafe try toAnnexB(input, lengthSize: lengthSize, into: buffer, needed: &needed)
            }
            return output
        }
    }

    @inline(__always)
    private static func next(
        in bytes: UnsafeRawBufferPointer, prefix: LengthPrefix, offset: inout Int
    ) throws(NaluError) -> UnsafeRawBufferPointer? {
        let count = bytes.count
        guard offset >= 0, offset <= count else {
            throw NaluError(.parameter, "offset is \(offset); expected 0 to \(count)")
        }
        guard offset < count, let base = bytes.baseAddress else { return nil }
        let available = count - offset - prefix.size
        guard available >= 0 else {
            throw NaluError(
                .badData,
                "the length prefix at offset \(offset) is cut off: \(count - offset) of \(prefix.size) bytes"
            )
        }
        let length = unsafe prefix.read(base + offset)
        guard length > 0, length <= available else {
            throw NaluError(
                .badData,
                "the length prefix at offset \(offset) is \(length); expected 1 to the \(available) bytes that follow"
            )
        }
        let start = offset + prefix.size
        offset = start + length
        return unsafe UnsafeRawBufferPointer(start: base + start, count: length)
    }
}
