internal import CNalu
internal import NaluBase

/// An Annex B stream whose container, if it has one, does not give each picture a time: libnalu's parser finds the
/// pictures and their times.
@safe
final class ParsedStream {
    private let parser: OpaquePointer

    init(codec: nalu_four_char_code, frameDuration: nalu_time) throws(NaluError) {
        var options = nalu_stream_parser_options()
        options.struct_size = UInt32(MemoryLayout<nalu_stream_parser_options>.size)
        options.frame_duration = frameDuration
        var made: OpaquePointer?
        let status = unsafe nalu_stream_parser_create(codec, &options, &made)
        guard let made = unsafe made else { throw NaluError.last(status) }
        unsafe parser = made
    }

    deinit {
        unsafe nalu_stream_parser_release(parser)
    }

    func push(_ bytes: UnsafeRawBufferPointer, time: nalu_time) throws(NaluError) {
        let status = unsafe nalu_stream_parser_push(
            parser, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, time)
        if status != NALU_STATUS_OK { throw NaluError.last(status) }
    }

    func pushStartCode(time: nalu_time = nalu_time_invalid()) throws(NaluError) {
        let code: [UInt8] = [0, 0, 0, 1]
        let status = unsafe nalu_stream_parser_push(parser, code, code.count, time)
        if status != NALU_STATUS_OK { throw NaluError.last(status) }
    }

    func finish() {
        _ = unsafe nalu_stream_parser_finish(parser)
    }

    /// The next sample; nil when more bytes are needed, or at the end.
    func next() throws(NaluError) -> SampleObject? {
        var sample: OpaquePointer?
        let status = unsafe nalu_stream_parser_next(parser, &sample)
        if let sample = unsafe sample { return unsafe SampleObject(owning: sample) }
        if status == NALU_STATUS_WOULD_BLOCK || status == NALU_STATUS_VALUE_NOT_AVAILABLE { return nil }
        let error = NaluError.last(status)
        // To a reader's client all of these are damage that was left out.
        throw status == NALU_STATUS_ALLOCATION_FAILED ? error : NaluError(.badData, error.message)
    }
}
