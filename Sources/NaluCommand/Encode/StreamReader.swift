private import NaluLibc

/// Reads the frames of a pipe directly into their memory.
struct StreamReader: PayloadReader {
    /// F_SETPIPE_SZ of Linux, which Glibc declares only with _GNU_SOURCE.
    private static let setPipeSize: Int32 = 1031

    private let input: InputFile
    private let framing: Framing
    private let payloadSize: Int
    private let pool: FrameMemoryPool
    private var number = 1

    init(_ input: InputFile, framing: Framing, payloadSize: Int) {
        self.input = input
        self.framing = framing
        self.payloadSize = payloadSize
        pool = FrameMemoryPool(byteCount: payloadSize + Framing.longest)
        // A larger pipe needs fewer reads. If the kernel refuses, the pipe keeps its size.
        _ = fcntl(input.descriptor, Self.setPipeSize, Int32(1 << 20))
    }

    mutating func next() throws -> (bytes: UnsafeRawPointer, owner: AnyObject)? {
        let memory = try pool.take()
        let base = unsafe memory.bytes.baseAddress.unsafelyUnwrapped
        // A FRAME line can carry parameters. The bytes beyond its usual length then lie where the payload should begin.
        var header: (UInt64, UInt64) = (0, 0)
        let headerSize = framing.headerSize
        let got = unsafe try withUnsafeMutableBytes(of: &header) { header in
            unsafe try fill(header.baseAddress.unsafelyUnwrapped, headerSize, base, payloadSize)
        }
        guard got > 0 else { return nil }
        if framing == .y4m {
            let excess = unsafe try withUnsafeBytes(of: &header) { header in
                unsafe try lineExcess(UnsafeRawBufferPointer(rebasing: header.prefix(min(got, headerSize))), base, got)
            }
            if excess > 0 {
                unsafe base.copyMemory(from: base + excess, byteCount: payloadSize - excess)
                let missing = unsafe try fill(base, 0, base + payloadSize - excess, excess)
                guard missing == excess else { throw Framing.cut(input.name, frame: number) }
            }
        }
        guard got == headerSize + payloadSize else { throw Framing.cut(input.name, frame: number) }
        number += 1
        return (UnsafeRawPointer(base), memory)
    }

    /// Returns how many bytes the FRAME line has beyond its usual length.
    private func lineExcess(
        _ header: UnsafeRawBufferPointer, _ payload: UnsafeRawPointer, _ got: Int
    ) throws -> Int {
        if unsafe header.elementsEqual(Framing.usual) { return 0 }
        if unsafe header.count < Framing.usual.count && Framing.usual.starts(with: header) {
            throw Framing.cut(input.name, frame: number)
        }
        let rest = unsafe UnsafeRawBufferPointer(start: payload, count: max(0, got - header.count))
        guard unsafe header.elementsEqual("FRAME ".utf8),
            let end = unsafe rest.prefix(Framing.longest).firstIndex(of: UInt8(ascii: "\n"))
        else { throw Framing.damaged(input.name, frame: number) }
        return end + 1
    }

    /// Fills both memory regions. Returns how many bytes arrived before the end of the input.
    private func fill(
        _ first: UnsafeMutableRawPointer, _ firstCount: Int, _ second: UnsafeMutableRawPointer, _ secondCount: Int
    ) throws(Failure) -> Int {
        var done = 0
        while done < firstCount + secondCount {
            let inFirst = min(done, firstCount)
            let inSecond = done - inFirst
            let count = unsafe try input.read(
                iovec(iov_base: first + inFirst, iov_len: firstCount - inFirst),
                iovec(iov_base: second + inSecond, iov_len: secondCount - inSecond))
            if count == 0 { break }
            done += count
        }
        return done
    }
}

/// Returns the bytes of one frame after the other. One thread uses it.
protocol PayloadReader {
    /// Returns the bytes of the next frame, and the object that keeps them valid; nil at the end. Throws a ``Failure``
    /// if the input cannot be read or is corrupt.
    mutating func next() throws -> (bytes: UnsafeRawPointer, owner: AnyObject)?
}

/// The bytes before each frame of the input.
enum Framing {
    /// Raw frames have no header.
    case none
    /// Y4M frames have a line that begins with FRAME.
    case y4m

    /// "FRAME" and a newline: the line in nearly all files.
    static let usual: [UInt8] = Array("FRAME\n".utf8)
    /// The longest valid line in bytes. A longer line is corrupt.
    static let longest = 256

    var headerSize: Int { self == .none ? 0 : Self.usual.count }

    /// Returns the length of the line with its newline; nil if `bytes` does not contain the newline or begins with
    /// another word.
    static func size(ofLineIn bytes: UnsafeRawBufferPointer) -> Int? {
        let start = unsafe bytes.prefix(usual.count)
        if unsafe start.elementsEqual(usual) { return usual.count }
        guard unsafe start.elementsEqual("FRAME ".utf8) else { return nil }
        return unsafe bytes.prefix(longest).firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
    }

    static func damaged(_ name: String, frame number: Int) -> Failure {
        Failure("\(name) is corrupt: frame \(number) does not begin with a line FRAME")
    }

    static func cut(_ name: String, frame number: Int) -> Failure {
        Failure("\(name) ends in the middle of frame \(number)")
    }
}
