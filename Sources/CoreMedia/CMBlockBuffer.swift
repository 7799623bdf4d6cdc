public import CCoreMedia
public import Foundation

/// Lets a CoreFoundation type have initializers.
public protocol CMBlockBufferProtocol {}

extension CMBlockBuffer: CMBlockBufferProtocol {}

extension CMBlockBufferProtocol where Self == CMBlockBuffer {
    /// An empty buffer, to which blocks are appended.
    public init(capacity: Int = 0) throws {
        var buffer: CMBlockBuffer?
        let status = unsafe CMBlockBufferCreateEmpty(
            allocator: nil, capacity: UInt32(clamping: capacity), flags: 0, blockBufferOut: &buffer)
        self = try created(buffer, status)
    }

    /// A buffer with memory of its own, whose bytes are not set.
    public init(length: Int, flags: CMBlockBufferFlags = kCMBlockBufferAssureMemoryNowFlag) throws {
        guard length >= 0 else { throw failure(kCMBlockBufferBadLengthParameterErr) }
        var buffer: CMBlockBuffer?
        let status = unsafe CMBlockBufferCreateWithMemoryBlock(
            allocator: nil, memoryBlock: nil, blockLength: length, blockAllocator: nil, customBlockSource: nil,
            offsetToData: 0, dataLength: length, flags: flags, blockBufferOut: &buffer)
        self = try created(buffer, status)
    }

    /// A buffer over a part of another.
    public init(referencing reference: CMBlockBuffer, range: Range<Int>? = nil, flags: CMBlockBufferFlags = 0) throws {
        let range = range ?? 0..<reference.dataLength
        guard range.lowerBound >= 0 else { throw failure(kCMBlockBufferBadOffsetParameterErr) }
        var buffer: CMBlockBuffer?
        let status = unsafe CMBlockBufferCreateWithBufferReference(
            allocator: nil, referenceBuffer: reference, offsetToData: range.lowerBound, dataLength: range.count,
            flags: flags, blockBufferOut: &buffer)
        self = try created(buffer, status)
    }

    /// The bytes of another in one piece: over its memory where they lie in one piece there, otherwise in a copy.
    public init(contiguous source: CMBlockBuffer, flags: CMBlockBufferFlags = 0) throws {
        var buffer: CMBlockBuffer?
        let status = unsafe CMBlockBufferCreateContiguous(
            allocator: nil, sourceBuffer: source, blockAllocator: nil, customBlockSource: nil, offsetToData: 0,
            dataLength: 0, flags: flags, blockBufferOut: &buffer)
        self = try created(buffer, status)
    }
}

extension CMBlockBuffer {
    public var dataLength: Int { CMBlockBufferGetDataLength(self) }
    public var isEmpty: Bool { CMBlockBufferIsEmpty(self) }

    /// Whether all bytes lie in one piece.
    public var isContiguous: Bool { CMBlockBufferIsRangeContiguous(self, atOffset: 0, length: 0) }

    public func assureBlockMemory() throws { try check(CMBlockBufferAssureBlockMemory(self)) }

    /// Appends a part of another buffer, over the same memory.
    public func append(bufferReference: CMBlockBuffer, range: Range<Int>? = nil) throws {
        let range = range ?? 0..<bufferReference.dataLength
        guard range.lowerBound >= 0 else { throw failure(kCMBlockBufferBadOffsetParameterErr) }
        try check(
            CMBlockBufferAppendBufferReference(
                self, targetBBuf: bufferReference, offsetToData: range.lowerBound, dataLength: range.count, flags: 0))
    }

    /// A copy of all bytes, or of those in a range.
    public func dataBytes(in range: Range<Int>? = nil) throws -> Data {
        let range = range ?? 0..<dataLength
        guard range.lowerBound >= 0 else { throw failure(kCMBlockBufferBadOffsetParameterErr) }
        guard !range.isEmpty else { return Data() }
        guard range.upperBound <= dataLength else { throw failure(kCMBlockBufferBadLengthParameterErr) }
        var data = Data(count: range.count)
        try unsafe data.withUnsafeMutableBytes { bytes in try unsafe check(copy(range, to: bytes)) }
        return data
    }

    /// Copies the bytes from an offset on, as many as the destination holds.
    public func copyDataBytes(fromOffset offset: Int = 0, to destination: UnsafeMutableRawBufferPointer) throws {
        guard offset >= 0 else { throw failure(kCMBlockBufferBadOffsetParameterErr) }
        guard destination.count > 0 else { return }
        let (end, overflow) = offset.addingReportingOverflow(destination.count)
        guard !overflow else { throw failure(kCMBlockBufferBadLengthParameterErr) }
        try check(unsafe copy(offset..<end, to: destination))
    }

    private func copy(_ range: Range<Int>, to destination: UnsafeMutableRawBufferPointer) -> OSStatus {
        guard let address = destination.baseAddress else { return noErr }
        return unsafe CMBlockBufferCopyDataBytes(
            self, atOffset: range.lowerBound, dataLength: range.count, destination: address)
    }

    /// Writes bytes over those of the buffer from an offset on.
    public func replaceDataBytes(with bytes: UnsafeRawBufferPointer, atOffset offset: Int = 0) throws {
        guard offset >= 0 else { throw failure(kCMBlockBufferBadOffsetParameterErr) }
        guard bytes.count > 0, let address = bytes.baseAddress else { return }
        try check(
            unsafe CMBlockBufferReplaceDataBytes(
                with: address, blockBuffer: self, offsetIntoDestination: offset, dataLength: bytes.count))
    }

    public func fillDataBytes(with byte: UInt8) throws {
        try check(
            CMBlockBufferFillDataBytes(
                with: CChar(bitPattern: byte), blockBuffer: self, offsetIntoDestination: 0, dataLength: 0))
    }

    /// Gives the bytes from an offset on that lie in one piece: all of them in a contiguous buffer. The pointer is valid only
    /// inside `body`.
    public func withUnsafeMutableBytes<Result>(
        atOffset offset: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard offset >= 0 else { throw failure(kCMBlockBufferBadOffsetParameterErr) }
        var pointer: UnsafeMutablePointer<CChar>?
        var length = 0
        try check(
            unsafe CMBlockBufferGetDataPointer(
                self, atOffset: offset, lengthAtOffsetOut: &length, totalLengthOut: nil, dataPointerOut: &pointer))
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeMutableRawBufferPointer(start: pointer, count: length))
    }

    /// Gives all bytes in one piece: a copy if they lie in several. The pointer is valid only inside `body`.
    public func withContiguousStorage<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard dataLength > 0 else { return try unsafe body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return try unsafe CMBlockBuffer(contiguous: self).withUnsafeMutableBytes { bytes in
            try unsafe body(UnsafeRawBufferPointer(bytes))
        }
    }
}
