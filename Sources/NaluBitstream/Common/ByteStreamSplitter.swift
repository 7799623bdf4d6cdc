/// A receiver of the NAL units that a ``ByteStreamSplitter`` finds. A NAL unit can arrive in several calls of `append`.
package protocol ByteStreamSink {
    /// Begins a NAL unit at a start code. `position` is the stream offset of the first byte of 00 00 01. `hasZeroByte`
    /// is true if one more zero precedes these three bytes.
    mutating func beginUnit(at position: Int, hasZeroByte: Bool)
    /// Appends bytes to the current NAL unit.
    mutating func append(_ bytes: UnsafeRawBufferPointer)
    /// Appends `zeros` zero bytes to the current NAL unit.
    mutating func append(zeros: Int)
    /// Ends the current NAL unit. Trailing zeros have not been appended to it.
    mutating func endUnit()
}

/// Finds the NAL units of a byte stream (ITU-T H.264 Annex B) that arrives in buffers of any size. The time is
/// proportional to the number of bytes. The NAL units are those that ``AnnexB/next(in:offset:)`` finds. Bytes before
/// the first start code are skipped.
package struct ByteStreamSplitter {
    /// The number of bytes received so far.
    package private(set) var position = 0
    /// The number of zeros since the last other byte. They belong to the NAL unit only if the next byte does not
    /// complete a start code.
    private var zeros = 0
    private var isInUnit = false
    /// The number of bytes before the first start code, without the zeros directly before it.
    package private(set) var strayByteCount = 0

    package init() {}

    package mutating func push<Sink: ByteStreamSink>(_ bytes: UnsafeRawBufferPointer, to sink: inout Sink) {
        guard let base = bytes.baseAddress else { return }
        let count = bytes.count
        var offset = 0
        while offset < count {
            if zeros > 0 {
                let end = unsafe StartCodeScanner.endOfZeros(base, from: offset, count: count)
                zeros += end - offset
                offset = end
                guard offset < count else { break }
                if zeros >= 2, unsafe base.load(fromByteOffset: offset, as: UInt8.self) == 1 {
                    begin(at: position + offset - 2, hasZeroByte: zeros > 2, &sink)
                    offset += 1
                    continue
                }
                if isInUnit { sink.append(zeros: zeros) } else { strayByteCount += zeros }
                zeros = 0
            }
            let code = unsafe StartCodeScanner.nextStartCode(base, from: offset, count: count)
            var end = code
            while end > offset, unsafe base.load(fromByteOffset: end - 1, as: UInt8.self) == 0 {
                end -= 1
            }
            if !isInUnit {
                strayByteCount += end - offset
            } else if end > offset {
                unsafe sink.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
            }
            if code < count {
                begin(at: position + code, hasZeroByte: end < code, &sink)
                offset = code + 3
            } else {
                zeros = count - end
                offset = count
            }
        }
        position += count
    }

    /// Ends the last NAL unit. Call it once, after all bytes.
    package mutating func finish<Sink: ByteStreamSink>(to sink: inout Sink) {
        if isInUnit { sink.endUnit() }
        isInUnit = false
        zeros = 0
    }

    private mutating func begin<Sink: ByteStreamSink>(at start: Int, hasZeroByte: Bool, _ sink: inout Sink) {
        if isInUnit { sink.endUnit() }
        isInUnit = true
        zeros = 0
        sink.beginUnit(at: start, hasZeroByte: hasZeroByte)
    }
}
