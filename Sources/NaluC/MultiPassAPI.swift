// multi_pass.h: multi-pass storage and passes. A NULL out-pointer of end_pass means that the pass was the final one.

public import CNalu
internal import Nalu

extension MultiPassStorage: HandleObject { static var handleNoun: StaticString { "a nalu_multi_pass_storage" } }

@c @implementation
public func nalu_multi_pass_storage_create(
    _ directory: UnsafePointer<CChar>?, _ storage_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("storage_out", storage_out) { () throws(NaluError) in
        try unsafe MultiPassStorage(directory: directory.map { unsafe String(path: $0) })
    }
}

@c @implementation
public func nalu_multi_pass_storage_retain(_ storage: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(storage, MultiPassStorage.self)
    return unsafe storage
}

@c @implementation
public func nalu_multi_pass_storage_release(_ storage: OpaquePointer?) {
    unsafe Handle.release(storage, MultiPassStorage.self)
}

@c @implementation
public func nalu_multi_pass_storage_close(_ storage: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(storage, "storage", MultiPassStorage.self).close()
    }
}

@c @implementation
public func nalu_multi_pass_storage_copy_data(
    _ storage: OpaquePointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
    _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let storage = try unsafe Handle.required(storage, "storage", MultiPassStorage.self)
        _ = try unsafe required(size_out, "size_out")
        let data = try storage.data()
        try unsafe fill(buffer, capacity, size_out, needed: data.count) { target in
            _ = unsafe target.update(fromContentsOf: data)
        }
    }
}

@c @implementation
public func nalu_multi_pass_storage_create_with_data(
    _ directory: UnsafePointer<CChar>?, _ data: UnsafePointer<UInt8>?, _ size: Int,
    _ storage_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("storage_out", storage_out) { () throws(NaluError) in
        try unsafe MultiPassStorage(
            data: Array(bytes(data, size, "bytes")),
            directory: directory.map { unsafe String(path: $0) })
    }
}

@c @implementation
public func nalu_multi_pass_storage_divide_bits(
    _ storages: UnsafePointer<OpaquePointer?>?, _ count: Int, _ total_bits: UInt64,
    _ bit_rates_out: UnsafeMutablePointer<Int64>?, _ first_pass_qps_out: UnsafeMutablePointer<Double>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let storages = try unsafe required(storages, "storages")
        let rates = try unsafe required(bit_rates_out, "bit_rates_out")
        guard count > 0 else {
            throw NaluError(.parameter, "count is \(count); expected 1 or more")
        }
        var chunks: [MultiPassStorage] = []
        for index in 0..<count {
            chunks.append(try unsafe Handle.required(storages[index], "storages", MultiPassStorage.self))
        }
        let division = try MultiPassStorage.divide(total_bits, among: chunks)
        for (index, rate) in division.bitRates.enumerated() { unsafe rates[index] = Int64(rate) }
        guard let qps = unsafe first_pass_qps_out else { return }
        for (index, qp) in division.firstPassQPs.enumerated() { unsafe qps[index] = qp ?? 0 }
    }
}

@c @implementation
public func nalu_compression_session_set_multi_pass_storage(
    _ session: OpaquePointer?, _ storage: OpaquePointer?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        guard unsafe storage != nil else {
            try session.setMultiPassStorage(nil)
            return
        }
        try session.setMultiPassStorage(unsafe Handle.required(storage, "storage", MultiPassStorage.self))
    }
}

@c @implementation
public func nalu_compression_session_begin_pass(_ session: OpaquePointer?, _ flags: UInt32) -> nalu_status {
    unsafe nalu_compression_session_begin_first_pass(session, flags, 0)
}

@c @implementation
public func nalu_compression_session_begin_first_pass(_ session: OpaquePointer?, _ flags: UInt32, _ qp: Double)
    -> nalu_status
{
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        let final = UInt32(NALU_COMPRESSION_SESSION_BEGIN_FINAL_PASS)
        guard flags & ~final == 0 else {
            throw NaluError(.parameter, "flags is \(flags); expected 0 or \(final), the final pass")
        }
        try session.beginPass(isFinal: flags & final != 0, at: qp == 0 ? nil : qp)
    }
}

@c @implementation
public func nalu_compression_session_end_pass(
    _ session: OpaquePointer?, _ further_passes_requested_out: UnsafeMutablePointer<Int32>?
) -> nalu_status {
    unsafe further_passes_requested_out?.pointee = 0
    return attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        let further = try session.endPass(isFinal: unsafe further_passes_requested_out == nil)
        unsafe further_passes_requested_out?.pointee = further ? 1 : 0
    }
}

@c @implementation
public func nalu_compression_session_get_time_ranges_for_next_pass(
    _ session: OpaquePointer?, _ ranges: UnsafeMutablePointer<nalu_time_range>?, _ capacity: Int,
    _ count_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        _ = try unsafe required(count_out, "count_out")
        let wanted = try session.timeRangesForNextPass()
        try unsafe fill(ranges, capacity, count_out, name: "ranges", sizeName: "count_out", needed: wanted.count) {
            target in
            for (index, range) in wanted.enumerated() {
                unsafe target[index] = nalu_time_range(start: range.start.cTime, duration: range.duration.cTime)
            }
        }
    }
}
