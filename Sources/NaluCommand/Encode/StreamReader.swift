private import NaluLibc

/// Frames of a pipe: read right to where they stay.
struct StreamReader: PayloadReader {
    /// F_SETPIPE_SZ of Linux, which Glibc shows with _GNU_SOURCE only.
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
        // More a read; where it is refused, the pipe stays as it is.
        _ = fcntl(input.descriptor, Self.setPipeSize, Int32(1 << 20))
    }

    mutating func next() throws -> (bytes: UnsafeRawPointer, owner: AnyObject)? {
        let memory = try pool.take()
        let base = unsafe memory.bytes.baseAddress.unsafelyUnwrapped
        // Where a frame's line is longer than usual, the rest of it comes to lie where the payload should be.
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

    /// How many bytes of the frame's line follow the usual ones.
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

    /// Reads both pieces full, and returns how many bytes it got before the end of the input.
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

/// Gives the bytes of one frame after the other. One thread uses it.
protocol PayloadReader {
    /// The bytes of the next frame, and what keeps them where they are; nil at the end. Throws a ``Failure`` when the
    /// input cannot be read or is damaged.
    mutating func next() throws -> (bytes: UnsafeRawPointer, owner: AnyObject)?
}

/// What stands before each frame of the input.
enum Framing {
    /// Nothing.
    case none
    /// A line that begins with FRAME.
    case y4m

    /// "FRAME" and a newline: nearly every frame of every file.
    static let usual: [UInt8] = Array("FRAME\n".utf8)
    /// A line beyond this is damage.
    static let longest = 256

    var headerSize: Int { self == .none ? 0 : Self.usual.count }

    /// The bytes of the line with its newline; nil when that is not within `bytes`, or when it does not begin right.
    static func size(ofLineIn bytes: UnsafeRawBufferPointer) -> Int? {
        let start = unsafe bytes.prefix(usual.count)
        if unsafe start.elementsEqual(usual) { return usual.count }
        guard unsafe start.elementsEqual("FRAME ".utf8) else { return nil }
        return unsafe bytes.prefix(longest).firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
    }

    static func damaged(_ name: String, frame number: Int) -> Failure {
        Failure("\(name) is damaged: frame \(number) does not begin with a line FRAME")
    }

    static func cut(_ name: String, frame number: Int) -> Failure {
        Failure("\(name) ends in the middle of frame \(number)")
    }
}
