internal import Nalu
internal import NaluBase
private import NaluLibc

/// Provides the screens of X11: those of the display in the environment, and by identifier those of any display and
/// their monitors and windows.
enum ScreenProvider: CaptureProvider {
    static var kinds: CaptureDevice.Kinds { .screen }

    private static let prefix = "x11:"

    static func devices(_ kinds: CaptureDevice.Kinds) throws(NaluError) -> [CaptureDevice] {
        guard let name = unsafe getenv("DISPLAY").map({ unsafe String(cString: $0) }), !name.isEmpty else {
            throw NaluError(.inputOutput, "no X server is known, because DISPLAY is not set")
        }
        let connection = try X11Connection.connect(to: name)
        let screens = connection.screens
        var devices: [CaptureDevice] = []
        for screen in screens {
            // A display's name can end with the number of a screen: ":0.1".
            let display = base(of: name)
            let id = prefix + display + (screens.count > 1 ? ".\(screen.number)" : "")
            devices.append(device(id, display, .screen(screen.number), (screen.width, screen.height)))
            // A single monitor is the screen itself.
            let monitors = try connection.monitors(of: screen.window)
            guard monitors.count > 1 else { continue }
            devices += monitors.map { monitor in
                device(
                    "\(id)/\(monitor.name)", display, .monitor(screen.number, monitor.name),
                    (monitor.region.width, monitor.region.height))
            }
        }
        return devices
    }

    static func device(_ identifier: String) throws(NaluError) -> CaptureDevice? {
        guard identifier.hasPrefix(prefix) else { return nil }
        let text = identifier.dropFirst(prefix.count)
        var display = String(text)
        var part: Substring?
        // A path of a socket before the colon can have slashes too.
        if let colon = text.lastIndex(of: ":"), let slash = text[colon...].firstIndex(of: "/") {
            part = text[slash...].dropFirst()
            display = String(text[..<slash])
        }
        let isWindow = part?.hasPrefix("0x") == true
        let window = part.flatMap { isWindow ? UInt32($0.dropFirst(2), radix: 16) : nil }
        if isWindow && window == nil {
            throw NaluError(
                .valueNotAvailable,
                "\"\(NaluError.excerpt(identifier))\" names no window; expected x11:DISPLAY/0x and a hexadecimal number"
            )
        }
        do throws(NaluError) {
            let connection = try X11Connection.connect(to: display)
            if let window {
                return device(identifier, display, .window(window), try connection.size(of: window, identifier))
            }
            guard let screen = connection.screens.first else { return nil }
            guard let part else {
                return device(identifier, display, .screen(screen.number), (screen.width, screen.height))
            }
            let monitors = try connection.monitors(of: screen.window)
            guard let monitor = monitors.first(where: { $0.name == part }) else {
                let known = monitors.map(\.name).joined(separator: ", ")
                throw NaluError(
                    .valueNotAvailable,
                    "the display \(display) has no monitor \"\(NaluError.excerpt(String(part)))\"; expected "
                        + (known.isEmpty ? "x11:\(display) for the screen" : "one of \(known)"))
            }
            return device(
                identifier, display, .monitor(screen.number, monitor.name),
                (monitor.region.width, monitor.region.height))
        } catch {
            throw NaluError(.valueNotAvailable, error.message)
        }
    }

    /// Returns a display's name without the number of a screen.
    private static func base(of display: String) -> String {
        guard let colon = display.lastIndex(of: ":"), let dot = display[colon...].firstIndex(of: ".") else {
            return display
        }
        return String(display[..<dot])
    }

    private static func device(
        _ id: String, _ display: String, _ target: ScreenSource.Target, _ size: (width: Int, height: Int)
    ) -> CaptureDevice {
        let format = CaptureVideoFormat(
            .bgra, widths: 1...max(1, min(size.width, 16384)), heights: 1...max(1, min(size.height, 16384)),
            minimumFrameDuration: MediaTime(value: 1, timescale: 1000),
            maximumFrameDuration: MediaTime(value: 10, timescale: 1))
        let name = "\(target.name) of \(size.width)x\(size.height) on \(display)"
        return CaptureDevice(id: id, name: name, kind: .screen, videoFormats: [format]) { request throws(NaluError) in
            ScreenSource(request, id: id, display: display, target)
        }
    }
}
