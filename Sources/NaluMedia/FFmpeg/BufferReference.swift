internal import CFFmpeg
internal import Nalu

/// A reference to an AVBuffer: memory of FFmpeg with a reference count.
///
/// `@unchecked Sendable`: the reference never changes, and FFmpeg counts atomically.
@safe
final class BufferReference: SampleMemory, @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVBufferRef>
    /// The first byte that is in use.
    let dataStart: UnsafeRawPointer
    private let birth: UInt32

    /// Takes over a reference.
    ///
    /// - Parameter data: the first byte that is in use; the buffer's own first byte by default.
    init(owning buffer: UnsafeMutablePointer<AVBufferRef>, data: UnsafeMutablePointer<UInt8>? = nil) {
        ForkCount.watch()
        birth = ForkCount.current
        unsafe pointer = buffer
        unsafe dataStart = UnsafeRawPointer(data ?? buffer.pointee.data)
    }

    /// Adds a reference; nil if there is no memory for one.
    convenience init?(retaining buffer: UnsafeMutablePointer<AVBufferRef>) {
        guard let kept = unsafe av_buffer_ref(buffer) else { return nil }
        unsafe self.init(owning: kept)
    }

    /// Takes over the reference and the bytes of a packet, and leaves the packet empty; nil if there is no memory.
    convenience init?(takenFrom packet: Packet) {
        let packet = unsafe packet.pointer
        guard unsafe av_packet_make_refcounted(packet) >= 0, let buffer = unsafe packet.pointee.buf,
            let data = unsafe packet.pointee.data
        else { return nil }
        unsafe self.init(owning: buffer, data: data)
        unsafe packet.pointee.buf = nil
        unsafe packet.pointee.data = nil
        unsafe packet.pointee.size = 0
    }

    /// Returns whether padding follows the bytes in the buffer. FFmpeg's decoders read beyond the end of the bytes.
    func hasPadding(after bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, let own = unsafe UnsafeRawPointer(pointer.pointee.data) else {
            return false
        }
        let end = unsafe start - own + bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)
        return unsafe start >= own && end <= Int(pointer.pointee.size)
    }

    deinit {
        // The memory is leaked in a child of a fork, because a thread of the parent may have held the lock of FFmpeg's
        // pool.
        guard birth == ForkCount.current else { return }
        var spent: UnsafeMutablePointer<AVBufferRef>? = unsafe pointer
        unsafe av_buffer_unref(&spent)
    }
}
