internal import CFFmpeg
internal import Nalu
internal import NaluBase
private import NaluLibc

/// An AVPacket: compressed data of one stream. Its times are in the stream's units.
@safe
final class Packet {
    let fields: FFmpegStruct<AVPacket>

    /// The value of an unknown time.
    static var noTime: Int64 { nalu_ff_no_time() }

    init() throws(NaluError) {
        guard let made = unsafe FFmpegStruct(av_packet_alloc()) else { throw Self.outOfMemory }
        fields = made
    }

    deinit {
        unsafe fields.free(av_packet_free)
    }

    private static var outOfMemory: NaluError { NaluError(.allocationFailed, "no memory for a packet") }

    // MARK: Times and facts

    /// The presentation time.
    var presentation: Int64 {
        get { fields.pts }
        set { fields.pts = newValue }
    }

    /// The decode time.
    var decode: Int64 {
        get { fields.dts }
        set { fields.dts = newValue }
    }

    var duration: Int64 {
        get { fields.duration }
        set { fields.duration = newValue }
    }

    /// The offset of the first byte in the file; -1 if it is unknown.
    var position: Int64 {
        get { fields.pos }
        set { fields.pos = newValue }
    }

    var streamIndex: Int {
        get { Int(fields.stream_index) }
        set { fields.stream_index = Int32(newValue) }
    }

    /// Whether the container marks the packet as a start for decoding.
    var isKey: Bool {
        get { hasFlag(AV_PKT_FLAG_KEY) }
        set { setFlag(AV_PKT_FLAG_KEY, newValue) }
    }

    /// Whether the packet is decoded and not displayed, as with an edit list.
    var isHidden: Bool {
        get { hasFlag(AV_PKT_FLAG_DISCARD) }
        set { setFlag(AV_PKT_FLAG_DISCARD, newValue) }
    }

    /// Whether FFmpeg found the packet incomplete.
    var isCorrupt: Bool {
        get { hasFlag(AV_PKT_FLAG_CORRUPT) }
        set { setFlag(AV_PKT_FLAG_CORRUPT, newValue) }
    }

    private func hasFlag(_ flag: Int32) -> Bool { fields.flags & flag != 0 }

    private func setFlag(_ flag: Int32, _ isSet: Bool) {
        fields.flags = fields.flags & ~flag | (isSet ? flag : 0)
    }

    /// The four-character code of the encryption scheme; 0 if the packet is not encrypted.
    var encryption: UInt32 { unsafe nalu_ff_get_encryption(fields.pointer) }

    // MARK: Bytes

    var size: Int { Int(max(0, fields.size)) }

    /// Calls `body` with the bytes of the packet, which `body` must not change. An empty packet need not have memory.
    func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(start: fields.data, count: size)))
    }

    /// Calls `body` while the packet refers to `bytes`, and empties the packet afterwards.
    func borrowing<Result>(_ bytes: Span<UInt8>, _ body: () -> Result) -> Result {
        defer { clear() }
        return unsafe bytes.withUnsafeBytes { memory in
            unsafe borrow(memory)
            return body()
        }
    }

    /// Lets the packet refer to bytes that it does not own, until ``clear()``.
    private func borrow(_ bytes: UnsafeRawBufferPointer) {
        unsafe fields.data = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        fields.size = Int32(bytes.count)
    }

    /// Lets the packet refer to bytes of a sample, until ``clear()``. A decoder copies them unless FFmpeg allocated
    /// them.
    func borrow(_ range: Range<Int>, of sample: Sample) {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: sample.data[range])
        unsafe fields.buf = (sample.memory as? BufferReference)?.reference(forPadded: bytes)
        unsafe borrow(bytes)
    }

    /// Replaces the packet's bytes with a copy of `bytes`.
    func copy(_ bytes: Span<UInt8>) throws(NaluError) {
        guard unsafe av_new_packet(fields.pointer, Int32(bytes.count)) >= 0 else { throw Self.outOfMemory }
        _ = unsafe bytes.withUnsafeBytes { source in
            unsafe source.baseAddress.map { unsafe memcpy(fields.data, $0, source.count) }
        }
    }

    /// Appends the bytes of another packet, and adds its duration and corruption flag. Leaves the other one empty.
    /// Returns false if there is no memory.
    func append(_ other: Packet) -> Bool {
        let own = size
        guard unsafe av_grow_packet(fields.pointer, other.fields.size) >= 0 else { return false }
        if let bytes = unsafe other.fields.data { unsafe memcpy(fields.data + own, bytes, other.size) }
        isCorrupt = isCorrupt || other.isCorrupt
        duration += other.duration
        other.clear()
        return true
    }

    /// Frees memory if the packet has far fewer bytes than its buffer, as a truncated packet has.
    func shrink() {
        // The packet keeps its buffer if there is no memory for a smaller one.
        unsafe nalu_ff_shrink_packet(fields.pointer)
    }

    /// A copy of the codec configuration that applies from this packet on; nil if it does not change.
    var newConfiguration: [UInt8]? {
        var size = 0
        let bytes = unsafe av_packet_get_side_data(fields.pointer, AV_PKT_DATA_NEW_EXTRADATA, &size)
        return unsafe bytes.map { unsafe [UInt8](UnsafeBufferPointer(start: $0, count: size)) }
    }

    /// Attaches a codec configuration that applies from this packet on.
    func attach(configuration: [UInt8]) throws(NaluError) {
        guard unsafe nalu_ff_set_new_extradata(fields.pointer, configuration, configuration.count) >= 0 else {
            throw Self.outOfMemory
        }
    }

    // MARK: Whole packets

    func clear() {
        unsafe av_packet_unref(fields.pointer)
    }

    /// Takes over the contents of another packet, and leaves that packet empty.
    func take(from other: Packet) {
        clear()
        unsafe av_packet_move_ref(fields.pointer, other.fields.pointer)
    }

    /// Converts the times to the units of another stream.
    func rescale(from unit: AVRational, to other: AVRational) {
        unsafe av_packet_rescale_ts(fields.pointer, unit, other)
    }
}
