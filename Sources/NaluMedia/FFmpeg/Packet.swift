internal import CFFmpeg
internal import NaluBase
private import NaluLibc

/// An AVPacket: compressed data of one stream. Its times are in the stream's units.
@safe
final class Packet {
    let pointer: UnsafeMutablePointer<AVPacket>

    /// The value of an unknown time.
    static var noTime: Int64 { nalu_ff_no_time() }

    init() throws(NaluError) {
        guard let made = unsafe av_packet_alloc() else { throw Self.outOfMemory }
        unsafe pointer = made
    }

    deinit {
        var spent: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&spent)
    }

    private static var outOfMemory: NaluError { NaluError(.allocationFailed, "no memory for a packet") }

    // MARK: Times and facts

    /// The presentation time.
    var presentation: Int64 {
        get { unsafe pointer.pointee.pts }
        set { unsafe pointer.pointee.pts = newValue }
    }

    /// The decode time.
    var decode: Int64 {
        get { unsafe pointer.pointee.dts }
        set { unsafe pointer.pointee.dts = newValue }
    }

    /// The presentation time, or the decode time if only that is known.
    var anyTime: Int64 { presentation != Self.noTime ? presentation : decode }

    var duration: Int64 {
        get { unsafe pointer.pointee.duration }
        set { unsafe pointer.pointee.duration = newValue }
    }

    /// The offset of the first byte in the file; -1 if it is unknown.
    var position: Int64 {
        get { unsafe pointer.pointee.pos }
        set { unsafe pointer.pointee.pos = newValue }
    }

    var streamIndex: Int {
        get { unsafe Int(pointer.pointee.stream_index) }
        set { unsafe pointer.pointee.stream_index = Int32(newValue) }
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

    private func hasFlag(_ flag: Int32) -> Bool { unsafe pointer.pointee.flags & flag != 0 }

    private func setFlag(_ flag: Int32, _ isSet: Bool) {
        let others = unsafe pointer.pointee.flags & ~flag
        unsafe pointer.pointee.flags = isSet ? others | flag : others
    }

    /// The four-character code of the encryption scheme; 0 if the packet is not encrypted.
    var encryption: UInt32 { unsafe nalu_ff_get_encryption(pointer) }

    // MARK: Bytes

    var size: Int { unsafe Int(max(0, pointer.pointee.size)) }

    /// The bytes of the packet; valid until the packet changes.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: pointer.pointee.data, count: size) }

    /// Lets the packet refer to bytes that it does not own, until ``clear()``.
    func borrow(_ bytes: UnsafeRawBufferPointer) {
        unsafe pointer.pointee.data = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        unsafe pointer.pointee.size = Int32(bytes.count)
    }

    /// Replaces the packet's bytes with a copy of `bytes`.
    func copy(_ bytes: UnsafeRawBufferPointer) throws(NaluError) {
        guard unsafe av_new_packet(pointer, Int32(bytes.count)) >= 0 else { throw Self.outOfMemory }
        if let start = bytes.baseAddress { unsafe memcpy(pointer.pointee.data, start, bytes.count) }
    }

    /// Appends the bytes of another packet, and adds its duration and corruption flag. Leaves the other one empty.
    /// Returns false if there is no memory.
    func append(_ other: Packet) -> Bool {
        let own = size
        guard unsafe av_grow_packet(pointer, other.pointer.pointee.size) >= 0 else { return false }
        if let bytes = unsafe other.bytes.baseAddress { unsafe memcpy(pointer.pointee.data + own, bytes, other.size) }
        isCorrupt = isCorrupt || other.isCorrupt
        duration += other.duration
        other.clear()
        return true
    }

    /// Frees memory if the packet has far fewer bytes than its buffer, as a truncated packet has.
    func shrink() {
        let needed = size + Int(AV_INPUT_BUFFER_PADDING_SIZE)
        // The packet keeps its buffer if there is no memory for a smaller one.
        guard let buffer = unsafe pointer.pointee.buf, unsafe buffer.pointee.size > needed + 65536,
            unsafe pointer.pointee.data == buffer.pointee.data,
            unsafe av_buffer_realloc(&pointer.pointee.buf, needed) >= 0
        else { return }
        unsafe pointer.pointee.data = pointer.pointee.buf.pointee.data
        unsafe memset(pointer.pointee.data + size, 0, Int(AV_INPUT_BUFFER_PADDING_SIZE))
    }

    /// The codec configuration that applies from this packet on; valid until the packet changes.
    var newConfiguration: UnsafeRawBufferPointer? {
        var size = 0
        let bytes = unsafe av_packet_get_side_data(pointer, AV_PKT_DATA_NEW_EXTRADATA, &size)
        return unsafe bytes.map { unsafe UnsafeRawBufferPointer(start: $0, count: size) }
    }

    /// Attaches a codec configuration that applies from this packet on.
    func attach(configuration: [UInt8]) throws(NaluError) {
        guard let data = unsafe av_packet_new_side_data(pointer, AV_PKT_DATA_NEW_EXTRADATA, configuration.count) else {
            throw Self.outOfMemory
        }
        unsafe memcpy(data, configuration, configuration.count)
    }

    // MARK: Whole packets

    func clear() {
        unsafe av_packet_unref(pointer)
    }

    /// Takes over the contents of another packet, and leaves that packet empty.
    func take(from other: Packet) {
        clear()
        unsafe av_packet_move_ref(pointer, other.pointer)
    }

    /// Converts the times to the units of another stream.
    func rescale(from unit: AVRational, to other: AVRational) {
        unsafe av_packet_rescale_ts(pointer, unit, other)
    }
}
