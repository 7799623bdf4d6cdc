private import NaluLibc

/// Reads the frames of a regular file without a copy of their bytes.
struct MappedReader: PayloadReader {
    /// The size of the mapped window, a few frames: mapped pages count as memory of the process.
    private static let windowSize = 8 << 20

    private let input: InputFile
    private let size: Int
    private let framing: Framing
    private let payloadSize: Int
    private var position: Int
    private var window: MappedWindow?
    private var number = 1

    /// - Parameter size: the size of the file in bytes.
    init(_ input: InputFile, size: Int, framing: Framing, payloadSize: Int) {
        self.input = input
        self.size = size
        self.framing = framing
        self.payloadSize = payloadSize
        position = input.position
        _ = posix_fadvise(input.descriptor, position, 0, POSIX_FADV_SEQUENTIAL)
    }

    /// The number of frames, if all FRAME lines have the usual length.
    var frameCount: Int { max(0, size - position) / (payloadSize + framing.headerSize) }

    mutating func next() throws -> (bytes: UnsafeRawPointer, owner: AnyObject)? {
        guard position < size else { return nil }
        // Reading a mapped page beyond the end of a truncated file would end the process with SIGBUS.
        var facts = stat()
        guard unsafe fstat(input.descriptor, &facts) == 0, Int(facts.st_size) >= size else {
            throw Failure("\(input.name) became shorter while it was read")
        }
        let longest = payloadSize + (framing == .none ? 0 : Framing.longest)
        let end = min(size, position + longest)
        let window = try reached(end)
        let offset = position - window.start
        var header = 0
        if framing == .y4m {
            let line = unsafe UnsafeRawBufferPointer(rebasing: window.bytes[offset..<end - window.start])
            guard let count = unsafe Framing.size(ofLineIn: line) else {
                // The remaining bytes may be the beginning of a usual FRAME line.
                throw unsafe line.count < Framing.usual.count && Framing.usual.starts(with: line)
                    ? Framing.cut(input.name, frame: number) : Framing.damaged(input.name, frame: number)
            }
            header = count
        }
        guard position + header + payloadSize <= size else { throw Framing.cut(input.name, frame: number) }
        let first = offset + header
        window.populate(first..<first + payloadSize)
        position += header + payloadSize
        number += 1
        return unsafe (window.bytes.baseAddress.unsafelyUnwrapped + first, window)
    }

    /// Returns a mapped window that reaches `end`; maps another one if necessary.
    private mutating func reached(_ end: Int) throws(Failure) -> MappedWindow {
        if let window, unsafe window.start + window.bytes.count >= end { return window }
        let count = min(size - position, max(Self.windowSize, end - position))
        let moved = try MappedWindow(input, start: position, count: count)
        window = moved
        return moved
    }
}

/// A range of a file, mapped into memory until the last reference is released.
///
/// `@unchecked Sendable`: the memory is only read.
@safe
final class MappedWindow: @unchecked Sendable {
    /// The file offset of the first byte.
    let start: Int
    let bytes: UnsafeRawBufferPointer
    private let mapping: UnsafeMutableRawBufferPointer

    init(_ input: InputFile, start: Int, count: Int) throws(Failure) {
        let page = Int(getpagesize())
        let aligned = start / page * page
        let length = count + start - aligned
        let address = unsafe mmap(nil, length, PROT_READ, MAP_PRIVATE, input.descriptor, aligned)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw Failure.system("cannot map \(input.name)")
        }
        self.start = start
        unsafe mapping = UnsafeMutableRawBufferPointer(start: address, count: length)
        unsafe bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(mapping)[(start - aligned)...])
    }

    deinit {
        _ = unsafe munmap(mapping.baseAddress, mapping.count)
    }

    /// Loads this range of the file now, in the calling thread, so that a later access causes no page faults.
    func populate(_ range: Range<Int>) {
        let populateForReading: Int32 = 22  // MADV_POPULATE_READ; older headers lack it, and older kernels refuse it
        let page = Int(getpagesize())
        let offset =
            unsafe bytes.baseAddress.unsafelyUnwrapped - UnsafeRawPointer(mapping.baseAddress.unsafelyUnwrapped)
        let first = (offset + range.lowerBound) / page * page
        let last = offset + range.upperBound
        _ = unsafe madvise(mapping.baseAddress.unsafelyUnwrapped + first, last - first, populateForReading)
    }
}
