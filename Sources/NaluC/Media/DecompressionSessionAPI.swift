// media/decompression_session.h: the session's lifetime, samples to decode, and the client's callback.

public import CNalu
internal import Nalu
internal import NaluMedia

extension DecompressionSession: HandleObject { static var handleNoun: StaticString { "a nalu_decompression_session" } }

/// A client's output callback with its refcon.
///
/// `@unchecked Sendable`: the client promises that both may be used from the session's thread.
@safe
private struct ClientCallback: @unchecked Sendable {
    let function: nalu_decompression_output_callback
    let refcon: UnsafeMutableRawPointer?

    func receive(_ frame: DecompressionSession.Frame) {
        withExtendedLifetime(frame.image) { image in
            unsafe function(
                refcon, frame.frameRefcon, frame.status.rawValue, frame.flags.rawValue, Handle.lent(image),
                frame.presentationTime.cTime, frame.duration.cTime)
        }
    }
}

extension DecompressionSession.Options {
    fileprivate static func read(
        _ specification: UnsafePointer<nalu_decoder_specification>?,
        _ destination: UnsafePointer<nalu_destination_attributes>?
    ) throws(NaluError) -> DecompressionSession.Options {
        let given = try unsafe GrowableStruct.read(specification, over: nalu_decoder_specification(), "specification")
        let attributes = try unsafe GrowableStruct.read(
            destination, over: nalu_destination_attributes(), "destination_attributes")
        let flags = try Flags(
            given.flags, "specification.flags",
            among: NALU_DECODER_DROP_UNTIL_KEY_FRAME | NALU_DECODER_LOW_DELAY | NALU_DECODER_IN_DECODE_ORDER,
            "NALU_DECODER_")
        guard given.require_hardware_accelerated_video_decoder == 0 else {
            throw NaluError(
                .couldNotFindVideoDecoder,
                "specification.require_hardware_accelerated_video_decoder is 1, and there is no hardware decoder; expected 0"
            )
        }
        var options = DecompressionSession.Options(spelling: .c)
        options.dropsUntilKeyFrame = flags[NALU_DECODER_DROP_UNTIL_KEY_FRAME]
        options.isLowDelay = flags[NALU_DECODER_LOW_DELAY]
        options.isInDecodeOrder = flags[NALU_DECODER_IN_DECODE_ORDER]
        options.threadCount = Int(given.thread_count)
        options.maximumPixelCount = Int(given.maximum_pixel_count)
        options.pixelFormat = attributes.pixel_format == 0 ? nil : PixelFormat(rawValue: attributes.pixel_format)
        options.width = Int(attributes.width)
        options.height = Int(attributes.height)
        return options
    }
}

@c @implementation
public func nalu_decompression_session_create(
    _ format: OpaquePointer?, _ specification: UnsafePointer<nalu_decoder_specification>?,
    _ destination_attributes: UnsafePointer<nalu_destination_attributes>?,
    _ callback: nalu_decompression_output_callback?, _ refcon: UnsafeMutableRawPointer?,
    _ destroy_refcon: nalu_refcon_destructor?, _ session_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("session_out", session_out) { () throws(NaluError) in
        let format = try unsafe Handle.required(format, "format", FormatDescription.self)
        let client = try unsafe ClientCallback(function: required(callback, "callback"), refcon: refcon)
        let options = try unsafe DecompressionSession.Options.read(specification, destination_attributes)
        return try unsafe DecompressionSession(
            format: format, options: options, onFinish: bound(destroy_refcon, refcon)
        ) { client.receive($0) }
    }
}

@c @implementation
public func nalu_decompression_session_retain(_ session: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.object(session, DecompressionSession.self)?.retainedByClient()
    unsafe Handle.retain(session, DecompressionSession.self)
    return unsafe session
}

@c @implementation
public func nalu_decompression_session_release(_ session: OpaquePointer?) {
    unsafe Handle.object(session, DecompressionSession.self)?.releasedByClient()
    unsafe Handle.release(session, DecompressionSession.self)
}

@c @implementation
public func nalu_decompression_session_decode_frame(
    _ session: OpaquePointer?, _ sample: OpaquePointer?, _ flags: UInt32, _ frame_refcon: UnsafeMutableRawPointer?,
    _ info_flags_out: UnsafeMutablePointer<nalu_decode_info_flags>?
) -> nalu_status {
    unsafe info_flags_out?.pointee = 0
    return attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", DecompressionSession.self)
        let info = try unsafe session.decode(
            Handle.required(sample, "sample", Sample.self), flags: DecompressionSession.DecodeFlags(rawValue: flags),
            refcon: frame_refcon)
        unsafe info_flags_out?.pointee = info.rawValue
    }
}

@c @implementation
public func nalu_decompression_session_finish_delayed_frames(_ session: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(session, "session", DecompressionSession.self).finishDelayedFrames()
    }
}

@c @implementation
public func nalu_decompression_session_wait_for_asynchronous_frames(_ session: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(session, "session", DecompressionSession.self).waitForAsynchronousFrames()
    }
}

@c @implementation
public func nalu_decompression_session_can_accept_format_description(
    _ session: OpaquePointer?, _ format: OpaquePointer?
) -> Int32 {
    guard let session = unsafe Handle.object(session, DecompressionSession.self),
        let format = unsafe Handle.object(format, FormatDescription.self)
    else { return 0 }
    return session.canAccept(format) ? 1 : 0
}

@c @implementation
public func nalu_decompression_session_invalidate(_ session: OpaquePointer?) -> nalu_status {
    guard unsafe session != nil else { return nalu_status(NALU_STATUS_OK) }
    return attempt { () throws(NaluError) in
        try unsafe Handle.required(session, "session", DecompressionSession.self).invalidate()
    }
}

@c @implementation
public func nalu_decompression_session_copy_last_error(
    _ session: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", DecompressionSession.self)
        try unsafe copy(session.lastError, buffer, capacity, size_out)
    }
}
