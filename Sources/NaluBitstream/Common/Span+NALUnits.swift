// The functions of this module that take memory, for spans.

extension AnnexB {
    /// Calls `body` with each NAL unit of a stream, in order. Bytes that cannot be read end the stream.
    package static func forEachReadableUnit<Failure: Error>(
        in bytes: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        try unsafe bytes.withUnsafeBytes { (memory) throws(Failure) in
            var offset = 0
            while let unit = unsafe try? next(in: memory, offset: &offset) { unsafe try body(Span(_unsafeBytes: unit)) }
        }
    }
}

extension LengthPrefixed {
    /// Calls `body` with each NAL unit, in order. A length that reaches beyond the data ends the data.
    package static func forEachReadableUnit<Failure: Error>(
        in bytes: Span<UInt8>, lengthSize: Int, _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        try unsafe bytes.withUnsafeBytes { (memory) throws(Failure) in
            var offset = 0
            while let unit = unsafe try? next(in: memory, lengthSize: lengthSize, offset: &offset) {
                unsafe try body(Span(_unsafeBytes: unit))
            }
        }
    }

    /// Throws `.badData` if the lengths do not add up.
    package static func check(_ bytes: Span<UInt8>, lengthSize: Int) throws(NaluError) {
        try unsafe bytes.withUnsafeBytes { (memory) throws(NaluError) in
            unsafe try forEachUnit(in: memory, lengthSize: lengthSize) { _ in }
        }
    }
}

extension StartCodeScanner {
    /// Returns the offset of the first 00 00 01 at or after `from`, or the count of bytes.
    package static func nextStartCode(in bytes: Span<UInt8>, from: Int) -> Int {
        unsafe bytes.withUnsafeBytes { memory in
            unsafe memory.baseAddress.map { unsafe nextStartCode($0, from: from, count: memory.count) } ?? 0
        }
    }

    /// Returns the offset of the first nonzero byte at or after `from`, or the count of bytes.
    package static func endOfZeros(in bytes: Span<UInt8>, from: Int) -> Int {
        unsafe bytes.withUnsafeBytes { memory in
            unsafe memory.baseAddress.map { unsafe endOfZeros($0, from: from, count: memory.count) } ?? 0
        }
    }
}

extension StreamCodec {
    package func slice(_ head: Span<UInt8>) throws(NaluError) -> Picture.Slice {
        unsafe try head.withUnsafeBytes { (bytes) throws(NaluError) in unsafe try slice(bytes) }
    }
}

extension SliceStart {
    package init(parsing unit: Span<UInt8>) throws(NaluError) {
        self = unsafe try unit.withUnsafeBytes { (bytes) throws(NaluError) in unsafe try SliceStart(parsing: bytes) }
    }
}

extension SEIMessage {
    /// Returns the messages of an SEI NAL unit.
    package static func messages(of unit: Span<UInt8>) -> [SEIMessage] {
        unsafe unit.withUnsafeBytes { unsafe messages(of: $0) }
    }
}

extension [UInt8] {
    package init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    package mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends a NAL unit after its length, which must fit into `lengthSize` bytes.
    package mutating func append(_ unit: Span<UInt8>, lengthSize: Int) {
        for index in (0..<lengthSize).reversed() { append(UInt8(truncatingIfNeeded: unit.count >> (8 * index))) }
        append(copying: unit)
    }
}
