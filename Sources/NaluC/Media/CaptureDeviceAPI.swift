// media/capture.h: devices, lists of devices and watchers.

public import CNalu
internal import Nalu
private import NaluLibc
internal import NaluMedia

extension CaptureDevice: HandleObject { static var handleNoun: StaticString { "a nalu_capture_device" } }
extension CaptureDeviceList: HandleObject { static var handleNoun: StaticString { "a nalu_capture_device_list" } }
extension CaptureDeviceWatcher: HandleObject { static var handleNoun: StaticString { "a nalu_capture_device_watcher" } }

/// A list of devices, as an object.
final class CaptureDeviceList {
    let devices: [CaptureDevice]

    init(_ devices: [CaptureDevice]) {
        self.devices = devices
    }
}

extension nalu_capture_format {
    static let video: nalu_four_char_code = 0x7669_6465
    static let audio: nalu_four_char_code = 0x736f_756e

    init(_ format: CaptureVideoFormat) {
        self.init()
        media_type = Self.video
        pixel_format = format.pixelFormat.rawValue
        minimum_width = Int32(clamping: format.widths.lowerBound)
        maximum_width = Int32(clamping: format.widths.upperBound)
        minimum_height = Int32(clamping: format.heights.lowerBound)
        maximum_height = Int32(clamping: format.heights.upperBound)
        ycbcr_matrix = UInt32(clamping: format.yCbCrMatrix ?? 0)
        minimum_frame_duration = format.minimumFrameDuration.cTime
        maximum_frame_duration = format.maximumFrameDuration.cTime
    }

    init(_ format: CaptureAudioFormat) {
        self.init()
        media_type = Self.audio
        sample_rate = Int32(clamping: format.sampleRate)
        channel_count = Int32(clamping: format.channelCount)
    }
}

private func device(_ handle: OpaquePointer?) -> CaptureDevice? {
    unsafe Handle.object(handle, CaptureDevice.self)
}

@c @implementation
public func nalu_capture_device_list_create(
    _ kinds: UInt32, _ list_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("list_out", list_out) { () throws(NaluError) in
        let kinds = CaptureDevice.Kinds(rawValue: kinds)
        try kinds.check()
        return CaptureDeviceList(CaptureDevices.list(kinds))
    }
}

@c @implementation
public func nalu_capture_device_list_retain(_ list: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(list, CaptureDeviceList.self)
    return unsafe list
}

@c @implementation
public func nalu_capture_device_list_release(_ list: OpaquePointer?) {
    unsafe Handle.release(list, CaptureDeviceList.self)
}

@c @implementation
public func nalu_capture_device_list_get_count(_ list: OpaquePointer?) -> Int {
    unsafe Handle.object(list, CaptureDeviceList.self)?.devices.count ?? 0
}

@c @implementation
public func nalu_capture_device_list_get_device(_ list: OpaquePointer?, _ index: Int) -> OpaquePointer? {
    guard let list = unsafe Handle.object(list, CaptureDeviceList.self), list.devices.indices.contains(index) else {
        return nil
    }
    return unsafe Handle.lent(list.devices[index])
}

@c @implementation
public func nalu_capture_device_create_with_id(
    _ identifier: UnsafePointer<CChar>?, _ device_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("device_out", device_out) { () throws(NaluError) in
        try unsafe CaptureDevices.device(cText(identifier, "identifier"))
    }
}

@c @implementation
public func nalu_capture_device_retain(_ handle: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.retain(handle, CaptureDevice.self)
    return unsafe handle
}

@c @implementation
public func nalu_capture_device_release(_ handle: OpaquePointer?) {
    unsafe Handle.release(handle, CaptureDevice.self)
}

@c @implementation
public func nalu_capture_device_get_id(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? {
    guard let device = unsafe device(handle) else { return nil }
    return unsafe device.cID
}

@c @implementation
public func nalu_capture_device_get_name(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? {
    guard let device = unsafe device(handle) else { return nil }
    return unsafe device.cName
}

@c @implementation
public func nalu_capture_device_get_kind(_ handle: OpaquePointer?) -> UInt32 {
    unsafe device(handle)?.kind.rawValue ?? 0
}

@c @implementation
public func nalu_capture_device_get_format_count(_ handle: OpaquePointer?) -> Int {
    guard let device = unsafe device(handle) else { return 0 }
    return device.videoFormats.count + device.audioFormats.count
}

@c @implementation
public func nalu_capture_device_get_format(
    _ handle: OpaquePointer?, _ index: Int, _ format_out: UnsafeMutablePointer<nalu_capture_format>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let device = try unsafe Handle.required(handle, "device", CaptureDevice.self)
        let formats =
            device.videoFormats.map { nalu_capture_format($0) } + device.audioFormats.map { nalu_capture_format($0) }
        guard formats.indices.contains(index) else {
            throw NaluError(.outOfRange, "index is \(UInt(bitPattern: index)); expected less than \(formats.count)")
        }
        try unsafe GrowableStruct.write(formats[index], to: format_out, "format_out")
    }
}

/// A client's callback of a watcher.
///
/// `@unchecked Sendable`: the client promises that it may be used from the watcher's thread.
@safe
private struct WatcherCallback: @unchecked Sendable {
    let function: nalu_capture_device_callback
    let refcon: UnsafeMutableRawPointer?
    let destroy: nalu_refcon_destructor?
}

@c @implementation
public func nalu_capture_device_watcher_create(
    _ kinds: UInt32, _ callback: nalu_capture_device_callback?, _ refcon: UnsafeMutableRawPointer?,
    _ destroy_refcon: nalu_refcon_destructor?, _ watcher_out: UnsafeMutablePointer<OpaquePointer?>?
) -> nalu_status {
    unsafe create("watcher_out", watcher_out) { () throws(NaluError) in
        let client = try unsafe WatcherCallback(
            function: required(callback, "callback"), refcon: refcon, destroy: destroy_refcon)
        var onFinish: (@Sendable () -> Void)?
        if unsafe client.destroy != nil { onFinish = { unsafe client.destroy?(client.refcon) } }
        return try CaptureDeviceWatcher(kinds: CaptureDevice.Kinds(rawValue: kinds), onFinish: onFinish) {
            device, isPresent in
            withExtendedLifetime(device) { unsafe client.function(client.refcon, Handle.lent($0), isPresent ? 1 : 0) }
        }
    }
}

@c @implementation
public func nalu_capture_device_watcher_retain(_ watcher: OpaquePointer?) -> OpaquePointer? {
    unsafe Handle.object(watcher, CaptureDeviceWatcher.self)?.retainedByClient()
    unsafe Handle.retain(watcher, CaptureDeviceWatcher.self)
    return unsafe watcher
}

@c @implementation
public func nalu_capture_device_watcher_release(_ watcher: OpaquePointer?) {
    unsafe Handle.object(watcher, CaptureDeviceWatcher.self)?.releasedByClient()
    unsafe Handle.release(watcher, CaptureDeviceWatcher.self)
}
