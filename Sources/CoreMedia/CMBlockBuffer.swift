public import CoreFoundationTypes
import Foundation

extension CMBlockBuffer: CMBlockBufferProtocol {
    /// The buffer itself.
    public var owner: CMBlockBuffer { self }
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of bytes.
    public var endIndex: Int { CMBlockBufferGetDataLength(self) }

    /// What calls may ask for.
    public struct Flags: OptionSet, Sendable {
        public let rawValue: CMBlockBufferFlags

        public init(rawValue: CMBlockBufferFlags) { self.rawValue = rawValue }

        /// Memory is allocated at once.
        public static let assureMemoryNow = Flags(rawValue: kCMBlockBufferAssureMemoryNowFlag)
        /// Bytes are copied even where they lie in one piece.
        public static let alwaysCopyData = Flags(rawValue: kCMBlockBufferAlwaysCopyDataFlag)
        /// References to references are kept as they are.
        public static let dontOptimizeDepth = Flags(rawValue: kCMBlockBufferDontOptimizeDepthFlag)
        /// A reference to a buffer without bytes is no error.
        public static let permitEmptyReference = Flags(rawValue: kCMBlockBufferPermitEmptyReferenceFlag)
    }

    /// Gives memory of a size, or nil.
    public typealias CustomBlockAllocator = (Int) -> UnsafeMutableRawPointer?
    /// Takes memory of a size back.
    public typealias CustomBlockDeallocator = (UnsafeMutableRawPointer, Int) -> Void
}

extension CMBlockBufferProtocol where Self == CMBlockBuffer {
    /// An empty buffer, to which blocks are appended.
    ///
    /// - Parameter capacity: the number of blocks to make room for; more can be added.
    /// - Throws: `NSError` with a `kCMBlockBuffer…` status, as all functions here do.
    public init(capacity: Int = 0, flags: CMBlockBuffer.Flags = []) throws {
        var buffer: CMBlockBuffer?
        let status = unsafe CMBlockBufferCreateEmpty(
            allocator: nil, capacity: UInt32(clamping: capacity), flags: flags.rawValue, blockBufferOut: &buffer)
        self = try created(buffer, status)
    }

    /// A buffer over one block of `length` bytes, 1 or more, which is allocated when it is first written, or at once with
    /// `.assureMemoryNow`. Until then reading throws. The bytes are not initialized.
    ///
    /// - Parameter range: the part of the block that the buffer shows; nil: all of it.
    public init(
        length: Int, allocator: CFAllocator? = kCFAllocatorDefault, range: Range<Int>? = nil,
        flags: CMBlockBuffer.Flags = []
    ) throws {
        let result = try CMBlockBuffer()
        try result.append(length: length, allocator: allocator, range: range, flags: flags)
        self = result
    }

    /// A buffer with memory from a function.
    public init(
        length: Int, allocator: @escaping CMBlockBuffer.CustomBlockAllocator,
        deallocator: @escaping CMBlockBuffer.CustomBlockDeallocator, range: Range<Int>? = nil,
        flags: CMBlockBuffer.Flags = []
    ) throws {
        let result = try CMBlockBuffer()
        try unsafe result.append(
            length: length, allocator: allocator, deallocator: deallocator, range: range, flags: flags)
        self = result
    }

    /// A buffer over memory that the allocator frees when the last buffer over it is released; `kCFAllocatorNull` frees
    /// nothing. If this throws, the memory stays the caller's.
    public init(
        buffer: UnsafeMutableRawBufferPointer, allocator: CFAllocator? = kCFAllocatorDefault,
        flags: CMBlockBuffer.Flags = []
    ) throws {
        let result = try CMBlockBuffer()
        try unsafe result.append(buffer: buffer, allocator: allocator, flags: flags)
        self = result
    }

    /// A buffer over memory for which `deallocator` is called once, when the last buffer over it is released. It is not called
    /// if this throws.
    public init(
        buffer: UnsafeMutableRawBufferPointer, deallocator: @escaping CMBlockBuffer.CustomBlockDeallocator,
        flags: CMBlockBuffer.Flags = []
    ) throws {
        let result = try CMBlockBuffer()
        try unsafe result.append(buffer: buffer, deallocator: deallocator, flags: flags)
        self = result
    }

    /// A buffer over the memory of another, or of a part of it.
    public init<T: CMBlockBufferProtocol>(bufferReference: T, flags: CMBlockBuffer.Flags = []) throws {
        let result = try CMBlockBuffer()
        try result.append(bufferReference: bufferReference, flags: flags)
        self = result
    }
}

extension CMBlockBuffer {
    /// Whether there is neither a block nor a reference.
    public var isEmpty: Bool { CMBlockBufferIsEmpty(self) }

    /// Allocates the memory of all blocks that have none yet.
    public func assureBlockMemory() throws { try check(CMBlockBufferAssureBlockMemory(self)) }

    /// Appends a block of memory, of which the buffer has a range.
    public func append(
        length: Int, allocator: CFAllocator? = kCFAllocatorDefault, range: Range<Int>? = nil, flags: Flags = []
    ) throws {
        let range = try checked(range, length)
        try check(
            CMBlockBufferAppendMemoryBlock(
                self, memoryBlock: nil, length: length, blockAllocator: allocator, customBlockSource: nil,
                offsetToData: range.lowerBound, dataLength: range.count, flags: flags.rawValue))
    }

    /// Appends a block of memory from a function, which is called at once.
    public func append(
        length: Int, allocator: @escaping CustomBlockAllocator, deallocator: @escaping CustomBlockDeallocator,
        range: Range<Int>? = nil, flags: Flags = []
    ) throws {
        let range = try checked(range, length)
        try unsafe BlockSource.withSource(allocator, deallocator) { source in
            unsafe CMBlockBufferAppendMemoryBlock(
                self, memoryBlock: nil, length: length, blockAllocator: nil, customBlockSource: source,
                offsetToData: range.lowerBound, dataLength: range.count,
                flags: flags.union(.assureMemoryNow).rawValue)
        }
    }

    /// Appends memory that an allocator frees when the last buffer over it is released.
    public func append(
        buffer: UnsafeMutableRawBufferPointer, allocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
    ) throws {
        let address = try unsafe address(of: buffer)
        try check(
            unsafe CMBlockBufferAppendMemoryBlock(
                self, memoryBlock: address, length: buffer.count, blockAllocator: allocator,
                customBlockSource: nil, offsetToData: 0, dataLength: buffer.count, flags: flags.rawValue))
    }

    /// Appends memory for which a function is called when the last buffer over it is released. It is not called if this throws.
    public func append(
        buffer: UnsafeMutableRawBufferPointer, deallocator: @escaping CustomBlockDeallocator, flags: Flags = []
    ) throws {
        let address = try unsafe address(of: buffer)
        try unsafe BlockSource.withSource({ _ in nil }, deallocator) { source in
            unsafe CMBlockBufferAppendMemoryBlock(
                self, memoryBlock: address, length: buffer.count, blockAllocator: nil, customBlockSource: source,
                offsetToData: 0, dataLength: buffer.count, flags: flags.rawValue)
        }
    }

    /// Appends another buffer, or a part of one, over the same memory. A part without bytes adds nothing.
    public func append<T: CMBlockBufferProtocol>(bufferReference: T, flags: Flags = []) throws {
        let length = try bufferReference.checkedLength()
        // The C function takes 0 for all that follows the offset.
        if length == 0, CMBlockBufferGetDataLength(bufferReference.owner) > 0 { return }
        try check(
            CMBlockBufferAppendBufferReference(
                self, targetBBuf: bufferReference.owner, offsetToData: bufferReference.startIndex, dataLength: length,
                flags: flags.rawValue))
    }

    /// Gives the bytes from an offset on that lie in one piece: all of them in a contiguous buffer. The pointer is valid only
    /// inside `body`.
    public func withUnsafeMutableBytes<R>(
        atOffset offset: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws -> R
    ) throws -> R {
        guard offset >= 0 else { throw failure(kCMBlockBufferBadOffsetParameterErr) }
        var pointer: UnsafeMutablePointer<CChar>?
        var length = 0
        try check(
            unsafe CMBlockBufferGetDataPointer(
                self, atOffset: offset, lengthAtOffsetOut: &length, totalLengthOut: nil, dataPointerOut: &pointer))
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeMutableRawBufferPointer(start: pointer, count: length))
    }

    private func checked(_ range: Range<Int>?, _ length: Int) throws -> Range<Int> {
        guard length > 0 else { throw failure(kCMBlockBufferBadLengthParameterErr) }
        let range = range ?? 0..<length
        guard range.lowerBound >= 0 else { throw failure(kCMBlockBufferBadOffsetParameterErr) }
        guard range.upperBound <= length else { throw failure(kCMBlockBufferBadLengthParameterErr) }
        return range
    }

    private func address(of buffer: UnsafeMutableRawBufferPointer) throws -> UnsafeMutableRawPointer {
        guard let address = buffer.baseAddress, buffer.count > 0 else {
            throw failure(kCMBlockBufferBadLengthParameterErr)
        }
        return unsafe address
    }
}

/// The functions of a block of memory, for C.
@safe private final class BlockSource {
    private let allocate: CMBlockBuffer.CustomBlockAllocator
    private let deallocate: CMBlockBuffer.CustomBlockDeallocator

    private init(
        _ allocate: @escaping CMBlockBuffer.CustomBlockAllocator,
        _ deallocate: @escaping CMBlockBuffer.CustomBlockDeallocator
    ) {
        unsafe self.allocate = allocate
        unsafe self.deallocate = deallocate
    }

    /// Calls a function of C with the source. A block that it makes keeps the source until it is freed.
    static func withSource(
        _ allocate: @escaping CMBlockBuffer.CustomBlockAllocator,
        _ deallocate: @escaping CMBlockBuffer.CustomBlockDeallocator,
        _ body: (UnsafePointer<CMBlockBufferCustomBlockSource>) -> OSStatus
    ) throws {
        let kept = unsafe Unmanaged.passRetained(BlockSource(allocate, deallocate))
        var source = unsafe CMBlockBufferCustomBlockSource(
            version: kCMBlockBufferCustomBlockSourceVersion,
            AllocateBlock: { refcon, size in
                guard let refcon = unsafe refcon else { return nil }
                return unsafe Unmanaged<BlockSource>.fromOpaque(refcon).takeUnretainedValue().allocate(size)
            },
            FreeBlock: { refcon, memory, size in
                guard let refcon = unsafe refcon else { return }
                unsafe Unmanaged<BlockSource>.fromOpaque(refcon).takeRetainedValue().deallocate(memory, size)
            }, refCon: kept.toOpaque())
        let status = unsafe body(&source)
        if status != noErr { unsafe kept.release() }
        try check(status)
    }
}
