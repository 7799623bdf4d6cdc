internal import CFFmpeg
internal import Nalu
internal import NaluBase
private import NaluLibc

/// The buffer through which libavformat reads an input, and the first failure.
@safe
final class InputStream {
    /// The first failure as an errno number, after which nothing is read; 0 for none.
    private(set) var failure: Int32 = 0
    let input: BoxGuard
    let context: FFmpegStruct<AVIOContext>
    let locale = StreamLocale()
    private let signals: ReaderSignals
    /// The current offset in ``input``.
    private var place: Int64 = 0
    /// The furthest offset that has been read, and whether a read there met the end.
    private var arrived: Int64 = 0
    private var hasMetEnd = false
    private var matroska: MatroskaExtent? = MatroskaExtent()
    private var flash: FlashExtent? = FlashExtent()

    init?(_ bytes: any ByteInput, signals: ReaderSignals) {
        let input = BoxGuard(bytes, signals: signals)
        self.input = input
        self.signals = signals
        // The stream's address is known only after all properties are set, so `opaque` is set below.
        guard
            let context = unsafe FFmpegStruct(
                nalu_ff_open_input(
                    65536, nil,
                    { opaque, bytes, size in
                        let stream: InputStream = unsafe owner(opaque)
                        return unsafe stream.read(UnsafeMutableRawBufferPointer(start: bytes, count: Int(size)))
                    },
                    input.canSeek || input.size >= 0
                        ? { unsafe (owner($0) as InputStream).seek($1, $2) } : nil))
        else { return nil }
        self.context = context
        unsafe context.opaque = Unmanaged.passUnretained(self).toOpaque()
        context.seekable = input.canSeek ? AVIO_SEEKABLE_NORMAL : 0
    }

    deinit {
        unsafe context.free(nalu_ff_close_output)
    }

    /// The error after which nothing is read any more; nil if there is none.
    var error: NaluError? {
        if let refusal = input.refusal { return refusal }
        if failure == 0 { return nil }
        return Self.failure(failure)
    }

    /// Returns the error for an input that failed with an errno number.
    static func failure(_ number: Int32) -> NaluError {
        NaluError(.inputOutput, "reading the input failed: \(SystemError.text(number))")
    }

    /// Stops following the elements of Matroska and the tags of FLV, except those of the input's format.
    ///
    /// - Parameter format: FFmpeg's name of the format; "" for a raw stream.
    func follow(_ format: String) {
        if !format.hasPrefix("matroska") { matroska = nil }
        if format != "flv" { flash = nil }
    }

    /// Returns why an input ends too early, after its end was reached; nil if it is complete, as far as known.
    ///
    /// - Parameters:
    ///   - lastTag: flv: the offset of the last tag that was read; nil if none is known.
    ///   - hasAllSamples: mp4, mov: whether every sample in the index ends within this number of bytes.
    func cutOff(lastTag: Int64?, hasAllSamples: (Int64) -> Bool) -> String? {
        guard failure == 0, input.refusal == nil, !signals.isCancelled else { return nil }
        guard let size = knownSize else { return nil }
        if flash != nil {
            if input.canSeek {
                if let lastTag { flash?.resume(at: lastTag) }
                followToEnd(size, next: { self.flash?.next }, take: { self.flash?.take($0, at: $1) })
            }
            return flash?.cut(atSize: size).map(Self.incompleteTag)
        }
        if matroska == nil {
            guard let fault = input.fault(atSize: size) else { return nil }
            // Some writers state more bytes than they have written. Nothing is lost if all samples are there.
            return input.endsInMediaData && hasAllSamples(size) ? nil : fault
        }
        if input.canSeek {
            followToEnd(size, next: { self.matroska?.next }, take: { self.matroska?.take($0, at: $1) })
        }
        guard let cut = matroska?.cut(atSize: size) else { return nil }
        return "its element at byte \(cut.start) ends at byte \(cut.end), of which \(size) are there"
    }

    static func incompleteTag(at offset: Int64) -> String { "its tag at byte \(offset) is incomplete" }

    /// The size of the input, stated or found at its end; nil if not known.
    private var knownSize: Int64? {
        if input.size >= 0 { return input.size }
        return hasMetEnd ? max(arrived, input.arrived) : nil
    }

    /// Follows the elements or tags that seeking has skipped, up to the end of the file.
    private func followToEnd(_ size: Int64, next following: () -> Int64?, take: (Span<UInt8>, Int64) -> Void) {
        let before = place
        var piece = [UInt8](repeating: 0, count: 4096)
        while let next = following(), next < size, !signals.isCancelled, input.seek(to: next) == 0 {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe input.read($0) }
            guard count > 0 else { break }
            take(piece.span.extracting(first: count), next)
            // The last header is incomplete.
            if following() == next { break }
        }
        failure = input.seek(to: before)
    }

    /// A copy of the bytes that have been read from the input and not been consumed.
    var beginning: [UInt8] {
        guard let first = unsafe context.buf_ptr, let end = unsafe context.buf_end else { return [] }
        return unsafe [UInt8](UnsafeBufferPointer(start: first, count: max(0, end - first)))
    }

    /// True if libavformat has reached the end of the input.
    var isAtEnd: Bool { unsafe avio_feof(context.pointer) != 0 }

    /// The offset up to which bytes have been consumed.
    var position: Int64 { unsafe avio_seek(context.pointer, 0, SEEK_CUR) }

    /// Consumes bytes without a demuxer. Returns their number; 0 or less at the end, or for a failure.
    func read(into bytes: inout [UInt8]) -> Int {
        let capacity = Int32(bytes.count)
        return unsafe Int(avio_read_partial(context.pointer, &bytes, capacity))
    }

    /// Moves to the beginning. Returns false if the input cannot seek.
    func rewind() -> Bool { unsafe avio_seek(context.pointer, 0, SEEK_SET) >= 0 }

    private func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int32 {
        if signals.isCancelled { return nalu_ff_exit() }
        guard failure == 0 else { return nalu_ff_error(failure) }
        let count = locale.ofClient { unsafe input.read(bytes) }
        if signals.isCancelled { return nalu_ff_exit() }
        if count > 0 {
            unsafe matroska?.take(Span(_unsafeBytes: bytes[..<count]), at: place)
            unsafe flash?.take(Span(_unsafeBytes: bytes[..<count]), at: place)
            place += Int64(count)
            arrived = max(arrived, place)
            return Int32(count)
        }
        if count == 0 {
            // A read beyond the end returns nothing too, but does not show where the end is.
            hasMetEnd = hasMetEnd || place <= max(arrived, input.arrived)
            return nalu_ff_end_of_file()
        }
        failure = Int32(-count)
        return nalu_ff_error(failure)
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        if whence & AVSEEK_SIZE != 0 {
            let size = input.size
            return size >= 0 ? size : Int64(nalu_ff_error(ENOSYS))
        }
        guard input.canSeek, whence & ~AVSEEK_FORCE == SEEK_SET else { return Int64(nalu_ff_error(EINVAL)) }
        if signals.isCancelled { return Int64(nalu_ff_exit()) }
        // An index can point beyond the end of an input that was cut off.
        if let size = knownSize, offset > size { return Int64(nalu_ff_error(EINVAL)) }
        if failure == 0 {
            failure = locale.ofClient { input.seek(to: offset) }
            place = offset
        }
        return failure == 0 ? offset : Int64(nalu_ff_error(failure))
    }
}
