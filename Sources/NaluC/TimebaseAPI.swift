// timebase.h: timebases, their observers, and timers.

public import CNalu
internal import Nalu

extension Timebase: HandleObject { static var handleNoun: StaticString { "a nalu_timebase" } }
extension TimebaseTimer: HandleObject { static var handleNoun: StaticString { "a nalu_timebase_timer" } }

private func timebase(_ handle: OpaquePointer?) -> Timebase? {
    unsafe Handle.object(handle, Timebase.self)
}

/// Returns the timebase of a handle; the host clock for NULL.
private func source(_ handle: OpaquePointer?) throws(NaluError) -> Timebase {
    try unsafe handle == nil ? .hostClock : unsafe Handle.required(handle, "source", Timebase.self)
}

@c @implementation
public func nalu_timebase_get_host_clock() -> OpaquePointer? {
    unsafe Handle.lent(Timebase.hostClock)
}

@c @implementation
public func nalu_timebase_create_manual_clock(
    _ time: nalu_time, _ clock_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("clock_out", clock_out) { () throws(NaluError) in try Timebase.manualClock(at: MediaTime(time)) }
}

@c @implementation
public func nalu_timebase_create(
    _ source_timebase: OpaquePointer?, _ timebase_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("timebase_out", timebase_out) { () throws(NaluError) in
        try unsafe Timebase(source: source(source_timebase))
    }
}

@c @implementation
public func nalu_timebase_retain(_ timebase: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(timebase, Timebase.self)
    return unsafe timebase
}

@c @implementation
public func nalu_timebase_release(_ timebase: OpaquePointer?) {
    unsafe Handle.release(timebase, Timebase.self)
}

@c @implementation
public func nalu_timebase_copy_source(_ handle: OpaquePointer?) -> OpaquePointer? {
    unsafe timebase(handle)?.source.map { unsafe Handle.owned($0) }
}

@c @implementation
public func nalu_timebase_set_source(_ timebase: OpaquePointer?, _ source_timebase: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        let timebase = try unsafe Handle.required(timebase, "timebase", Timebase.self)
        try unsafe timebase.setSource(source(source_timebase))
    }
}

@c @implementation
public func nalu_timebase_get_time(_ handle: OpaquePointer?) -> nalu_time {
    unsafe (timebase(handle)?.time ?? .invalid).cTime
}

@c @implementation
public func nalu_timebase_get_rate(_ handle: OpaquePointer?) -> Double {
    unsafe timebase(handle)?.timeAndRate.rate ?? 0
}

@c @implementation
public func nalu_timebase_get_time_and_rate(
    _ timebase: OpaquePointer?, _ time_out: UnsafeMutablePointer<nalu_time>?, _ rate_out: UnsafeMutablePointer<Double>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let (time, rate) = try unsafe Handle.required(timebase, "timebase", Timebase.self).timeAndRate
        unsafe time_out?.pointee = time.cTime
        unsafe rate_out?.pointee = rate
    }
}

@c @implementation
public func nalu_timebase_get_effective_rate(_ handle: OpaquePointer?) -> Double {
    unsafe timebase(handle)?.effectiveRate ?? 0
}

@c @implementation
public func nalu_timebase_set_time(_ timebase: OpaquePointer?, _ time: nalu_time) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(timebase, "timebase", Timebase.self).setTime(MediaTime(time))
    }
}

@c @implementation
public func nalu_timebase_set_rate(_ timebase: OpaquePointer?, _ rate: Double) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(timebase, "timebase", Timebase.self).setRate(rate)
    }
}

@c @implementation
public func nalu_timebase_set_anchor_time(
    _ timebase: OpaquePointer?, _ time: nalu_time, _ source_time: nalu_time
) -> nalu_status {
    attempt { () throws(NaluError) in
        let timebase = try unsafe Handle.required(timebase, "timebase", Timebase.self)
        try timebase.setAnchor(time: MediaTime(time), sourceTime: MediaTime(source_time))
    }
}

@c @implementation
public func nalu_timebase_set_rate_and_anchor_time(
    _ timebase: OpaquePointer?, _ rate: Double, _ time: nalu_time, _ source_time: nalu_time
) -> nalu_status {
    attempt { () throws(NaluError) in
        let timebase = try unsafe Handle.required(timebase, "timebase", Timebase.self)
        try timebase.setAnchor(rate: rate, time: MediaTime(time), sourceTime: MediaTime(source_time))
    }
}

@c @implementation
public func nalu_timebase_convert_time(
    _ time: nalu_time, _ from: OpaquePointer?, _ to: OpaquePointer?
) -> nalu_time {
    guard let from = unsafe timebase(from), let to = unsafe timebase(to) else { return MediaTime.invalid.cTime }
    return from.convert(MediaTime(time), to: to).cTime
}

@c @implementation
public func nalu_timebase_get_relation(
    _ timebase: OpaquePointer?, _ reference: OpaquePointer?, _ rate_out: UnsafeMutablePointer<Double>?,
    _ time_out: UnsafeMutablePointer<nalu_time>?, _ reference_time_out: UnsafeMutablePointer<nalu_time>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let timebase = try unsafe Handle.required(timebase, "timebase", Timebase.self)
        let reference = try unsafe Handle.required(reference, "reference", Timebase.self)
        let relation = try timebase.relation(to: reference)
        unsafe rate_out?.pointee = relation.rate
        unsafe time_out?.pointee = relation.time.cTime
        unsafe reference_time_out?.pointee = relation.referenceTime.cTime
    }
}

@c @implementation
public func nalu_timebase_shares_clock(_ handle: OpaquePointer?, _ other: OpaquePointer?) -> Int32 {
    guard let first = unsafe timebase(handle), let second = unsafe timebase(other) else { return 0 }
    return first.sharesClock(with: second) ? 1 : 0
}

@c @implementation
public func nalu_timebase_add_observer(
    _ timebase: OpaquePointer?, _ callback: nalu_timebase_callback?, _ refcon: UnsafeMutableRawPointer?,
    _ observer_out: UnsafeMutablePointer<UInt64>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let timebase = try unsafe Handle.required(timebase, "timebase", Timebase.self)
        let call = try required(unsafe bound(callback, refcon), "callback")
        let out = try unsafe required(observer_out, "observer_out")
        unsafe out.pointee = timebase.addObserver(call)
    }
}

@c @implementation
public func nalu_timebase_remove_observer(_ handle: OpaquePointer?, _ observer: UInt64) {
    unsafe timebase(handle)?.removeObserver(observer)
}

@c @implementation
public func nalu_timebase_timer_create(
    _ timebase: OpaquePointer?, _ callback: nalu_timebase_callback?, _ refcon: UnsafeMutableRawPointer?,
    _ destroy_refcon: nalu_refcon_destructor?, _ timer_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("timer_out", timer_out) { () throws(NaluError) in
        let timebase = try unsafe Handle.required(timebase, "timebase", Timebase.self)
        let call = try required(unsafe bound(callback, refcon), "callback")
        return unsafe TimebaseTimer(timebase: timebase, onFire: call, onFinish: bound(destroy_refcon, refcon))
    }
}

@c @implementation
public func nalu_timebase_timer_retain(_ timer: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(timer, TimebaseTimer.self)
    return unsafe timer
}

@c @implementation
public func nalu_timebase_timer_release(_ timer: OpaquePointer?) {
    unsafe Handle.release(timer, TimebaseTimer.self)
}

@c @implementation
public func nalu_timebase_timer_set_fire_time(_ timer: OpaquePointer?, _ time: nalu_time) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(timer, "timer", TimebaseTimer.self).setFireTime(MediaTime(time))
    }
}

@c @implementation
public func nalu_timebase_timer_invalidate(_ timer: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(timer, "timer", TimebaseTimer.self).invalidate()
    }
}
