// media/capture.h: sessions, their options and callbacks. CaptureDeviceAPI.swift has the devices.

public import CNalu
internal import Nalu
internal import NaluMedia

extension CaptureSession: HandleObject { static var handleNoun: StaticString { "a nalu_capture_session" } }

/// A client's callbacks with their refcon.
///
/// `@unchecked Sendable`: the client promises that they may be used from the session's threads.
@safe
private struct ClientCallbacks: @unchecked Sendable {
    let video: nalu_capture_video_callback?
    let audio: nalu_capture_audio_callback?
    let end: nalu_capture_end_callback?
    let refcon: UnsafeMutableRawPointer?
    let destroy: nalu_refcon_destructor?

    init(
        _ pointer: UnsafePointer<nalu_capture_callbacks>?, _ refcon: UnsafeMutableRawPointer?,
        _ destroy: nalu_refcon_destructor?
    ) throws(NaluError) {
        let given = try unsafe GrowableStruct.read(
            required(pointer, "callbacks"), over: nalu_capture_callbacks(), "callbacks")
        unsafe video = given.video
        unsafe audio = given.audio
        unsafe end = given.end
        unsafe self.refcon = refcon
        unsafe self.destroy = destroy
    }

    func receive(_ frame: CaptureSession.Frame) {
        withExtendedLifetime(frame.buffer) { buffer in
            unsafe video?(
                refcon, Handle.lent(buffer), frame.time.cTime, frame.duration.cTime,
                UInt32(clamping: frame.droppedFrames))
        }
    }

    func receive(_ block: CaptureSession.AudioBlock) {
        var given = unsafe nalu_capture_audio_block(
            struct_size: UInt32(MemoryLayout<nalu_capture_audio_block>.size),
            is_discontinuous: block.isDiscontinuous ? 1 : 0, sample_rate: Int32(clamping: block.sampleRate),
            channel_count: Int32(clamping: block.channelCount), frame_count: UInt32(clamping: block.frameCount),
            reserved: 0, samples: block.samples.baseAddress, time: block.time.cTime)
        unsafe audio?(refcon, &given)
    }

    func receive(_ error: NaluError) {
        unsafe error.message.withCString { unsafe end?(refcon, error.status.rawValue, $0) }
    }
}

extension CaptureSession.Options {
    fileprivate static func read(
        _ pointer: UnsafePointer<nalu_capture_options>?
    ) throws(NaluError) -> CaptureSession.Options {
        let given = try unsafe GrowableStruct.read(pointer, over: nalu_capture_options(), "options")
        let flags = try Flags(
            unsafe given.flags, "options.flags", among: NALU_CAPTURE_SHOW_CURSOR, "NALU_CAPTURE_SHOW_CURSOR")
        var options = CaptureSession.Options(spelling: .c)
        options.showsCursor = flags[NALU_CAPTURE_SHOW_CURSOR]
        if unsafe given.width != 0 { options.width = unsafe Int(given.width) }
        if unsafe given.height != 0 { options.height = unsafe Int(given.height) }
        if unsafe given.pixel_format != 0 { options.pixelFormat = unsafe PixelFormat(rawValue: given.pixel_format) }
        if unsafe given.maximum_buffer_count != 0 {
            options.maximumBufferCount = unsafe Int(given.maximum_buffer_count)
        }
        let duration = unsafe MediaTime(given.frame_duration)
        if !duration.isIdentical(to: .invalid) { options.frameDuration = duration }
        let region = unsafe PixelRegion(
            x: Int(given.region_x), y: Int(given.region_y), width: Int(given.region_width),
            height: Int(given.region_height))
        if region != PixelRegion(x: 0, y: 0, width: 0, height: 0) { options.region = region }
        if unsafe given.audio_device != nil {
            options.audioDevice = try unsafe Handle.required(
                given.audio_device, "options.audio_device", CaptureDevice.self)
        }
        if unsafe given.sample_rate != 0 { options.sampleRate = unsafe Int(given.sample_rate) }
        if unsafe given.channel_count != 0 { options.channelCount = unsafe Int(given.channel_count) }
        if let token = unsafe given.restore_token { options.restoreToken = unsafe String(cString: token) }
        if unsafe given.start_timeout != 0 { options.startTimeout = unsafe given.start_timeout }
        return options
    }
}

extension nalu_delay {
    init(_ delay: Delay) {
        self.init(count: delay.count, least: delay.least, mean: delay.mean, p95: delay.p95, most: delay.most)
    }
}

@c @implementation
public func nalu_capture_get_host_time() -> nalu_time {
    HostTime.now.cTime
}

@c @implementation
public func nalu_capture_session_create(
    _ device: OpaquePointer?, _ options: UnsafePointer<nalu_capture_options>?,
    _ callbacks: UnsafePointer<nalu_capture_callbacks>?, _ refcon: UnsafeMutableRawPointer?,
    _ destroy_refcon: nalu_refcon_destructor?, _ session_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("session_out", session_out) { () throws(NaluError) in
        let device = try unsafe Handle.required(device, "device", CaptureDevice.self)
        let client = try unsafe ClientCallbacks(callbacks, refcon, destroy_refcon)
        var onFinish: (@Sendable () -> Void)?
        if unsafe client.destroy != nil { onFinish = { unsafe client.destroy?(client.refcon) } }
        var video: (@Sendable (CaptureSession.Frame) -> Void)?
        if unsafe client.video != nil { video = { client.receive($0) } }
        var audio: (@Sendable (CaptureSession.AudioBlock) -> Void)?
        if unsafe client.audio != nil { audio = { client.receive($0) } }
        return try unsafe CaptureSession(
            device: device, options: CaptureSession.Options.read(options), onFinish: onFinish, video: video,
            audio: audio, end: { client.receive($0) })
    }
}

@c @implementation
public func nalu_capture_session_retain(_ session: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.object(session, CaptureSession.self)?.retainedByClient()
    unsafe Handle.retain(session, CaptureSession.self)
    return unsafe session
}

@c @implementation
public func nalu_capture_session_release(_ session: OpaquePointer?) {
    unsafe Handle.object(session, CaptureSession.self)?.releasedByClient()
    unsafe Handle.release(session, CaptureSession.self)
}

@c @implementation
public func nalu_capture_session_start(_ session: OpaquePointer?) -> nalu_status {
    attempt { () throws(NaluError) in
        try unsafe Handle.required(session, "session", CaptureSession.self).start()
    }
}

@c @implementation
public func nalu_capture_session_stop(_ session: OpaquePointer?) -> nalu_status {
    guard unsafe session != nil else { return nalu_status(NALU_STATUS_OK) }
    return attempt { () throws(NaluError) in
        try unsafe Handle.required(session, "session", CaptureSession.self).stop()
    }
}

@c @implementation
public func nalu_capture_session_is_running(_ session: OpaquePointer?) -> Int32 {
    unsafe Handle.object(session, CaptureSession.self)?.isRunning == true ? 1 : 0
}

@c @implementation
public func nalu_capture_session_get_format(
    _ session: OpaquePointer?, _ media_type: nalu_four_char_code,
    _ format_out: UnsafeMutablePointer<nalu_capture_format>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CaptureSession.self)
        try session.checkProcess()
        let isVideo = media_type == nalu_capture_format.video
        guard isVideo || media_type == nalu_capture_format.audio else {
            throw NaluError(.parameter, "media_type is \(media_type); expected NALU_CAPTURE_MEDIA_VIDEO or _AUDIO")
        }
        let format =
            isVideo
            ? session.videoFormat.map { nalu_capture_format($0) } : session.audioFormat.map { nalu_capture_format($0) }
        guard let format else {
            throw NaluError(
                .valueNotAvailable, "the session has not captured this medium; start it first, with a callback for it")
        }
        try unsafe GrowableStruct.write(format, to: format_out, "format_out")
    }
}

@c @implementation
public func nalu_capture_session_copy_restore_token(
    _ session: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CaptureSession.self)
        try session.checkProcess()
        try unsafe copy(session.restoreToken ?? "", buffer, capacity, size_out)
    }
}

@c @implementation
public func nalu_capture_session_get_statistics(
    _ session: OpaquePointer?, _ statistics_out: UnsafeMutablePointer<nalu_capture_statistics>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CaptureSession.self)
        try session.checkProcess()
        let known = session.statistics
        try unsafe GrowableStruct.write(
            nalu_capture_statistics(
                struct_size: 0, reserved: 0, captured_frames: known.capturedFrames,
                delivered_frames: known.deliveredFrames, late_frames: known.lateFrames,
                starved_frames: known.starvedFrames, missed_frames: known.missedFrames, audio_frames: known.audioFrames,
                lost_audio_frames: known.lostAudioFrames, frame_rate: known.frameRate,
                capture: nalu_delay(known.capture),
                wait: nalu_delay(known.wait), callback: nalu_delay(known.handler),
                repaired_times: known.repairedTimes),
            to: statistics_out, "statistics_out")
    }
}
