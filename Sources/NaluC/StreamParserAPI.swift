// stream_parser.h: the samples of a byte stream.

public import CNalu
internal import Nalu

extension StreamParser: HandleObject { static var handleNoun: StaticString { "a nalu_stream_parser" } }

private func parserOptions(
    _ options: UnsafePointer<nalu_stream_parser_options>?
) throws(NaluError) -> StreamParserOptions {
    let given = try unsafe GrowableStruct.read(options, over: nalu_stream_parser_options(), "options")
    var result = StreamParserOptions()
    if given.reorder_depth_plus_1 > 0 { result.reorderDepth = Int(given.reorder_depth_plus_1) - 1 }
    if given.maximum_access_unit_size > 0 {
        result.maximumAccessUnitSize = Int(clamping: given.maximum_access_unit_size)
    }
    let duration = MediaTime(given.frame_duration)
    if !duration.isIdentical(to: .invalid) { result.frameDuration = duration }
    return result
}

@c @implementation
public func nalu_stream_parser_create(
    _ codec: nalu_four_char_code, _ options: UnsafePointer<nalu_stream_parser_options>?,
    _ parser_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("parser_out", parser_out) { () throws(NaluError) in
        try StreamParser(codec: codec, options: try unsafe parserOptions(options))
    }
}

@c @implementation
public func nalu_stream_parser_retain(_ parser: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(parser, StreamParser.self)
    return unsafe parser
}

@c @implementation
public func nalu_stream_parser_release(_ parser: OpaquePointer?) {
    unsafe Handle.release(parser, StreamParser.self)
}

@c @implementation
public func nalu_stream_parser_push(
    _ parser: OpaquePointer?, _ data: UnsafePointer<UInt8>?, _ size: Int, _ time: nalu_time
) -> nalu_status {
    attempt { () throws(NaluError) in
        let parser = try unsafe Handle.required(parser, "parser", StreamParser.self)
        try unsafe parser.push(try unsafe bytes(data, size, "bytes"), time: MediaTime(time))
    }
}

@c @implementation
public func nalu_stream_parser_next(
    _ parser: OpaquePointer?, _ sample_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("sample_out", sample_out) { () throws(NaluError) in
        let parser = try unsafe Handle.required(parser, "parser", StreamParser.self)
        switch try parser.next() {
        case .sample(let sample): return sample
        case .nothingYet: throw NaluError(.wouldBlock, "no sample is complete; push more bytes, or finish")
        case .end: throw NaluError(.valueNotAvailable, "the stream is finished and every sample has been fetched")
        }
    }
}

@c @implementation
public func nalu_stream_parser_finish(_ parser: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(parser, "parser", StreamParser.self).finish()
    }
}

@c @implementation
public func nalu_stream_parser_get_statistics(
    _ parser: OpaquePointer?, _ statistics: UnsafeMutablePointer<nalu_stream_parser_statistics>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let counts = try unsafe Handle.required(parser, "parser", StreamParser.self).statistics
        try unsafe GrowableStruct.write(
            nalu_stream_parser_statistics(
                struct_size: 0, reserved: 0, bytes: counts.bytes, skipped_bytes: counts.skippedBytes,
                samples: counts.samples, pending_bytes: counts.pendingBytes,
                dropped_access_units: counts.droppedAccessUnits, dropped_units: counts.droppedUnits,
                frame_number_gaps: counts.frameNumberGaps, replaced_times: counts.replacedTimes),
            to: statistics, "statistics")
    }
}
