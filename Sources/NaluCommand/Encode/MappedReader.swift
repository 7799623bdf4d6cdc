private import NaluLibc

/// Frames of a regular file: no byte of them is copied.
struct MappedReader: PayloadReader {
    /// Some frames at once: what is mapped counts as memory of the process.
    private static let windowSize = 8 << 20

    private let input: InputFile
    private let size: Int
    private let framing: Framing
    private let payloadSize: Int
    private var position: Int
    private var window: MappedWindow?
    private var number = 1

    /// - Parameter size: of the file.
    init(_ input: InputFile, size: Int, framing: Framing, payloadSize: Int) {
        self.input = input
        self.size = size
        self.framing = framing
        self.payloadSize = payloadSize
        position = input.position
        _ = posix_fadvise(input.descriptor, position, 0, POSIX_FADV_SEQUENTIAL)
    }

    /// How many frames there are, when their headers are as usual.
    var frameCount: Int { max(0, size - position) / (payloadSize + framing.headerSize) }

    mutating func next() throws -> (bytes: UnsafeRawPointer, owner: AnyObject)? {
        guard position < size else { return nil }
        // A file that is being shortened would end the process with a signal at the first look beyond its end.
        var facts = stat()
        guard unsafe fstat(input.descriptor, &facts) == 0, Int(facts.st_size) >= size else {
            throw Failure("\(input.name) has become shorter while it was read")
        }
        let longest = payloadSize + (framing == .none ? 0 : Framing.longest)
        let end = min(size, position + longest)
        let window = try reached(end)
        let offset = position - window.start
        var header = 0
        if framing == .y4m {
            let line = unsafe UnsafeRawBufferPointer(rebasing: window.bytes[offset..<end - window.start])
            guard let count = unsafe Framing.size(ofLineIn: line) else {
                // What is left may be the beginning of a usual line.
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

    /// The window, after a move where it does not reach that far.
    private mutating func reached(_ end: Int) throws(Failure) -> MappedWindow {
        if let window, unsafe window.start + window.bytes.count >= end { return window }
        let count = min(size - position, max(Self.windowSize, end - position))
        let moved = try MappedWindow(input, start: position, count: count)
        window = moved
        return moved
    }
}
