// media/chunk_work.h: passes over chunks, their results, the division of the bits, and the joined stream.

public import CNalu
internal import Nalu
private import NaluLibc
internal import NaluMedia

extension ChunkStreamReader: HandleObject { static var handleNoun: StaticString { "a nalu_chunk_stream" } }

/// The object of a result.
final class FinishedChunk: HandleObject, Sendable {
    static var handleNoun: StaticString { "a nalu_chunk_result" }

    fileprivate let result: ChunkResult

    fileprivate init(_ result: ChunkResult) {
        self.result = result
    }
}

// MARK: - Results

@c @implementation
public func nalu_chunk_result_retain(_ result: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(result, FinishedChunk.self)
    return unsafe result
}

@c @implementation
public func nalu_chunk_result_release(_ result: OpaquePointer?) {
    unsafe Handle.release(result, FinishedChunk.self)
}

@c @implementation
public func nalu_chunk_result_get_info(
    _ result: OpaquePointer?, _ info_out: UnsafeMutablePointer<nalu_chunk_result_info>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let result = try unsafe Handle.required(result, "result", FinishedChunk.self).result
        var info = nalu_chunk_result_info()
        info.stage = Int32(result.stage.rawValue)
        info.number = UInt32(clamping: result.number)
        info.pass_count = UInt32(clamping: result.passCount)
        info.frame_count = UInt64(clamping: result.frameCount)
        info.damaged_frame_count = UInt64(clamping: result.damagedFrameCount)
        info.bits = UInt64(clamping: result.bits)
        info.duration = result.duration.cTime
        try unsafe GrowableStruct.write(info, to: info_out, "info_out")
    }
}

@c @implementation
public func nalu_chunk_result_copy_data(
    _ result: OpaquePointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let bytes = try unsafe Handle.required(result, "result", FinishedChunk.self).result.bytes
        try unsafe fill(buffer, capacity, size_out, needed: bytes.count) { target in
            _ = unsafe target.update(fromContentsOf: bytes)
        }
    }
}

@c @implementation
public func nalu_chunk_result_create_with_data(
    _ data: UnsafePointer<UInt8>?, _ size: Int, _ result_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("result_out", result_out) { () throws(NaluError) in
        try unsafe FinishedChunk(ChunkResult(bytes: Array(bytes(data, size, "data"))))
    }
}

// MARK: - Passes

extension ChunkEncoder {
    fileprivate init(
        _ source: UnsafePointer<nalu_chunk_source>?, _ chunk: UnsafePointer<nalu_chunk>?,
        _ options: UnsafePointer<nalu_chunk_work_options>?
    ) throws(NaluError) {
        let given = try unsafe GrowableStruct.read(options, over: nalu_chunk_work_options(), "options")
        let flags = try Flags(
            unsafe given.flags, "options.flags", among: NALU_CHUNK_WORK_LIMITS_OVER_SEAMS,
            "NALU_CHUNK_WORK_LIMITS_OVER_SEAMS")
        try unsafe self.init(
            nalu_chunk.read(chunk), of: nalu_chunk_source.read(source),
            directory: given.directory.map { unsafe String(path: $0) },
            limitsOverSeams: flags[NALU_CHUNK_WORK_LIMITS_OVER_SEAMS], progress: bound(given.progress, given.refcon))
    }
}

@c @implementation
public func nalu_chunk_encode_first_pass(
    _ source: UnsafePointer<nalu_chunk_source>?, _ chunk: UnsafePointer<nalu_chunk>?, _ qp: Double,
    _ options: UnsafePointer<nalu_chunk_work_options>?, _ result_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("result_out", result_out) { () throws(NaluError) in
        let encoder = try unsafe ChunkEncoder(source, chunk, options)
        return FinishedChunk(try encoder.firstPass(at: qp == 0 ? nil : qp))
    }
}

@c @implementation
public func nalu_chunk_encode_second_pass(
    _ source: UnsafePointer<nalu_chunk_source>?, _ chunk: UnsafePointer<nalu_chunk>?, _ first: OpaquePointer?,
    _ bit_rate: Int64, _ pass_count: Int32, _ options: UnsafePointer<nalu_chunk_work_options>?,
    _ result_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("result_out", result_out) { () throws(NaluError) in
        let encoder = try unsafe ChunkEncoder(source, chunk, options)
        let first = try unsafe Handle.required(first, "first", FinishedChunk.self).result
        return FinishedChunk(try encoder.secondPass(after: first, bitRate: Int(bit_rate), mostPasses: Int(pass_count)))
    }
}

@c @implementation
public func nalu_chunk_divide_bits(
    _ count: Int, _ bit_rate: Int64, _ directory: UnsafePointer<CChar>?, _ first: nalu_chunk_first_pass_callback?,
    _ refcon: UnsafeMutableRawPointer?, _ bit_rates_out: UnsafeMutablePointer<Int64>?,
    _ first_pass_qps_out: UnsafeMutablePointer<Double>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let rates = try unsafe required(bit_rates_out, "bit_rates_out")
        let first = try unsafe required(first, "first")
        guard count > 0 else { throw NaluError(.parameter, "count is \(count); expected 1 or more") }
        let division = try ChunkDivision(
            Int(bit_rate), count: count, directory: unsafe directory.map { unsafe String(path: $0) }
        ) { (index) throws(NaluError) in
            var result: OpaquePointer?
            try checkCallback(unsafe first(refcon, index, &result))
            defer { unsafe Handle.release(result, FinishedChunk.self) }
            return try unsafe Handle.required(result, "result_out", FinishedChunk.self).result
        }
        for (index, rate) in division.bitRates.enumerated() { unsafe rates[index] = Int64(rate) }
        guard let qps = unsafe first_pass_qps_out else { return }
        for (index, qp) in division.firstPassQPs.enumerated() { unsafe qps[index] = qp ?? 0 }
    }
}

// MARK: - The joined stream

@c @implementation
public func nalu_chunk_stream_create(
    _ flags: UInt32, _ stream_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("stream_out", stream_out) { () throws(NaluError) in
        let flags = try Flags(
            flags, "flags", among: NALU_CHUNK_STREAM_ALLOW_SEAMS_OVER_LIMITS,
            "NALU_CHUNK_STREAM_ALLOW_SEAMS_OVER_LIMITS")
        return ChunkStreamReader(allowsSeamsOverLimits: flags[NALU_CHUNK_STREAM_ALLOW_SEAMS_OVER_LIMITS])
    }
}

@c @implementation
public func nalu_chunk_stream_retain(_ stream: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(stream, ChunkStreamReader.self)
    return unsafe stream
}

@c @implementation
public func nalu_chunk_stream_release(_ stream: OpaquePointer?) {
    unsafe Handle.release(stream, ChunkStreamReader.self)
}

@c @implementation
public func nalu_chunk_stream_add(_ stream: OpaquePointer?, _ chunk: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        let stream = try unsafe Handle.required(stream, "stream", ChunkStreamReader.self)
        try stream.add(unsafe Handle.required(chunk, "chunk", FinishedChunk.self).result)
    }
}

@c @implementation
public func nalu_chunk_stream_next_sample(
    _ stream: OpaquePointer?, _ sample_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("sample_out", sample_out) { () throws(NaluError) in
        try unsafe Handle.required(stream, "stream", ChunkStreamReader.self).next()
    }
}

@c @implementation
public func nalu_chunk_stream_get_chunks_at_seams_over_limits(
    _ stream: OpaquePointer?, _ numbers: UnsafeMutablePointer<UInt32>?, _ capacity: Int,
    _ count_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let stream = try unsafe Handle.required(stream, "stream", ChunkStreamReader.self)
        let found = stream.numbersAtSeamsOverLimits.map { UInt32(clamping: $0) }
        try unsafe fill(numbers, capacity, count_out, name: "numbers", sizeName: "count_out", needed: found.count) {
            target in
            _ = unsafe target.update(fromContentsOf: found)
        }
    }
}
