internal import NaluBitstream

/// Reads the NAL units of a file of any size in one pass.
@safe
final class UnitReader {
    struct Result {
        /// The size of the file in bytes.
        let bytes: Int
        let complaints: [ScanComplaint]
    }

    /// The framing of the stream, as detected or as the options state it.
    let framing: StreamFraming
    let codec: VideoCodec
    private let input: SequentialInput
    private let buffer: UnsafeMutableRawBufferPointer
    private var filled: Int

    private static let pieceSize = 1 << 20

    /// Reads the beginning. Throws if the framing is not stated and cannot be detected.
    init(_ input: SequentialInput, stated: (framing: StreamFraming?, codec: VideoCodec?)) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        do {
            filled = try unsafe input.read(into: buffer)
            let first = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<filled])
            framing =
                try unsafe stated.framing
                ?? StreamFramingDetector.detect(
                    first, isWhole: filled < Self.pieceSize, codec: stated.codec, name: input.name)
            codec = try unsafe stated.codec ?? Self.codec(of: first, framing)
        } catch {
            unsafe buffer.deallocate()
            throw error
        }
        unsafe self.buffer = buffer
        self.input = input
    }

    deinit {
        unsafe buffer.deallocate()
    }

    private static func scanner(_ framing: StreamFraming, limit: @escaping HeadLimit) -> any UnitScanner {
        switch framing {
        case .annexB: AnnexBScanner(limit: limit)
        case .lengthPrefixed(let size): LengthPrefixedScanner(lengthSize: size, limit: limit)
        }
    }

    private static func codec(of bytes: UnsafeRawBufferPointer, _ framing: StreamFraming) throws -> VideoCodec {
        var detector = CodecDetector()
        // 4096 bytes hold any parameter set except a few with long lists.
        var scanner = scanner(framing) { _ in 4096 }
        _ = try unsafe scanner.take(bytes, isLast: true) { unit in
            if !detector.isDone { detector.add(unit.head) }
        }
        return detector.codec
    }

    /// Calls `body` with each NAL unit. To be called once.
    func read(limit: @escaping HeadLimit, _ body: (ScannedUnit) throws -> Void) throws -> Result {
        var scanner = Self.scanner(framing, limit: limit)
        var total = filled
        while true {
            let isLast = filled < Self.pieceSize
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<filled])
            let taken = try unsafe scanner.take(bytes, isLast: isLast, body)
            if isLast { break }
            let rest = filled - taken
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[taken..<filled]))
            let added = try unsafe input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[rest...]))
            filled = rest + added
            total += added
        }
        return Result(bytes: total, complaints: scanner.complaints)
    }
}
