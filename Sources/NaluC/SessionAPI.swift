// session.h: the session's lifetime, frames in, and the client's callback.

public import CNalu
internal import Nalu

extension CompressionSession: HandleObject { static var handleNoun: StaticString { "a nalu_compression_session" } }

/// A client's output callback with its refcon.
///
/// `@unchecked Sendable`: the client promises that both may be used from the session's thread.
@safe
private struct ClientCallback: @unchecked Sendable {
    let function: nalu_compression_output_callback
    let refcon: UnsafeMutableRawPointer?

    func receive(_ frame: EncodedFrame) {
        withExtendedLifetime(frame.sample) { sample in
            unsafe function(refcon, frame.frameRefcon, frame.status.rawValue, frame.flags.rawValue, Handle.lent(sample))
        }
    }
}

private func closesQueue(_ destructor: nalu_refcon_destructor?) -> Bool {
    let close: nalu_refcon_destructor = unsafe nalu_output_queue_close
    return unsafe unsafeBitCast(destructor, to: UInt.self) == unsafeBitCast(close, to: UInt.self)
}

private func givesToQueue(_ callback: nalu_compression_output_callback?) -> Bool {
    let receive: nalu_compression_output_callback = unsafe nalu_output_queue_receive
    return unsafe unsafeBitCast(callback, to: UInt.self) == unsafeBitCast(receive, to: UInt.self)
}

private func queue(_ refcon: UnsafeMutableRawPointer?) -> OutputQueue? {
    unsafe Handle.object(OpaquePointer(refcon), OutputQueue.self)
}

extension nalu_frame_options {
    static var initial: nalu_frame_options {
        unsafe nalu_frame_options(
            struct_size: 0, flags: 0, callback: nil, callback_refcon: nil, acknowledged_ltr_tokens: nil,
            acknowledged_ltr_token_count: 0, base_frame_qp_plus_1: 0, qp_offsets: nil, qp_offset_columns: 0,
            qp_offset_rows: 0)
    }

    fileprivate func swiftOptions(for session: CompressionSession) throws(NaluError) -> FrameOptions {
        let flags = try Flags(
            unsafe flags, "options.flags",
            among: NALU_FRAME_FORCE_KEY_FRAME | NALU_FRAME_DO_NOT_WAIT | NALU_FRAME_FORCE_LTR_REFRESH
                | NALU_FRAME_BEGIN_INTRA_REFRESH, "NALU_FRAME_")
        var options = FrameOptions(
            forceKeyFrame: flags[NALU_FRAME_FORCE_KEY_FRAME], doNotWait: flags[NALU_FRAME_DO_NOT_WAIT])
        let qp = unsafe Int(base_frame_qp_plus_1)
        guard (0...52).contains(qp) else {
            throw NaluError(
                .outOfRange,
                "options.base_frame_qp_plus_1 is \(qp); expected 1 to 52 for a QP of 0 to 51, or 0 for rate control"
            )
        }
        options.baseFrameQP = qp > 0 ? qp - 1 : nil
        options.qpOffsets = try unsafe swiftOffsets()
        options.forceLTRRefresh = flags[NALU_FRAME_FORCE_LTR_REFRESH]
        options.beginIntraRefresh = flags[NALU_FRAME_BEGIN_INTRA_REFRESH]
        options.acknowledgedLTRTokens = try unsafe swiftTokens()
        if let function = unsafe callback {
            let client = unsafe ClientCallback(function: function, refcon: callback_refcon)
            options.outputHandler = { client.receive($0) }
            if unsafe givesToQueue(function), let queue = unsafe queue(callback_refcon) {
                let supply = OutputQueue.Supply(to: queue)
                supply.begin(from: session)
                options.outputHandler = { frame in withExtendedLifetime(supply) { client.receive(frame) } }
            }
        }
        return options
    }

    private func swiftTokens() throws(NaluError) -> [Int64] {
        let count = unsafe Int(acknowledged_ltr_token_count)
        if count == 0 { return [] }
        guard let start = unsafe acknowledged_ltr_tokens else {
            throw NaluError(
                .parameter, "options.acknowledged_ltr_tokens is NULL; expected an address of \(count) tokens")
        }
        guard count <= FrameOptions.mostTokens else {
            throw NaluError(
                .outOfRange,
                "options.acknowledged_ltr_token_count is \(count); expected at most \(FrameOptions.mostTokens)")
        }
        return unsafe [Int64](UnsafeBufferPointer(start: start, count: count))
    }

    private func swiftOffsets() throws(NaluError) -> QPOffsets? {
        let columns = unsafe Int(qp_offset_columns)
        let rows = unsafe Int(qp_offset_rows)
        guard let start = unsafe qp_offsets else {
            guard columns == 0 && rows == 0 else {
                throw NaluError(
                    .parameter,
                    "options.qp_offsets is NULL, and there are \(columns) columns and \(rows) rows; expected 0 of both")
            }
            return nil
        }
        // This limits the number of values to read. The session then checks them against its own size, which is
        // smaller.
        let most = Int(NALU_MAX_DIMENSION)
        guard (1...most).contains(columns), (1...most).contains(rows), columns * rows <= QPOffsets.mostValues else {
            throw NaluError(
                .outOfRange,
                "options.qp_offset_columns is \(columns) and qp_offset_rows is \(rows); expected 1 to the width and 1 to the "
                    + "height of the session")
        }
        return unsafe QPOffsets(
            columns: columns, rows: rows, values: [Float](UnsafeBufferPointer(start: start, count: columns * rows)))
    }
}

@c @implementation
public func nalu_compression_session_create(
    _ width: Int32, _ height: Int32, _ codec: nalu_four_char_code,
    _ specification: UnsafePointer<nalu_encoder_specification>?,
    _ source_attributes: UnsafePointer<nalu_source_attributes>?, _ callback: nalu_compression_output_callback?,
    _ refcon: UnsafeMutableRawPointer?, _ destroy_refcon: nalu_refcon_destructor?,
    _ session_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("session_out", session_out) { () throws(NaluError) in
        let specification = try unsafe GrowableStruct.read(
            specification,
            over: nalu_encoder_specification(
                struct_size: 0, require_hardware_accelerated_video_encoder: 0, encoder_id: nil), "specification")
        let source = try unsafe GrowableStruct.read(
            source_attributes, over: nalu_source_attributes(struct_size: 0, pixel_format: 0), "source_attributes")
        let sourceFormat = source.pixel_format == 0 ? nil : PixelFormat(rawValue: source.pixel_format)
        if let sourceFormat, !sourceFormat.isSupported {
            throw NaluError(
                .invalidPixelFormat, "source_attributes.pixel_format is \(sourceFormat); expected a NALU_PIXEL_FORMAT_")
        }
        let givesTo = unsafe givesToQueue(callback) ? queue(refcon) : nil
        // Several sessions may deliver to one queue, which the last session closes.
        let closes = unsafe closesQueue(destroy_refcon) ? queue(refcon) : nil
        let supply = (givesTo ?? closes).map { OutputQueue.Supply(to: $0) }
        var handler: OutputHandler?
        if let callback = unsafe callback {
            let client = unsafe ClientCallback(function: callback, refcon: refcon)
            handler = { frame in withExtendedLifetime(supply) { client.receive(frame) } }
        }
        var onFinish = unsafe bound(destroy_refcon, refcon)
        if let closes { onFinish = { closes.detach() } }
        let session = try unsafe CompressionSession(
            width: Int(width), height: Int(height), codec: codec,
            encoderID: specification.encoder_id.map { unsafe String(cString: $0) },
            requireHardwareEncoder: specification.require_hardware_accelerated_video_encoder != 0,
            sourceFormat: sourceFormat, onFinish: onFinish, outputHandler: handler)
        closes?.attach()
        supply?.begin(from: session)
        return session
    }
}

@c @implementation
public func nalu_compression_session_retain(_ session: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.object(session, CompressionSession.self)?.retainedByClient()
    unsafe Handle.retain(session, CompressionSession.self)
    return unsafe session
}

@c @implementation
public func nalu_compression_session_release(_ session: OpaquePointer?) {
    unsafe Handle.object(session, CompressionSession.self)?.releasedByClient()
    unsafe Handle.release(session, CompressionSession.self)
}

@c @implementation
public func nalu_compression_session_prepare(_ session: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(session, "session", CompressionSession.self).prepare()
    }
}

@c @implementation
public func nalu_compression_session_get_pixel_buffer_pool(_ session: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.lent(Handle.object(session, CompressionSession.self)?.pixelBufferPool)
}

/// Reads what all functions that encode a frame have in common, and encodes the frame by `encode`.
private func encode(
    _ session: OpaquePointer?, _ options: UnsafePointer<nalu_frame_options>?,
    _ flagsOut: UnsafeMutablePointer<nalu_encode_info_flags>?,
    _ encode: (CompressionSession, FrameOptions) throws(NaluError) -> Void
) -> nalu_status {
    unsafe flagsOut?.pointee = 0
    return attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        let options = try unsafe GrowableStruct.read(options, over: .initial, "options").swiftOptions(for: session)
        try encode(session, options)
        unsafe flagsOut?.pointee = UInt32(NALU_ENCODE_INFO_ASYNCHRONOUS)
    }
}

@c @implementation
public func nalu_compression_session_encode_frame(
    _ session: OpaquePointer?, _ buffer: OpaquePointer?, _ presentation_time: nalu_time, _ duration: nalu_time,
    _ options: UnsafePointer<nalu_frame_options>?, _ frame_refcon: UnsafeMutableRawPointer?,
    _ info_flags_out: UnsafeMutablePointer<nalu_encode_info_flags>?
) -> nalu_status {
    unsafe encode(session, options, info_flags_out) { session, options throws(NaluError) in
        let buffer = try unsafe Handle.required(buffer, "buffer", PixelBuffer.self)
        try unsafe session.encode(
            buffer, presentationTime: MediaTime(presentation_time), duration: MediaTime(duration), options: options,
            refcon: frame_refcon)
    }
}

@c @implementation
public func nalu_compression_session_encode_planes(
    _ session: OpaquePointer?, _ width: Int32, _ height: Int32, _ format: nalu_pixel_format, _ plane_count: UInt32,
    _ planes: UnsafePointer<UnsafeRawPointer?>?, _ strides: UnsafePointer<Int64>?,
    _ plane_sizes: UnsafePointer<UInt64>?, _ presentation_time: nalu_time, _ duration: nalu_time,
    _ options: UnsafePointer<nalu_frame_options>?, _ frame_refcon: UnsafeMutableRawPointer?,
    _ info_flags_out: UnsafeMutablePointer<nalu_encode_info_flags>?
) -> nalu_status {
    unsafe encode(session, options, info_flags_out) { session, options throws(NaluError) in
        let view = try unsafe PixelView.validated(
            format: PixelFormat(rawValue: format), width: Int(width), height: Int(height), planeCount: Int(plane_count),
            planes: planes, strides: strides, planeSizes: plane_sizes)
        try unsafe session.encode(
            copying: view, presentationTime: MediaTime(presentation_time), duration: MediaTime(duration),
            options: options, refcon: frame_refcon)
    }
}

@c @implementation
public func nalu_compression_session_complete_frames(_ session: OpaquePointer?, _ until: nalu_time) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(session, "session", CompressionSession.self).complete(until: MediaTime(until))
    }
}

@c @implementation
public func nalu_compression_session_invalidate(_ session: OpaquePointer?) -> nalu_status {
    guard unsafe session != nil else { return Status.ok.rawValue }
    return attempt { () throws(NaluError) in
        try unsafe Handle.required(session, "session", CompressionSession.self).invalidate()
    }
}

@c @implementation
public func nalu_compression_session_copy_last_error(
    _ session: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        try unsafe copy(session.lastError, buffer, capacity, size_out)
    }
}

extension SessionStatistics {
    fileprivate var cStatistics: nalu_session_statistics {
        nalu_session_statistics(
            struct_size: 0, reserved: 0, accepted_frames: acceptedFrames, encoded_frames: encodedFrames,
            dropped_frames: droppedFrames, failed_frames: failedFrames, pending_frames: pendingFrames,
            key_frames: keyFrames, bytes: bytes, mean_qp: meanQP, last_qp: lastQP, current_bit_rate: currentBitRate,
            mean_bit_rate: meanBitRate, encode_time_p50: encodeTimeP50, encode_time_p99: encodeTimeP99,
            longest_encode_time: longestEncodeTime, mean_psnr: meanPSNR, mean_ssim: meanSSIM)
    }
}

@c @implementation
public func nalu_compression_session_get_statistics(
    _ session: OpaquePointer?, _ statistics: UnsafeMutablePointer<nalu_session_statistics>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        try unsafe GrowableStruct.write(
            session.statistics.cStatistics, to: statistics,
            "statistics")
    }
}

@c @implementation
public func nalu_encoder_get_count() -> UInt32 {
    UInt32(EncoderRegistry.all.count)
}

@c @implementation
public func nalu_encoder_get_id(_ index: UInt32) -> UnsafePointer<CChar>? {
    unsafe EncoderRegistry.all.indices.contains(Int(index))
        ? Immortal.staticString(EncoderRegistry.all[Int(index)].id) : nil
}

@c @implementation
public func nalu_encoder_get_name(_ index: UInt32) -> UnsafePointer<CChar>? {
    unsafe EncoderRegistry.all.indices.contains(Int(index)) ? Immortal.encoderNames[Int(index)] : nil
}

@c @implementation
public func nalu_encoder_get_codec(_ index: UInt32) -> nalu_four_char_code {
    EncoderRegistry.all.indices.contains(Int(index)) ? EncoderRegistry.all[Int(index)].codec : 0
}
