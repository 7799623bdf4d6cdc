internal import CFFmpeg
internal import Nalu
internal import NaluBase
private import NaluLibc

/// libavformat's view of an input: a buffer, and what went wrong.
@safe
final class InputStream {
    /// The first failure, an errno number; from then on nothing is read.
    private(set) var failure: Int32 = 0
    let input: BoxGuard
    let context: UnsafeMutablePointer<AVIOContext>
    let locale = StreamLocale()
    private let signals: ReaderSignals
    /// Where ``input`` stands.
    private var place: Int64 = 0
    /// Up to where it has been read, and whether there was nothing more.
    private var arrived: Int64 = 0
    private var hasMetEnd = false
    private var matroska: MatroskaExtent? = MatroskaExtent()

    init?(_ bytes: any ByteInput, signals: ReaderSignals) {
        let input = BoxGuard(bytes, signals: signals)
        self.input = input
        self.signals = signals
        // The stream's address is known only when all is initialised; it comes below.
        guard
            let context = unsafe nalu_ff_open_input(
                65536, nil,
                { opaque, bytes, size in
                    unsafe InputStream.of(opaque).read(UnsafeMutableRawBufferPointer(start: bytes, count: Int(size)))
                },
                input.canSeek || input.size >= 0
                    ? { opaque, offset, whence in unsafe InputStream.of(opaque).seek(offset, whence) } : nil)
        else { return nil }
        unsafe self.context = context
        unsafe context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        unsafe context.pointee.seekable = input.canSeek ? AVIO_SEEKABLE_NORMAL : 0
    }

    deinit {
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
        unsafe nalu_ff_close_output(&context)
    }

    /// Why nothing is read any more; nil as long as all is well.
    var error: NaluError? {
        if let refusal = input.refusal { return refusal }
        if failure == 0 { return nil }
        return Self.failure(failure)
    }

    /// The sentence for an input that gives an errno number.
    static func failure(_ number: Int32) -> NaluError {
        NaluError(.inputOutput, "reading the input failed: \(SystemError.text(number))")
    }

    /// The input is no Matroska file.
    func stopFollowing() {
        matroska = nil
    }

    /// At the end of the input: what says that it ends too early. Nil when all is there, as far as it can be known.
    ///
    /// - Parameter hasAllSamples: mp4, mov: whether every sample of the index ends within so many bytes.
    func cutOff(hasAllSamples: (Int64) -> Bool) -> String? {
        guard failure == 0, input.refusal == nil, !signals.isCancelled else { return nil }
        guard let size = knownSize else { return nil }
        if matroska == nil {
            guard let fault = input.fault(atSize: size) else { return nil }
            // Some writers say more than they have written: nothing is lost by that.
            return input.endsInMediaData && hasAllSamples(size) ? nil : fault
        }
        if input.canSeek { followToEnd(size) }
        guard let cut = matroska?.cut(atSize: size) else { return nil }
        return "its element at byte \(cut.start) ends at byte \(cut.end), of which \(size) are there"
    }

    /// Said beforehand, or met with.
    private var knownSize: Int64? {
        if input.size >= 0 { return input.size }
        return hasMetEnd ? max(arrived, input.arrived) : nil
    }

    /// From element to element, as seeking has left some out.
    private func followToEnd(_ size: Int64) {
        let before = place
        var piece = [UInt8](repeating: 0, count: 4096)
        while let next = matroska?.next, next < size, !signals.isCancelled, input.seek(to: next) == 0 {
            let count = unsafe piece.withUnsafeMutableBytes { bytes in unsafe input.read(bytes) }
            guard count > 0 else { break }
            unsafe piece.withUnsafeBytes { bytes in
                unsafe matroska?.take(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: next)
            }
            // The last header is not whole.
            if matroska?.next == next { break }
        }
        failure = input.seek(to: before)
    }

    /// What has been read of the input and is still to be taken.
    var beginning: UnsafeRawBufferPointer {
        guard let first = unsafe context.pointee.buf_ptr, let end = unsafe context.pointee.buf_end, unsafe end > first
        else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        return unsafe UnsafeRawBufferPointer(start: first, count: end - first)
    }

    /// libavformat has met the end.
    var isAtEnd: Bool { unsafe avio_feof(context) != 0 }

    /// How far the bytes have been taken.
    var position: Int64 { unsafe avio_seek(context, 0, SEEK_CUR) }

    private static func of(_ opaque: UnsafeMutableRawPointer?) -> InputStream {
        guard let opaque = unsafe opaque else { preconditionFailure("a stream without its owner") }
        return unsafe Unmanaged<InputStream>.fromOpaque(opaque).takeUnretainedValue()
    }

    private func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int32 {
        if signals.isCancelled { return nalu_ff_exit() }
        guard failure == 0 else { return nalu_ff_error(failure) }
        let count = locale.ofClient { unsafe input.read(bytes) }
        if signals.isCancelled { return nalu_ff_exit() }
        if count > 0 {
            unsafe matroska?.take(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: place)
            place += Int64(count)
            arrived = max(arrived, place)
            return Int32(count)
        }
        if count == 0 {
            // Nothing may come from beyond the end, too.
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
        // Where an index leads out of an input that was cut off.
        if let size = knownSize, offset > size { return Int64(nalu_ff_error(EINVAL)) }
        if failure == 0 {
            failure = locale.ofClient { input.seek(to: offset) }
            place = offset
        }
        return failure == 0 ? offset : Int64(nalu_ff_error(failure))
    }
}
