internal import CFFmpeg
internal import CNalu
internal import NaluBase
internal import NaluBitstream

// The C objects that the engine holds: each has one owner, and nothing else gives a reference back or frees it. What is
// handed to a client has a reference of its own (`handedOver()`).

/// A reference to a sample.
@safe
package final class SampleObject {
    let handle: OpaquePointer

    /// Takes over a reference.
    package init(owning handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
    }

    /// Adds a reference; nil for what is no sample.
    package init?(retaining handle: OpaquePointer?) {
        guard unsafe nalu_sample_get_format_description(handle) != nil, let kept = unsafe nalu_sample_retain(handle)
        else { return nil }
        unsafe self.handle = unsafe kept
    }

    deinit {
        unsafe nalu_sample_release(handle)
    }

    /// One more reference, which the receiver gives back.
    package func handedOver() -> OpaquePointer {
        unsafe nalu_sample_retain(handle) ?? handle
    }

    /// Borrowed: they live as long as the sample.
    var bytes: UnsafeRawBufferPointer {
        var size = 0
        let start = unsafe nalu_sample_get_data(handle, &size)
        return unsafe UnsafeRawBufferPointer(start: start, count: size)
    }

    var format: FormatObject? { unsafe FormatObject(retaining: nalu_sample_get_format_description(handle)) }

    /// Whether that object is its format description, and not only one with the same content.
    func has(_ format: FormatObject?) -> Bool {
        unsafe nalu_sample_get_format_description(handle) == format?.handle
    }

    var isKeyFrame: Bool { unsafe nalu_sample_is_key_frame(handle) == 1 }
    var attachments: UInt32 { unsafe nalu_sample_get_attachments(handle) }
    /// Decoding can begin with it.
    var isStart: Bool { isKeyFrame || attachments & UInt32(NALU_SAMPLE_PARTIAL_SYNC) != 0 }
    var isHidden: Bool { attachments & UInt32(NALU_SAMPLE_DO_NOT_DISPLAY) != 0 }
    var presentationTime: nalu_time { unsafe nalu_sample_get_presentation_time(handle) }
    var decodeTime: nalu_time { unsafe nalu_sample_get_decode_time(handle) }
    var duration: nalu_time { unsafe nalu_sample_get_duration(handle) }
}

/// A reference to a format description.
@safe
package final class FormatObject: Equatable {
    /// For a client, who borrows it.
    package let handle: OpaquePointer

    /// Takes over a reference.
    package init(owning handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
    }

    convenience init(_ codec: VideoCodec, parameterSets: [[UInt8]], lengthSize: UInt32) throws(NaluError) {
        let bytes = parameterSets.flatMap { $0 }
        let sizes = parameterSets.map { $0.count }
        let count = UInt32(sizes.count)
        var made: OpaquePointer?
        var status = nalu_status(NALU_STATUS_ALLOCATION_FAILED)
        unsafe bytes.withUnsafeBufferPointer { all in
            var sets: [UnsafePointer<UInt8>?] = unsafe []
            var offset = 0
            for size in sizes {
                unsafe sets.append(all.baseAddress.map { unsafe $0 + offset })
                offset += size
            }
            status =
                unsafe codec == .h264
                ? nalu_format_description_create_from_parameter_sets(count, sets, sizes, lengthSize, &made)
                : nalu_format_description_create_from_hevc_parameter_sets(count, sets, sizes, lengthSize, &made)
        }
        guard let made = unsafe made else { throw NaluError.last(status) }
        unsafe self.init(owning: made)
    }

    /// From an `avcC` or `hvcC` record.
    convenience init(_ codec: VideoCodec, record: UnsafeRawBufferPointer) throws(NaluError) {
        var made: OpaquePointer?
        let bytes = unsafe record.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let status =
            unsafe codec == .h264
            ? nalu_format_description_create_from_avcc(bytes, record.count, &made)
            : nalu_format_description_create_from_hvcc(bytes, record.count, &made)
        guard let made = unsafe made else { throw NaluError.last(status) }
        unsafe self.init(owning: made)
    }

    /// Adds a reference; nil for what is no format description.
    package init?(retaining handle: OpaquePointer?) {
        guard unsafe nalu_format_description_get_codec(handle) != 0,
            let kept = unsafe nalu_format_description_retain(handle)
        else { return nil }
        unsafe self.handle = unsafe kept
    }

    deinit {
        unsafe nalu_format_description_release(handle)
    }

    /// The same content.
    package static func == (a: FormatObject, b: FormatObject) -> Bool {
        unsafe a.handle == b.handle || nalu_format_description_equal(a.handle, b.handle) == 1
    }

    var isHEVC: Bool { codec == VideoCodec.hevc.rawValue }
    var codec: nalu_four_char_code { unsafe nalu_format_description_get_codec(handle) }
    /// Bytes of the length before each NAL unit of a sample.
    var lengthSize: Int { unsafe Int(nalu_format_description_get_length_size(handle)) }
    var width: Int32 { unsafe nalu_format_description_get_width(handle) }
    var height: Int32 { unsafe nalu_format_description_get_height(handle) }

    /// Nil where there is no SPS.
    var sequenceInfo: nalu_sequence_info? {
        var info = nalu_sequence_info()
        info.struct_size = UInt32(MemoryLayout<nalu_sequence_info>.size)
        return unsafe nalu_format_description_get_sequence_info(handle, &info) == NALU_STATUS_OK ? info : nil
    }

    /// The avcC or hvcC record; borrowed.
    var record: UnsafeRawBufferPointer {
        var size = 0
        let avcc = unsafe nalu_format_description_get_avcc(handle, &size)
        let record = unsafe avcc ?? nalu_format_description_get_hvcc(handle, &size)
        return unsafe UnsafeRawBufferPointer(start: record, count: size)
    }

    /// Borrowed, in the order of the format description.
    func forEachParameterSet(_ body: (UnsafeRawBufferPointer) throws(NaluError) -> Void) throws(NaluError) {
        for index in 0..<(unsafe nalu_format_description_get_parameter_set_count(handle)) {
            var size = 0
            let set = unsafe nalu_format_description_get_parameter_set(handle, index, &size)
            try unsafe body(UnsafeRawBufferPointer(start: set, count: size))
        }
    }
}

/// A reference to a pixel buffer.
@safe
package final class PixelBufferObject {
    /// For a client, who borrows it.
    package let handle: OpaquePointer

    /// Takes over a reference.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe nalu_pixel_buffer_release(handle)
    }

    var pixelFormat: nalu_pixel_format { unsafe nalu_pixel_buffer_get_pixel_format(handle) }
    var width: Int32 { unsafe nalu_pixel_buffer_get_width(handle) }
    var height: Int32 { unsafe nalu_pixel_buffer_get_height(handle) }
    var planeCount: UInt32 { unsafe nalu_pixel_buffer_get_plane_count(handle) }

    func width(ofPlane plane: UInt32) -> Int32 { unsafe nalu_pixel_buffer_get_plane_width(handle, plane) }

    func row(_ y: Int, ofPlane plane: UInt32) -> UnsafeMutableRawPointer? {
        let stride = unsafe Int(nalu_pixel_buffer_get_plane_stride(handle, plane))
        return unsafe nalu_pixel_buffer_get_plane_base_address(handle, plane).map { unsafe $0 + stride * y }
    }

    func eachRow(ofPlane plane: UInt32, _ body: (UnsafeMutableRawPointer, Int) -> Void) {
        guard let base = unsafe nalu_pixel_buffer_get_plane_base_address(handle, plane) else { return }
        let stride = unsafe Int(nalu_pixel_buffer_get_plane_stride(handle, plane))
        for y in 0..<(unsafe Int(nalu_pixel_buffer_get_plane_height(handle, plane))) {
            unsafe body(base + stride * y, y)
        }
    }
}

/// A pool of pixel buffers of one format and size.
@safe
final class PixelBufferPoolObject {
    private let handle: OpaquePointer

    init(_ format: nalu_pixel_format, _ width: Int32, _ height: Int32) throws(NaluError) {
        var made: OpaquePointer?
        guard unsafe nalu_pixel_buffer_pool_create(width, height, format, 0, &made) == NALU_STATUS_OK,
            let made = unsafe made
        else { throw Self.outOfMemory }
        unsafe handle = made
    }

    deinit {
        unsafe nalu_pixel_buffer_pool_release(handle)
    }

    func makeBuffer() throws(NaluError) -> PixelBufferObject {
        var made: OpaquePointer?
        guard unsafe nalu_pixel_buffer_pool_create_pixel_buffer(handle, &made) == NALU_STATUS_OK,
            let made = unsafe made
        else { throw Self.outOfMemory }
        return unsafe PixelBufferObject(owning: made)
    }

    private static var outOfMemory: NaluError {
        NaluError(.allocationFailed, "no memory for an image")
    }
}

/// A picture of FFmpeg's.
@safe
final class PictureObject {
    let pointer: UnsafeMutablePointer<AVFrame>
    private let birth: UInt32

    /// Nil without memory.
    init?() {
        ForkCount.watch()
        birth = ForkCount.current
        guard let made = unsafe av_frame_alloc() else { return nil }
        unsafe pointer = made
    }

    /// The same pixels.
    convenience init?(sharing frame: UnsafePointer<AVFrame>) {
        self.init()
        guard unsafe av_frame_ref(pointer, frame) >= 0 else { return nil }
    }

    deinit {
        // In a child of a fork the lock of FFmpeg's pool may be one of its parent's threads'. The memory is left.
        guard birth == ForkCount.current else { return }
        var spent: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&spent)
    }

    /// A row of one of three planes; nil where there is none.
    func row<Element>(_ y: Int, ofPlane plane: Int, as type: Element.Type) -> UnsafePointer<Element>? {
        let start: UnsafeMutablePointer<UInt8>?
        let stride: Int32
        switch plane {
        case 0: unsafe (start, stride) = unsafe (pointer.pointee.data.0, pointer.pointee.linesize.0)
        case 1: unsafe (start, stride) = unsafe (pointer.pointee.data.1, pointer.pointee.linesize.1)
        default: unsafe (start, stride) = unsafe (pointer.pointee.data.2, pointer.pointee.linesize.2)
        }
        return unsafe start.map { unsafe UnsafeRawPointer($0 + Int(stride) * y).assumingMemoryBound(to: type) }
    }
}

/// A reference to memory of FFmpeg's.
@safe
final class BufferObject {
    private let pointer: UnsafeMutablePointer<AVBufferRef>
    private let birth: UInt32

    /// Adds a reference; nil without memory for one.
    init?(retaining buffer: UnsafeMutablePointer<AVBufferRef>) {
        ForkCount.watch()
        birth = ForkCount.current
        guard let kept = unsafe av_buffer_ref(buffer) else { return nil }
        unsafe pointer = kept
    }

    deinit {
        // As for a picture.
        guard birth == ForkCount.current else { return }
        var spent: UnsafeMutablePointer<AVBufferRef>? = unsafe pointer
        unsafe av_buffer_unref(&spent)
    }
}

/// A packet of FFmpeg's.
@safe
final class Packet {
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(NaluError) {
        guard let made = unsafe av_packet_alloc() else {
            throw NaluError(.allocationFailed, "no memory for a packet")
        }
        unsafe pointer = made
    }

    deinit {
        var spent: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&spent)
    }

    func clear() {
        unsafe av_packet_unref(pointer)
    }

    /// Takes what another packet holds, and leaves that empty.
    func take(from other: UnsafeMutablePointer<AVPacket>) {
        unsafe av_packet_unref(pointer)
        unsafe av_packet_move_ref(pointer, other)
    }
}
