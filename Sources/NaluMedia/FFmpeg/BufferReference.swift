internal import CFFmpeg
internal import Nalu

/// A reference to an AVBuffer: memory of FFmpeg with a reference count.
///
/// `@unchecked Sendable`: the reference never changes, and FFmpeg counts atomically.
@safe
final class BufferReference: SampleMemory, @unchecked Sendable {
    private let buffer: FFmpegStruct<AVBufferRef>
    /// The bytes in use.
    let bytes: UnsafeRawBufferPointer
    private let birth: UInt32

    private init(owning buffer: UnsafeMutablePointer<AVBufferRef>, _ bytes: UnsafeRawBufferPointer) {
        ForkCount.watch()
        birth = ForkCount.current
        self.buffer = unsafe FFmpegStruct(buffer)
        unsafe self.bytes = bytes
    }

    /// Adds a reference to the first buffer of a frame; nil if there is none, or no memory for a reference.
    convenience init?(of frame: FFmpegStruct<AVFrame>) {
        guard let kept = unsafe frame.pointer.pointee.buf.0.flatMap({ unsafe av_buffer_ref($0) }) else { return nil }
        unsafe self.init(owning: kept, UnsafeRawBufferPointer(start: kept.pointee.data, count: kept.pointee.size))
    }

    /// Takes over the reference and the bytes of a packet, and leaves the packet empty; nil if there is no memory.
    convenience init?(takenFrom packet: Packet) {
        let fields = packet.fields
        guard unsafe av_packet_make_refcounted(fields.pointer) >= 0, let buffer = unsafe fields.buf else { return nil }
        unsafe self.init(owning: buffer, UnsafeRawBufferPointer(start: fields.data, count: packet.size))
        unsafe (fields.buf, fields.data, fields.size) = (nil, nil, 0)
    }

    /// Returns another reference for a packet; nil if there is no memory, or if `bytes` are not in the buffer with
    /// padding after them. FFmpeg's decoders read beyond the end of the bytes.
    func reference(forPadded bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<AVBufferRef>? {
        guard let start = bytes.baseAddress, let own = unsafe UnsafeRawPointer(buffer.data), unsafe start >= own,
            unsafe start - own + bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE) <= Int(buffer.size)
        else { return nil }
        return unsafe av_buffer_ref(buffer.pointer)
    }

    deinit {
        // The memory is leaked in a child of a fork, because a thread of the parent may have held the lock of FFmpeg's
        // pool.
        if birth == ForkCount.current { unsafe buffer.free(av_buffer_unref) }
    }
}
