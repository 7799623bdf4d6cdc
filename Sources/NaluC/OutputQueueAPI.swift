// output_queue.h: frames to fetch. The queue is a client's refcon, so two functions receive it as a plain pointer.

public import CNalu
internal import Nalu

extension OutputQueue: HandleObject { static var handleNoun: StaticString { "a nalu_output_queue" } }

@c @implementation
public func nalu_output_queue_create(_ queue_out: UnsafeMutablePointer<OpaquePointer?>?) -> nalu_status {
    unsafe create("queue_out", queue_out) { () throws(NaluError) in try OutputQueue() }
}

@c @implementation
public func nalu_output_queue_retain(_ queue: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(queue, OutputQueue.self)
    return unsafe queue
}

@c @implementation
public func nalu_output_queue_release(_ queue: OpaquePointer?) {
    unsafe Handle.release(queue, OutputQueue.self)
}

@c @implementation
public func nalu_output_queue_receive(
    _ queue: UnsafeMutableRawPointer?, _ frame_refcon: UnsafeMutableRawPointer?, _ status: nalu_status,
    _ info_flags: nalu_encode_info_flags, _ sample: OpaquePointer?
) {
    let queue = unsafe Handle.object(queue.map { OpaquePointer($0) }, OutputQueue.self)
    let sample = unsafe Handle.object(sample, Sample.self)
    unsafe queue?.receive(
        EncodedFrame(
            status: Status(rawValue: status), flags: EncodeInfoFlags(rawValue: info_flags), sample: sample,
            frameRefcon: frame_refcon))
}

@c @implementation
public func nalu_output_queue_close(_ queue: UnsafeMutableRawPointer?) {
    unsafe Handle.object(queue.map { OpaquePointer($0) }, OutputQueue.self)?.close()
}

@c @implementation
public func nalu_output_queue_next(
    _ queue: OpaquePointer?, _ timeout_seconds: Double, _ output: UnsafeMutablePointer<nalu_output>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let queue = try unsafe Handle.required(queue, "queue", OutputQueue.self)
        guard !timeout_seconds.isNaN else {
            throw NaluError(
                .parameter, "timeout_seconds is NaN; expected seconds, or a negative number to wait without limit")
        }
        // Checked before a frame is removed from the queue, because the frame would be lost.
        _ = try unsafe GrowableStruct.check(output, "output")
        switch try queue.fetch(timeout: timeout_seconds) {
        case .nothingYet:
            throw NaluError(.wouldBlock, "no frame arrived within \(timeout_seconds) seconds; try again later")
        case .end:
            throw NaluError(.valueNotAvailable, "the queue is empty and closed; its session has ended")
        case .frame(let frame):
            let value = unsafe nalu_output(
                struct_size: 0, status: frame.status.rawValue, info_flags: frame.flags.rawValue, reserved: 0,
                frame_refcon: frame.frameRefcon, sample: frame.sample.map { unsafe Handle.owned($0) })
            try unsafe GrowableStruct.write(value, to: output, "output")
        }
    }
}

@c @implementation
public func nalu_output_queue_get_count(_ queue: OpaquePointer?) -> UInt64 {
    unsafe UInt64(Handle.object(queue, OutputQueue.self)?.count ?? 0)
}

@c @implementation
public func nalu_output_queue_get_file_descriptor(_ queue: OpaquePointer?) -> Int32 {
    unsafe Handle.object(queue, OutputQueue.self)?.fileDescriptor ?? -1
}
