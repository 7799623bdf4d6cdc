private import CPortal
internal import Nalu
private import NaluLibc

/// Provides the screens of Wayland. There is one device, and the user chooses a screen or window in a dialog of the
/// desktop when a session starts.
enum PortalProvider: CaptureProvider {
    static var kinds: CaptureDevice.Kinds { .screen }

    private static let id = "portal"
    /// The time in milliseconds to wait for the portal.
    private static let patience: Int32 = 1800

    /// Lists the device in a Wayland session with a portal.
    static func devices(_ kinds: CaptureDevice.Kinds) throws(NaluError) -> [CaptureDevice] {
        guard let display = unsafe getenv("WAYLAND_DISPLAY"), unsafe display.pointee != 0 else {
            throw NaluError(.inputOutput, "no Wayland session is known, because WAYLAND_DISPLAY is not set")
        }
        var result: Int32 = 0
        let message = unsafe PortalText.written { result = unsafe nalu_portal_check(patience, $0) }
        guard result == 0 else { throw PortalText.error(result, message) }
        return [device]
    }

    static func device(_ identifier: String) -> CaptureDevice? { identifier == id ? device : nil }

    private static var device: CaptureDevice {
        let format = CaptureVideoFormat(
            .bgra, widths: 1...16384, heights: 1...16384, minimumFrameDuration: .invalid,
            maximumFrameDuration: .invalid)
        return CaptureDevice(
            id: id, name: "Screen or window that the desktop's dialog offers", kind: .screen, videoFormats: [format]
        ) { request throws(NaluError) in
            guard request.region == nil else {
                throw NaluError(
                    .parameter,
                    "a region is given, and the desktop's portal shares entire screens and windows; expected none")
            }
            return PortalSource(request)
        }
    }
}

/// Text that CPortal writes, and errors made of it.
enum PortalText {
    static func written(_ fill: (UnsafeMutablePointer<CChar>?) -> Void) -> String {
        unsafe CText.written(Int(NALU_PORTAL_MESSAGE)) { message, _ in unsafe fill(message) }
    }

    static func error(_ result: Int32, _ message: String) -> NaluError {
        let isMissing = result == Int32(NALU_PORTAL_NOT_INSTALLED)
        return NaluError(
            isMissing ? .couldNotCreateInstance : .inputOutput,
            isMissing ? "screens of Wayland need D-Bus: \(message)" : message)
    }
}
