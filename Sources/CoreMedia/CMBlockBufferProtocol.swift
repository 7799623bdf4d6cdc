public import CoreFoundationTypes
import Foundation

/// A block buffer, or a slice of one.
public protocol CMBlockBufferProtocol {
    /// The buffer that contains the bytes.
    var owner: CMBlockBuffer { get }
    /// The offset of the first byte in the owner.
    var startIndex: Int { get }
    /// The offset after the last byte.
    var endIndex: Int { get }
}

extension CMBlockBufferProtocol {
    /// The number of bytes.
    public var dataLength: Int { endIndex - startIndex }

    /// True if all bytes are contiguous.
    public var isContiguous: Bool {
        guard let length = try? checkedLength() else { return false }
        return length == 0 || CMBlockBufferIsRangeContiguous(owner, atOffset: startIndex, length: length)
    }

    /// Returns a copy of the bytes.
    public func dataBytes() throws -> Data {
        var data = Data(count: try checkedLength())
        try unsafe data.withUnsafeMutableBytes { bytes in try unsafe copyDataBytes(to: bytes) }
        return data
    }

    /// Copies all bytes. Throws if `destination` is too small.
    public func copyDataBytes(to destination: UnsafeMutableRawBufferPointer) throws {
        let length = try checkedLength()
        guard destination.count >= length else { throw failure(kCMBlockBufferBadLengthParameterErr) }
        guard length > 0, let address = destination.baseAddress else { return }
        try check(
            unsafe CMBlockBufferCopyDataBytes(owner, atOffset: startIndex, dataLength: length, destination: address))
    }

    /// Overwrites the first bytes. Throws if `sourceBytes` has more bytes than the buffer or slice.
    public func replaceDataBytes(with sourceBytes: UnsafeRawBufferPointer) throws {
        guard sourceBytes.count <= (try checkedLength()) else { throw failure(kCMBlockBufferBadLengthParameterErr) }
        guard sourceBytes.count > 0, let address = sourceBytes.baseAddress else { return }
        try check(
            unsafe CMBlockBufferReplaceDataBytes(
                with: address, blockBuffer: owner, offsetIntoDestination: startIndex, dataLength: sourceBytes.count))
    }

    /// Sets every byte to the same value.
    public func fillDataBytes(with fillByte: UInt8) throws {
        let length = try checkedLength()
        guard length > 0 else { return }
        try check(
            CMBlockBufferFillDataBytes(
                with: CChar(bitPattern: fillByte), blockBuffer: owner, offsetIntoDestination: startIndex,
                dataLength: length))
    }

    /// Returns a buffer with the same bytes, contiguous. It refers to the owner's memory if the bytes are contiguous
    /// there; otherwise it has a copy.
    public func makeContiguous(
        allocator: CFAllocator? = kCFAllocatorDefault, flags: CMBlockBuffer.Flags = []
    ) throws -> CMBlockBuffer {
        let length = try checkedLength()
        guard length > 0 else { return try CMBlockBuffer() }
        var buffer: CMBlockBuffer?
        let status = unsafe CMBlockBufferCreateContiguous(
            allocator: nil, sourceBuffer: owner, blockAllocator: allocator, customBlockSource: nil,
            offsetToData: startIndex, dataLength: length, flags: flags.rawValue, blockBufferOut: &buffer)
        return try created(buffer, status)
    }

    /// Calls `body` with all bytes, contiguous; they are copied if they are not contiguous yet. The pointer is valid
    /// only inside `body`.
    public func withContiguousStorage<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
        let piece = try makeContiguous()
        guard !piece.isEmpty else { return try unsafe body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return try unsafe piece.withUnsafeMutableBytes { bytes in try unsafe body(UnsafeRawBufferPointer(bytes)) }
    }

    /// A slice of the bytes. If the buffer does not have this range, the methods of the slice throw.
    public subscript(bounds: Range<Int>) -> CMBlockBuffer.Slice {
        CMBlockBuffer.Slice(owner: owner, startIndex: bounds.lowerBound, endIndex: bounds.upperBound)
    }

    /// A slice of the bytes, including the last offset.
    public subscript(bounds: ClosedRange<Int>) -> CMBlockBuffer.Slice {
        CMBlockBuffer.Slice(owner: owner, startIndex: bounds.lowerBound, endIndex: bounds.upperBound &+ 1)
    }

    /// The bytes from an offset to the end.
    public subscript(bounds: PartialRangeFrom<Int>) -> CMBlockBuffer.Slice {
        CMBlockBuffer.Slice(owner: owner, startIndex: bounds.lowerBound, endIndex: endIndex)
    }

    /// The bytes before an offset.
    public subscript(bounds: PartialRangeUpTo<Int>) -> CMBlockBuffer.Slice {
        CMBlockBuffer.Slice(owner: owner, startIndex: startIndex, endIndex: bounds.upperBound)
    }

    /// The bytes up to and including an offset.
    public subscript(bounds: PartialRangeThrough<Int>) -> CMBlockBuffer.Slice {
        CMBlockBuffer.Slice(owner: owner, startIndex: startIndex, endIndex: bounds.upperBound &+ 1)
    }

    /// All bytes.
    public subscript(bounds: UnboundedRange) -> CMBlockBuffer.Slice {
        CMBlockBuffer.Slice(owner: owner, startIndex: startIndex, endIndex: endIndex)
    }

    /// Returns the number of bytes. Throws if the owner does not have all of them.
    func checkedLength() throws -> Int {
        let total = CMBlockBufferGetDataLength(owner)
        guard startIndex >= 0, startIndex <= total else { throw failure(kCMBlockBufferBadOffsetParameterErr) }
        guard endIndex >= startIndex, endIndex <= total else { throw failure(kCMBlockBufferBadLengthParameterErr) }
        return endIndex - startIndex
    }
}

extension CMBlockBuffer {
    /// A range of a block buffer's bytes. The offsets count from the beginning of the buffer.
    public struct Slice: CMBlockBufferProtocol {
        public let owner: CMBlockBuffer
        public let startIndex: Int
        public let endIndex: Int
    }
}
