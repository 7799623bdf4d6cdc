/// What takes the NAL units that a ``ByteStreamSplitter`` finds, piece by piece.
package protocol ByteStreamSink {
    /// A start code. `position` is that of its first byte (of three) in the stream; `hasZeroByte`: the zero before it
    /// makes it one of four.
    mutating func beginUnit(at position: Int, hasZeroByte: Bool)
    /// Bytes of the unit under way.
    mutating func append(_ bytes: UnsafeRawBufferPointer)
    /// So many zero bytes of the unit under way.
    mutating func append(zeros: Int)
    /// The unit is complete, without trailing zeros.
    mutating func endUnit()
}

/// Finds the NAL units of a byte stream (ITU-T H.264 Annex B) that comes in pieces of any size, in time that grows with
/// the bytes alone. The units are those that ``AnnexB/next(in:offset:)`` finds; bytes before the first start code are
/// passed over.
package struct ByteStreamSplitter {
    /// Bytes taken so far.
    package private(set) var position = 0
    /// Zeros since the last other byte: part of the unit only when another byte follows that makes no start code.
    private var zeros = 0
    private var isInUnit = false
    /// Bytes before the first start code, without the zeros just before it.
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

    /// No more bytes follow.
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
