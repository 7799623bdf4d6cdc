internal import CFFmpeg
internal import NaluBitstream
private import NaluLibc

/// A destination for the bytes of a container. Functions return an errno number, or 0 for success.
protocol ByteOutput: AnyObject {
    /// Whether ``seek(to:)`` works.
    var canSeek: Bool { get }
    /// A descriptor for reading back written bytes; -1 if that is impossible.
    var readableDescriptor: Int32 { get }
    /// Writes all bytes at the current position.
    func write(_ bytes: Span<UInt8>) -> Int32
    func seek(to offset: Int64) -> Int32
    /// Truncates a regular file to `size`. Other outputs do nothing.
    func cut(to size: Int64)
    /// Whether an existing file at the path is unchanged until now: ``commit(_:)`` or ``begin()`` replaces it.
    var holdsExistingFile: Bool { get }
    /// Prepares for the first byte: empties a file that is written in place. Returns an error message; nil for success.
    func begin() -> String?
    /// Puts a complete file in its place. Returns an error message; nil for success.
    func commit(_ spelling: Spelling) -> String?
    /// Whether the bytes are for viewers who watch them now.
    var isLive: Bool { get }
    /// Called before the muxer writes a packet. The bytes before the first packet are the container's header.
    func beginPacket(isVideo: Bool, isKeyFrame: Bool)
    /// Called when all bytes of a packet are written, for outputs that cannot seek.
    func endPacket()
}

extension ByteOutput {
    var holdsExistingFile: Bool { false }
    var isLive: Bool { false }
    func begin() -> String? { nil }
    func commit(_ spelling: Spelling) -> String? { nil }
    func beginPacket(isVideo: Bool, isKeyFrame: Bool) {}
    func endPacket() {}
}

/// libavformat's view of an output: its buffer, and the first failure.
@safe
final class OutputStream {
    /// The first failure as an errno number; 0 if there was none. Nothing is written after a failure.
    private(set) var failure: Int32 = 0
    /// The reason why the output could not begin; nil if it could, and before its first byte.
    private(set) var refusal: String?
    private var hasBegun = false
    let output: any ByteOutput
    let context: FFmpegStruct<AVIOContext>
    let locale = StreamLocale()
    /// The search for the sample entry in the written bytes; nil if none is needed.
    var finder: SampleEntryFinder?
    private var place: Int64 = 0
    private var end: Int64 = 0
    /// An edit list that replaces the first track's in an index that is not written yet.
    var edits: EditList?
    /// Whether a copy of the movie's index is kept when it is written.
    var keepsIndex = false
    private(set) var index: (start: Int64, bytes: [UInt8])?
    private var hasSought = false

    /// The buffer for files in bytes. Large writes cost the system less for each byte.
    private static let fileBuffer: Int32 = 262_144

    /// - Parameter seeks: whether the muxer may seek, if the output can.
    init?(_ output: any ByteOutput, seeks: Bool) {
        self.output = output
        // `opaque` is set below, because the address of the object exists only after its initialisation.
        guard
            let context = unsafe FFmpegStruct(
                nalu_ff_open_output(
                    output.canSeek ? Self.fileBuffer : 65536, nil,
                    { opaque, bytes, count in
                        guard let bytes = unsafe bytes else { return 0 }
                        let stream: OutputStream = unsafe owner(opaque)
                        return stream.write(unsafe Span(_unsafeStart: bytes, count: Int(count)))
                    },
                    seeks && output.canSeek ? { unsafe (owner($0) as OutputStream).seek($1, $2) } : nil))
        else { return nil }
        self.context = context
        unsafe context.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.seekable = seeks && output.canSeek ? AVIO_SEEKABLE_NORMAL : 0
    }

    deinit {
        unsafe context.free(nalu_ff_close_output)
    }

    /// Writes the contents of the buffer to the output.
    func flush() {
        unsafe avio_flush(context.pointer)
    }

    /// The size of the output in bytes.
    var size: Int64 { end }

    /// Overwrites written bytes. Must be called after everything else is written.
    func replace(_ bytes: [UInt8], at offset: Int64) {
        guard failure == 0 else { return }
        failure = locale.ofClient {
            let number = output.seek(to: offset)
            return number != 0 ? number : output.write(bytes.span)
        }
        guard let index, offset >= index.start else { return }
        let first = Int(offset - index.start)
        guard first + bytes.count <= index.bytes.count else { return }
        self.index?.bytes.replaceSubrange(first..<first + bytes.count, with: bytes)
    }

    private func write(_ bytes: Span<UInt8>) -> Int32 {
        begin()
        if failure == 0 {
            let changed = withEdits(bytes)
            failure = locale.ofClient { changed.map { output.write($0.span) } ?? output.write(bytes) }
        }
        guard failure == 0 else { return nalu_ff_error(failure) }
        finder?.look(at: bytes, place: place)
        if keepsIndex { keep(bytes) }
        place += Int64(bytes.count)
        end = max(end, place)
        return Int32(bytes.count)
    }

    /// Prepares the output, at the latest before its first byte. A second call does nothing. A muxer that refuses its header
    /// writes none, so that an existing file stays unchanged.
    func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        refusal = locale.ofClient { output.begin() }
        if refusal != nil { failure = EIO }
    }

    /// Returns the bytes with ``edits`` if they begin with the index; else nil.
    private func withEdits(_ bytes: Span<UInt8>) -> [UInt8]? {
        guard let edits, Self.isIndex(bytes) else { return nil }
        self.edits = nil
        let all = [UInt8](copying: bytes)
        let size = all[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard size <= all.count else { return nil }
        return edits.applied(to: [UInt8](all[..<size]), canGrow: false).map { $0 + all[size...] }
    }

    /// Returns whether bytes begin with the box `moov`.
    private static func isIndex(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 8 && [UInt8](copying: bytes.extracting(4..<8)) == [UInt8]("moov".utf8)
    }

    /// Keeps the index: bytes that are written after a seek and begin with `moov`. Later writes into it update the
    /// copy.
    private func keep(_ bytes: Span<UInt8>) {
        let isBegin = hasSought && Self.isIndex(bytes)
        hasSought = false
        if isBegin { index = (place, [UInt8](copying: bytes)) }
        guard !isBegin, let start = index?.start, var kept = index?.bytes, place >= start,
            place <= start + Int64(kept.count)
        else { return }
        let first = Int(place - start)
        index = nil
        let inside = min(bytes.count, kept.count - first)
        kept.replaceSubrange(first..<first + inside, with: [UInt8](copying: bytes.extracting(first: inside)))
        kept.append(copying: bytes.extracting(droppingFirst: inside))
        index = (start, kept)
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        if whence & AVSEEK_SIZE != 0 { return end }
        guard whence & ~AVSEEK_FORCE == SEEK_SET else { return Int64(nalu_ff_error(EINVAL)) }
        if failure == 0 {
            failure = locale.ofClient { output.seek(to: offset) }
        }
        guard failure == 0 else { return Int64(nalu_ff_error(failure)) }
        place = offset
        hasSought = true
        return offset
    }
}
