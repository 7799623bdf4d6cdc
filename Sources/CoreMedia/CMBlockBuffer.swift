public import CoreFoundationTypes
import Foundation

extension CMBlockBuffer: CMBlockBufferProtocol {
    /// The buffer itself.
    public var owner: CMBlockBuffer { self }
    /// The offset of the first byte: always 0.
    public var startIndex: Int { 0 }
    /// The offset after the last byte, which is the number of bytes.
    public var endIndex: Int { CMBlockBufferGetDataLength(self) }

    /// Options of the functions for block buffers.
    public struct Flags: OptionSet, Sendable {
        public let rawValue: CMBlockBufferFlags

        public init(rawValue: CMBlockBufferFlags) { self.rawValue = rawValue }

        /// Allocates the memory immediately.
        public static let assureMemoryNow = Flags(rawValue: kCMBlockBufferAssureMemoryNowFlag)
        /// Copies the bytes even if they are contiguous.
        public static let alwaysCopyData = Flags(rawValue: kCMBlockBufferAlwaysCopyDataFlag)
        /// Keeps references to references, and does not replace them by references to memory.
        public static let dontOptimizeDepth = Flags(rawValue: kCMBlockBufferDontOptimizeDepthFlag)
        /// Accepts a reference to a buffer without bytes.
        public static let permitEmptyReference = Flags(rawValue: kCMBlockBufferPermitEmptyReferenceFlag)
    }

    /// A function that allocates memory of the given size, or returns nil.
    public typealias CustomBlockAllocator = (Int) -> UnsafeMutableRawPointer?
    /// A function that frees memory of the given size.
    public typealias CustomBlockDeallocator = (UnsafeMutableRawPointer, Int) -> Void
}

extension CMBlockBufferProtocol where Self == CMBlockBuffer {
    /// Creates an empty buffer, to which blocks can be appended.
    ///
    /// - Parameter capacity: the number of blocks to reserve memory for; more can be appended.
    /// - Throws: `NSError` with a `kCMBlockBuffer…` status. All functions for block buffers throw such errors.
    public init(capacity: Int = 0, flags: CMBlockBuffer.Flags = []) throws {
        var buffer: CMBlockBuffer?
        let status = unsafe CMBlockBufferCreateEmpty(
            allocator: nil, capacity: UInt32(clamping: capacity), flags: flags.rawValue, blockBufferOut: &buffer)
        self = try created(buffer, status)
    }

    /// Creates a buffer over one new block of `length` bytes, at least 1, which are not initialized. The memory is
    /// allocated at the first write, or immediately with `.assureMemoryNow`. Reading throws before the memory is
    /// allocated.
    ///
    /// - Parameter range: the part of the block that belongs to the buffer; nil: all of it.
    public init(
        length: Int, allocator: CFAllocator? = kCFAllocatorDefault, range: Range<Int>? = nil,
        flags: CMBlockBuffer.Flags = []
    ) throws {
        let result = try CMBlockBuffer()
        try result.append(length: length, allocator: allocator, range: range, flags: flags)
        self = result
    }

    /// Creates a buffer over one new block, whose memory `allocator` returns immediately and `deallocator` frees.
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

    /// Creates a buffer over existing memory. `allocator` frees the memory when the last buffer over it is released;
    /// `kCFAllocatorNull` frees nothing. If this initializer throws, the memory still belongs to the caller.
    public init(
        buffer: UnsafeMutableRawBufferPointer, allocator: CFAllocator? = kCFAllocatorDefault,
        flags: CMBlockBuffer.Flags = []
    ) throws {
        let result = try CMBlockBuffer()
        try unsafe result.append(buffer: buffer, allocator: allocator, flags: flags)
        self = result
    }

    /// Creates a buffer over existing memory. `deallocator` is called once, when the last buffer over the memory is
    /// released. It is not called if this initializer throws.
    public init(
        buffer: UnsafeMutableRawBufferPointer, deallocator: @escaping CMBlockBuffer.CustomBlockDeallocator,
        flags: CMBlockBuffer.Flags = []
    ) throws {
        let result = try CMBlockBuffer()
        try unsafe result.append(buffer: buffer, deallocator: deallocator, flags: flags)
        self = result
    }

    /// Creates a buffer over the memory of another buffer or of a slice.
    public init<T: CMBlockBufferProtocol>(bufferReference: T, flags: CMBlockBuffer.Flags = []) throws {
        let result = try CMBlockBuffer()
        try result.append(bufferReference: bufferReference, flags: flags)
        self = result
    }
}

extension CMBlockBuffer {
    public static var typeID: CFTypeID { CMBlockBufferGetTypeID() }

    /// True if the buffer has no bytes.
    public var isEmpty: Bool { CMBlockBufferIsEmpty(self) }

    /// Allocates the memory of all blocks that have none yet.
    public func assureBlockMemory() throws { try check(CMBlockBufferAssureBlockMemory(self)) }

    /// Appends a new block of `length` bytes, or the given range of such a block.
    public func append(
        length: Int, allocator: CFAllocator? = kCFAllocatorDefault, range: Range<Int>? = nil, flags: Flags = []
    ) throws {
        let range = try checked(range, length)
        try check(
            CMBlockBufferAppendMemoryBlock(
                self, memoryBlock: nil, length: length, blockAllocator: allocator, customBlockSource: nil,
                offsetToData: range.lowerBound, dataLength: range.count, flags: flags.rawValue))
    }

    /// Appends a new block, whose memory `allocator` returns immediately and `deallocator` frees.
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

    /// Appends existing memory, which `allocator` frees when the last buffer over it is released.
    public func append(
        buffer: UnsafeMutableRawBufferPointer, allocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
    ) throws {
        let address = try unsafe address(of: buffer)
        try check(
            unsafe CMBlockBufferAppendMemoryBlock(
                self, memoryBlock: address, length: buffer.count, blockAllocator: allocator,
                customBlockSource: nil, offsetToData: 0, dataLength: buffer.count, flags: flags.rawValue))
    }

    /// Appends existing memory. `deallocator` is called when the last buffer over the memory is released, but not if
    /// this method throws.
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

    /// Appends a reference to the memory of another buffer or of a slice. A slice without bytes appends nothing.
    public func append<T: CMBlockBufferProtocol>(bufferReference: T, flags: Flags = []) throws {
        let length = try bufferReference.checkedLength()
        // For the C function, a length of 0 means everything after the offset.
        if length == 0, CMBlockBufferGetDataLength(bufferReference.owner) > 0 { return }
        try check(
            CMBlockBufferAppendBufferReference(
                self, targetBBuf: bufferReference.owner, offsetToData: bufferReference.startIndex, dataLength: length,
                flags: flags.rawValue))
    }

    /// Calls `body` with the contiguous bytes that begin at `offset`: all of them if the buffer is contiguous. The
    /// pointer is valid only inside `body`.
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

/// The client's functions that allocate and free a block of memory, as C callbacks.
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

    /// Calls a C function with the source. A block that the C function makes retains the source until the block is
    /// freed.
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
