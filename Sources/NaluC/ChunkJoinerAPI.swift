// chunk_joiner.h: the samples of chunks as one stream.

public import CNalu
internal import Nalu

extension ChunkJoiner: HandleObject { static var handleNoun: StaticString { "a nalu_chunk_joiner" } }

@c @implementation
public func nalu_chunk_joiner_create(
    _ flags: UInt32, _ limits: UnsafePointer<Double>?, _ limit_count: Int,
    _ joiner_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("joiner_out", joiner_out) { () throws(NaluError) in
        let gaps = UInt32(NALU_CHUNK_JOINER_ALLOW_GAPS)
        let seams = UInt32(NALU_CHUNK_JOINER_ALLOW_SEAMS_OVER_LIMITS)
        guard flags & ~(gaps | seams) == 0 else {
            throw NaluError(
                .parameter,
                "flags is \(flags); expected a sum of \(gaps), gaps between chunks, and \(seams), seams over limits")
        }
        guard limit_count >= 0, limit_count <= 4 else {
            throw NaluError(
                .outOfRange, "limit_count is \(limit_count); expected 0, 2 or 4: alternating bytes and seconds")
        }
        var numbers: [Double] = []
        if limit_count > 0 {
            let limits = try unsafe required(limits, "limits")
            for index in 0..<limit_count { unsafe numbers.append(limits[index]) }
        }
        return try ChunkJoiner(
            dataRateLimits: numbers, allowsGaps: flags & gaps != 0, allowsSeamsOverLimits: flags & seams != 0)
    }
}

@c @implementation
public func nalu_chunk_joiner_retain(_ joiner: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(joiner, ChunkJoiner.self)
    return unsafe joiner
}

@c @implementation
public func nalu_chunk_joiner_release(_ joiner: OpaquePointer?) {
    unsafe Handle.release(joiner, ChunkJoiner.self)
}

@c @implementation
public func nalu_chunk_joiner_begin_chunk(_ joiner: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(joiner, "joiner", ChunkJoiner.self).beginChunk()
    }
}

@c @implementation
public func nalu_chunk_joiner_add(
    _ joiner: OpaquePointer?, _ sample: OpaquePointer?, _ sample_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("sample_out", sample_out) { () throws(NaluError) in
        let joiner = try unsafe Handle.required(joiner, "joiner", ChunkJoiner.self)
        return try joiner.add(try unsafe Handle.required(sample, "sample", Sample.self))
    }
}

@c @implementation
public func nalu_chunk_joiner_get_seams_over_limits(
    _ joiner: OpaquePointer?, _ seams: UnsafeMutablePointer<Int>?, _ capacity: Int,
    _ count_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let found = try unsafe Handle.required(joiner, "joiner", ChunkJoiner.self).seamsOverLimits
        try unsafe fill(seams, capacity, count_out, name: "seams", sizeName: "count_out", needed: found.count) {
            target in
            _ = unsafe target.update(fromContentsOf: found)
        }
    }
}
