internal import CFFmpeg
internal import CNalu
internal import NaluBase
internal import NaluBitstream

// The C objects that the engine holds: each has one owner, and nothing else gives a reference back or frees it. What is
// handed to a client has a reference of its own (`handedOver()`).

/// A reference to a sample.
@safe
final class SampleObject {
    let handle: OpaquePointer

    /// Takes over a reference.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
    }

    /// Adds a reference; nil for what is no sample.
    init?(retaining handle: OpaquePointer?) {
        guard unsafe nalu_sample_get_format_description(handle) != nil, let kept = unsafe nalu_sample_retain(handle)
        else { return nil }
        unsafe self.handle = unsafe kept
    }

    deinit {
        unsafe nalu_sample_release(handle)
    }

    /// One more reference, which the receiver gives back.
    func handedOver() -> OpaquePointer {
        unsafe nalu_sample_retain(handle) ?? handle
    }

    /// Borrowed: they live as long as the sample.
    var bytes: UnsafeRawBufferPointer {
        var size = 0
        let start = unsafe nalu_sample_get_data(handle, &size)
        return unsafe UnsafeRawBufferPointer(start: start, count: size)
    }

    /// Borrowed.
    var format: OpaquePointer? { unsafe nalu_sample_get_format_description(handle) }
    var attachments: UInt32 { unsafe nalu_sample_get_attachments(handle) }
    var presentationTime: nalu_time { unsafe nalu_sample_get_presentation_time(handle) }
    var decodeTime: nalu_time { unsafe nalu_sample_get_decode_time(handle) }
    var duration: nalu_time { unsafe nalu_sample_get_duration(handle) }
}

/// A reference to a format description.
@safe
final class FormatObject: Equatable {
    let handle: OpaquePointer

    /// Takes over a reference.
    init(owning handle: OpaquePointer) {
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
    init?(retaining handle: OpaquePointer?) {
        guard unsafe nalu_format_description_get_codec(handle) != 0,
            let kept = unsafe nalu_format_description_retain(handle)
        else { return nil }
        unsafe self.handle = unsafe kept
    }

    deinit {
        unsafe nalu_format_description_release(handle)
    }

    /// The same content.
    static func == (a: FormatObject, b: FormatObject) -> Bool { unsafe a.isSame(as: b.handle) }

    func isSame(as other: OpaquePointer?) -> Bool {
        unsafe handle == other || nalu_format_description_equal(handle, other) == 1
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
