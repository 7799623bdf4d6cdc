// media/display_queue.h: samples in, decoded pictures out at their presentation times.

public import CNalu
internal import Nalu
internal import NaluMedia

extension DisplayQueue: HandleObject { static var handleNoun: StaticString { "a nalu_display_queue" } }

/// A client's callbacks with their refcon.
///
/// `@unchecked Sendable`: the client promises that they may be used from the queue's threads.
@safe
private struct ClientCallbacks: @unchecked Sendable {
    let show: nalu_display_callback
    let event: nalu_display_event_callback?
    let destroy: nalu_refcon_destructor?
    let refcon: UnsafeMutableRawPointer?

    func show(_ picture: DisplayQueue.Picture) {
        withExtendedLifetime(picture.image) { image in
            unsafe show(
                refcon, Handle.lent(image), picture.flags.rawValue, picture.presentationTime.cTime,
                picture.duration.cTime)
        }
    }

    func send(_ event: DisplayQueue.Event) {
        switch event {
        case .prerolled: unsafe self.event?(refcon, Int32(NALU_DISPLAY_EVENT_PREROLLED), Status.ok.rawValue)
        case .ended: unsafe self.event?(refcon, Int32(NALU_DISPLAY_EVENT_ENDED), Status.ok.rawValue)
        case .failed(let status): unsafe self.event?(refcon, Int32(NALU_DISPLAY_EVENT_FAILED), status.rawValue)
        }
    }

    func finish() { unsafe destroy?(refcon) }
}

extension DisplayQueue.Options {
    fileprivate static func read(
        _ options: UnsafePointer<nalu_display_queue_options>?
    ) throws(NaluError) -> DisplayQueue.Options {
        let given = try unsafe GrowableStruct.read(options, over: nalu_display_queue_options(), "options")
        let flags = try Flags(
            given.flags, "options.flags", among: NALU_DISPLAY_QUEUE_LOW_DELAY, "NALU_DISPLAY_QUEUE_LOW_DELAY")
        guard given.reserved == 0 else {
            throw NaluError(.parameter, "options.reserved is \(given.reserved); expected 0")
        }
        var result = DisplayQueue.Options()
        if given.sample_capacity != 0 { result.sampleCapacity = Int(given.sample_capacity) }
        if given.picture_capacity != 0 { result.pictureCapacity = Int(given.picture_capacity) }
        if given.preroll_count != 0 { result.prerollCount = Int(given.preroll_count) }
        result.decoder = DecompressionSession.Options(spelling: .c)
        result.decoder.isLowDelay = flags[NALU_DISPLAY_QUEUE_LOW_DELAY]
        result.decoder.threadCount = Int(given.thread_count)
        result.decoder.maximumPixelCount = Int(given.maximum_pixel_count)
        result.decoder.pixelFormat = given.pixel_format == 0 ? nil : PixelFormat(rawValue: given.pixel_format)
        return result
    }
}

private func required(_ queue: OpaquePointer?) throws(NaluError) -> DisplayQueue {
    try unsafe Handle.required(queue, "queue", DisplayQueue.self)
}

private func object(_ queue: OpaquePointer?) -> DisplayQueue? {
    unsafe Handle.object(queue, DisplayQueue.self)
}

@c @implementation
public func nalu_display_queue_create(
    _ options: UnsafePointer<nalu_display_queue_options>?, _ show: nalu_display_callback?,
    _ event: nalu_display_event_callback?, _ refcon: UnsafeMutableRawPointer?,
    _ destroy_refcon: nalu_refcon_destructor?, _ queue_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("queue_out", queue_out) { () throws(NaluError) in
        let client = try unsafe ClientCallbacks(
            show: required(show, "show"), event: event, destroy: destroy_refcon, refcon: refcon)
        return try unsafe DisplayQueue(
            options: .read(options), onEvent: { client.send($0) }, onFinish: { client.finish() },
            show: { client.show($0) })
    }
}

@c @implementation
public func nalu_display_queue_retain(_ queue: OpaquePointer?) -> OpaquePointer? {
    unsafe object(queue)?.retainedByClient()
    unsafe Handle.retain(queue, DisplayQueue.self)
    return unsafe queue
}

@c @implementation
public func nalu_display_queue_release(_ queue: OpaquePointer?) {
    unsafe object(queue)?.releasedByClient()
    unsafe Handle.release(queue, DisplayQueue.self)
}

@c @implementation
public func nalu_display_queue_invalidate(_ queue: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in try unsafe required(queue).invalidate() }
}

@c @implementation
public func nalu_display_queue_set_control_timebase(
    _ queue: OpaquePointer?, _ timebase: OpaquePointer?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let queue = try unsafe required(queue)
        let timebase =
            try unsafe timebase == nil
            ? Timebase.hostClock : unsafe Handle.required(timebase, "timebase", Timebase.self)
        try queue.setControlTimebase(timebase)
    }
}

@c @implementation
public func nalu_display_queue_copy_control_timebase(_ queue: OpaquePointer?) -> OpaquePointer? {
    unsafe object(queue).map { unsafe Handle.owned($0.controlTimebase) }
}

@c @implementation
public func nalu_display_queue_enqueue_sample(
    _ queue: OpaquePointer?, _ sample: OpaquePointer?, _ flags: UInt32
) -> nalu_status {
    attempt { () throws(NaluError) in
        let queue = try unsafe required(queue)
        let sample = try unsafe Handle.required(sample, "sample", Sample.self)
        let flags = try Flags(flags, "flags", among: NALU_DISPLAY_IMMEDIATELY, "NALU_DISPLAY_IMMEDIATELY")
        try queue.enqueue(sample, immediately: flags[NALU_DISPLAY_IMMEDIATELY])
    }
}

@c @implementation
public func nalu_display_queue_is_ready_for_more_media_data(_ queue: OpaquePointer?) -> Int32 {
    unsafe object(queue)?.isReadyForMoreMediaData == true ? 1 : 0
}

@c @implementation
public func nalu_display_queue_wait_until_ready(_ queue: OpaquePointer?, _ seconds: Double) -> nalu_status {
    attempt { () throws(NaluError) in try unsafe required(queue).waitUntilReady(seconds: seconds) }
}

@c @implementation
public func nalu_display_queue_request_media_data_when_ready(
    _ queue: OpaquePointer?, _ callback: nalu_display_request_callback?, _ refcon: UnsafeMutableRawPointer?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let queue = try unsafe required(queue)
        try unsafe queue.requestMediaDataWhenReady(bound(callback, refcon))
    }
}

@c @implementation
public func nalu_display_queue_finish(_ queue: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in try unsafe required(queue).finish() }
}

@c @implementation
public func nalu_display_queue_flush(_ queue: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in try unsafe required(queue).flush() }
}

@c @implementation
public func nalu_display_queue_flush_and_remove_image(_ queue: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in try unsafe required(queue).flush(removesImage: true) }
}

@c @implementation
public func nalu_display_queue_step(_ queue: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in try unsafe required(queue).step() }
}

@c @implementation
public func nalu_display_queue_get_statistics(
    _ queue: OpaquePointer?, _ statistics: UnsafeMutablePointer<nalu_display_queue_statistics>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let known = try unsafe required(queue).statistics
        try unsafe GrowableStruct.write(
            nalu_display_queue_statistics(
                struct_size: 0, is_prerolled: known.isPrerolled ? 1 : 0, accepted_samples: known.acceptedSamples,
                shown_pictures: known.shownPictures, late_pictures: known.latePictures,
                failed_samples: known.failedSamples, flushed_samples: known.flushedSamples,
                waiting_samples: UInt64(known.waitingSamples), waiting_pictures: UInt64(known.waitingPictures),
                receive: nalu_delay(known.receive), decode: nalu_delay(known.decode), show: nalu_delay(known.show),
                lateness: nalu_delay(known.lateness)),
            to: statistics, "statistics")
    }
}

@c @implementation
public func nalu_display_queue_copy_last_error(
    _ queue: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe copy(required(queue).lastError, buffer, capacity, size_out)
    }
}
