internal import CFFmpeg
internal import Nalu
internal import NaluBase
private import NaluLibc

/// An input from an address, which libavformat's protocols read. It cannot seek.
///
/// The address may be silent for at most ``longestSilence`` seconds, also while it is opened.
@safe
final class AddressInput: ByteInput {
    /// The schemes of addresses. Every other text is a path.
    private static let schemes: Set<String> = ["http", "srt", "tcp", "udp"]
    private static let longestSilence: Int64 = 10

    private let signals: ReaderSignals
    private var context: FFmpegStruct<AVIOContext>?
    /// The host time in nanoseconds at which the present wait ends.
    private var end: Int64 = 0

    /// Returns whether a text is an address.
    static func isAddress(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return false }
        return schemes.contains(String(text[..<colon]))
    }

    init(address: String, signals: ReaderSignals) throws(NaluError) {
        self.signals = signals
        let shown = NaluError.excerpt(address)
        guard unsafe avio_find_protocol_name(address) != nil else {
            throw NaluError(
                .inputOutput,
                "address \"\(shown)\" cannot be opened: FFmpeg was built without its protocol; use another build of FFmpeg"
            )
        }
        startWait()
        var interrupt = unsafe AVIOInterruptCB(
            callback: { unsafe (owner($0) as AddressInput).isOver ? 1 : 0 },
            opaque: Unmanaged.passUnretained(self).toOpaque())
        var opened: UnsafeMutablePointer<AVIOContext>?
        let result = unsafe avio_open2(&opened, address, AVIO_FLAG_READ, &interrupt, nil)
        guard result >= 0, let context = unsafe FFmpegStruct(opened) else {
            let reason =
                isSilent ? "no answer for \(Self.longestSilence) seconds" : SystemError.text(ffmpeg: min(result, -1))
            throw NaluError(
                .inputOutput,
                "address \"\(shown)\" cannot be opened: \(reason); expected the address of a running sender")
        }
        self.context = context
    }

    deinit {
        startWait()
        unsafe context?.free { unsafe _ = avio_closep($0) }
    }

    private func startWait() {
        end = MonotonicClock.nanoseconds + Self.longestSilence * 1_000_000_000
    }

    private var isSilent: Bool { MonotonicClock.nanoseconds >= end }

    private var isOver: Bool { signals.isCancelled || isSilent }

    var canSeek: Bool { false }
    var size: Int64 { -1 }

    func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let context else { return -Int(EIO) }
        startWait()
        let target = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let count = unsafe avio_read_partial(context.pointer, target, Int32(clamping: bytes.count))
        if count > 0 { return Int(count) }
        if signals.isCancelled { return -Int(ECANCELED) }
        if isSilent { return -Int(ETIMEDOUT) }
        if count == 0 || count == nalu_ff_end_of_file() { return 0 }
        let number = nalu_ff_errno(count)
        return number > 0 ? -Int(number) : -Int(EIO)
    }

    func seek(to offset: Int64) -> Int32 { ESPIPE }
}
