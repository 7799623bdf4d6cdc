// media/publisher.h: the publisher's lifetime, samples in, advice, and the client's callback.

public import CNalu
internal import Nalu
internal import NaluBase
internal import NaluMedia

extension Publisher: HandleObject { static var handleNoun: StaticString { "a nalu_publisher" } }

/// A client's callback and destructor with their refcon.
///
/// `@unchecked Sendable`: the client promises that all may be used from the publisher's thread.
@safe
private struct ClientCallback: @unchecked Sendable {
    let function: nalu_publisher_callback?
    let destroy: nalu_refcon_destructor?
    let refcon: UnsafeMutableRawPointer?

    func receive(_ event: PublisherEvent, _ statistics: PublisherStatistics) {
        var statistics = nalu_publisher_statistics(statistics)
        unsafe function?(refcon, event.rawValue, &statistics)
    }

    func finish() {
        unsafe destroy?(refcon)
    }
}

extension nalu_publisher_statistics {
    fileprivate init(_ statistics: PublisherStatistics) {
        self.init(
            struct_size: UInt32(MemoryLayout<nalu_publisher_statistics>.size), state: statistics.state.rawValue,
            queue_delay: statistics.queueDelay, longest_queue_delay: statistics.longestQueueDelay,
            queued_bytes: UInt64(clamping: statistics.queuedBytes), throughput: statistics.throughput,
            round_trip: statistics.roundTrip, bit_rate: Int64(statistics.bitRate),
            sent_samples: UInt64(clamping: statistics.sentSamples), sent_bytes: UInt64(clamping: statistics.sentBytes),
            dropped_samples: UInt64(clamping: statistics.droppedSamples),
            skipped_frames: UInt64(clamping: statistics.skippedFrames),
            reconnects: UInt64(clamping: statistics.reconnects))
    }
}

extension nalu_publisher_options {
    fileprivate static func read(
        _ pointer: UnsafePointer<nalu_publisher_options>?
    ) throws(NaluError) -> PublisherOptions {
        let given = try unsafe GrowableStruct.read(pointer, over: nalu_publisher_options(), "options")
        let flags = try Flags(
            given.flags, "options.flags",
            among: NALU_PUBLISHER_NEVER_SKIP_FRAMES | NALU_PUBLISHER_ALLOW_LTR_REFRESH
                | NALU_PUBLISHER_ALLOW_ANY_CERTIFICATE, "NALU_PUBLISHER_")
        var options = PublisherOptions(spelling: .c)
        options.neverSkipsFrames = flags[NALU_PUBLISHER_NEVER_SKIP_FRAMES]
        options.allowsLTRRefresh = flags[NALU_PUBLISHER_ALLOW_LTR_REFRESH]
        options.allowsAnyCertificate = flags[NALU_PUBLISHER_ALLOW_ANY_CERTIFICATE]
        if given.maximum_delay != 0 { options.maximumDelay = given.maximum_delay }
        if given.connect_timeout != 0 { options.connectTimeout = given.connect_timeout }
        if given.stall_timeout != 0 { options.stallTimeout = given.stall_timeout }
        if given.reconnect_delay != 0 { options.reconnectDelay = given.reconnect_delay }
        options.maximumReconnectDelay =
            given.maximum_reconnect_delay != 0
            ? given.maximum_reconnect_delay : max(options.maximumReconnectDelay, options.reconnectDelay)
        options.attemptLimit = Int(given.attempt_limit)
        options.minimumBitRate = Int(given.minimum_bit_rate)
        options.maximumBitRate = Int(given.maximum_bit_rate)
        return options
    }
}

@c @implementation
public func nalu_publisher_create(
    _ url: UnsafePointer<CChar>?, _ options: UnsafePointer<nalu_publisher_options>?,
    _ callback: nalu_publisher_callback?, _ refcon: UnsafeMutableRawPointer?, _ destroy_refcon: nalu_refcon_destructor?,
    _ publisher_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("publisher_out", publisher_out) { () throws(NaluError) in
        let url = try unsafe cText(url, "url")
        let options = try unsafe nalu_publisher_options.read(options)
        let client = unsafe ClientCallback(function: callback, destroy: destroy_refcon, refcon: refcon)
        var handler: (@Sendable (PublisherEvent, PublisherStatistics) -> Void)?
        if unsafe callback != nil { handler = { event, statistics in client.receive(event, statistics) } }
        return try Publisher(url: url, options: options, onFinish: { client.finish() }, handler: handler)
    }
}

@c @implementation
public func nalu_publisher_retain(_ publisher: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.object(publisher, Publisher.self)?.retainedByClient()
    unsafe Handle.retain(publisher, Publisher.self)
    return unsafe publisher
}

@c @implementation
public func nalu_publisher_release(_ publisher: OpaquePointer?) {
    unsafe Handle.object(publisher, Publisher.self)?.releasedByClient()
    unsafe Handle.release(publisher, Publisher.self)
}

@c @implementation
public func nalu_publisher_wait_until_connected(_ publisher: OpaquePointer?, _ timeout: Double) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(publisher, "publisher", Publisher.self).waitUntilConnected(timeout: timeout)
    }
}

@c @implementation
public func nalu_publisher_add_track(
    _ publisher: OpaquePointer?, _ format: OpaquePointer?, _ track_out: UnsafeMutablePointer<UInt32>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let publisher = try unsafe Handle.required(publisher, "publisher", Publisher.self)
        let track = try unsafe publisher.addTrack(Handle.required(format, "format", FormatDescription.self))
        unsafe track_out?.pointee = UInt32(track)
    }
}

@c @implementation
public func nalu_publisher_add_track_from_reader(
    _ publisher: OpaquePointer?, _ reader: OpaquePointer?, _ reader_track: UInt32,
    _ track_out: UnsafeMutablePointer<UInt32>?
) -> nalu_status {
    unsafe Publisher.addReaderTrack(to: publisher, reader, reader_track, track_out)
}

@c @implementation
public func nalu_publisher_write_sample(
    _ publisher: OpaquePointer?, _ track: UInt32, _ sample: OpaquePointer?
) -> nalu_status {
    unsafe Publisher.writeSample(to: publisher, track, sample)
}

@c @implementation
public func nalu_publisher_prepare_frame(
    _ publisher: OpaquePointer?, _ session: OpaquePointer?, _ advice_out: UnsafeMutablePointer<nalu_publisher_advice>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let publisher = try unsafe Handle.required(publisher, "publisher", Publisher.self)
        _ = try unsafe GrowableStruct.check(advice_out, "advice_out")
        let isGiven = unsafe session != nil
        let session = isGiven ? try unsafe Handle.required(session, "session", CompressionSession.self) : nil
        let advice = try publisher.prepareFrame(of: session)
        var flags: UInt32 = 0
        if advice.forceKeyFrame { flags |= UInt32(NALU_FRAME_FORCE_KEY_FRAME) }
        if advice.forceLTRRefresh { flags |= UInt32(NALU_FRAME_FORCE_LTR_REFRESH) }
        try unsafe GrowableStruct.write(
            nalu_publisher_advice(
                struct_size: 0, skips_frame: advice.skipsFrame ? 1 : 0, frame_flags: flags, reserved: 0,
                acknowledged_ltr_token: advice.acknowledgedLTRToken ?? -1),
            to: advice_out, "advice_out")
    }
}

@c @implementation
public func nalu_publisher_get_statistics(
    _ publisher: OpaquePointer?, _ statistics_out: UnsafeMutablePointer<nalu_publisher_statistics>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let publisher = try unsafe Handle.required(publisher, "publisher", Publisher.self)
        try unsafe GrowableStruct.write(
            nalu_publisher_statistics(publisher.statistics), to: statistics_out, "statistics_out")
    }
}

@c @implementation
public func nalu_publisher_copy_last_error(
    _ publisher: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let publisher = try unsafe Handle.required(publisher, "publisher", Publisher.self)
        try unsafe copy(publisher.failure?.message ?? "", buffer, capacity, size_out)
    }
}

@c @implementation
public func nalu_publisher_finish(_ publisher: OpaquePointer?, _ timeout: Double) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(publisher, "publisher", Publisher.self).finish(timeout: timeout)
    }
}

@c @implementation
public func nalu_publisher_invalidate(_ publisher: OpaquePointer?) -> nalu_status {
    guard unsafe publisher != nil else { return nalu_status(NALU_STATUS_OK) }
    return attempt { () throws(NaluError) in
        try unsafe Handle.required(publisher, "publisher", Publisher.self).invalidate()
    }
}
