public import Nalu

/// A family of devices, for example the screens of X11.
package protocol CaptureProvider: Sendable {
    /// The kinds of devices that the provider can have.
    static var kinds: CaptureDevice.Kinds { get }

    /// Returns the devices that are present, the default device of each kind first. Waits at most 2 seconds.
    ///
    /// Throws the reason for which there can be no devices: a missing library or server.
    static func devices(_ kinds: CaptureDevice.Kinds) throws(NaluError) -> [CaptureDevice]

    /// Returns the device of an identifier that need not be listed, such as `x11::1`; nil if the identifier belongs to
    /// another provider.
    static func device(_ identifier: String) throws(NaluError) -> CaptureDevice?
}

/// The devices that are present.
public enum CaptureDevices {
    /// The providers in the order of their devices. The first device of a kind is the kind's default.
    static let providers: [any CaptureProvider.Type] = [
        PipeWireProvider.self, V4L2Provider.self, PortalProvider.self, ScreenProvider.self, TestProvider.self,
    ]

    /// Lists the devices of some kinds. A kind whose library or server is missing has none.
    public static func list(_ kinds: CaptureDevice.Kinds = .all) -> [CaptureDevice] {
        var devices: [CaptureDevice] = []
        for kind in [CaptureDevice.Kinds.camera, .screen, .microphone, .test] where kinds.contains(kind) {
            for provider in providers where provider.kinds.contains(kind) {
                devices += (try? provider.devices(kind)) ?? []
            }
        }
        return devices
    }

    /// Returns the device with an identifier, or the default device for `camera`, `screen`, `microphone` and `test`.
    ///
    /// Throws `.valueNotAvailable` with the reason if there is no such device.
    public static func device(_ identifier: String) throws(NaluError) -> CaptureDevice {
        if let kind = kinds[identifier] { return try defaultDevice(kind, identifier) }
        for provider in providers {
            if let device = try provider.device(identifier) { return device }
        }
        let known = list().map(\.id)
        if let device = list().first(where: { $0.id == identifier }) { return device }
        throw NaluError(
            .valueNotAvailable,
            "there is no capture device \"\(NaluError.excerpt(identifier))\"; expected camera, screen, microphone, test, or one of \(known.joined(separator: ", "))"
        )
    }

    private static let kinds: [String: CaptureDevice.Kinds] = [
        "camera": .camera, "screen": .screen, "microphone": .microphone, "test": .test,
    ]

    private static func defaultDevice(
        _ kind: CaptureDevice.Kinds, _ identifier: String
    ) throws(NaluError) -> CaptureDevice {
        var reasons: [String] = []
        for provider in providers where provider.kinds.contains(kind) {
            do throws(NaluError) {
                if let device = try provider.devices(kind).first { return device }
            } catch {
                reasons.append(error.message)
            }
        }
        let reason = reasons.isEmpty ? "none is connected" : reasons.joined(separator: "; ")
        throw NaluError(.valueNotAvailable, "there is no \(identifier): \(reason)")
    }
}
