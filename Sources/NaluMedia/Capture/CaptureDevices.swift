public import Nalu

/// The devices that are present.
public enum CaptureDevices {
    /// The providers in the order of their devices. The first device of a kind is the kind's default.
    static let providers: [any CaptureProvider.Type] = [
        PipeWireProvider.self, V4L2Provider.self, PortalProvider.self, ScreenProvider.self, TestProvider.self,
    ]

    /// Lists the devices of some kinds. A kind whose library or server is missing has none.
    public static func list(_ kinds: CaptureDevice.Kinds = .all) -> [CaptureDevice] {
        each(kinds) { provider, kind in (try? provider.devices(kind)) ?? [] }.flatMap { $0 }
    }

    /// Returns a function that lists the devices of some kinds, for a watcher.
    static func observer(_ kinds: CaptureDevice.Kinds) -> () -> [CaptureDevice] {
        let observers = each(kinds) { provider, kind in provider.observer(kind) }
        return { observers.flatMap { observe in (try? observe()) ?? [] } }
    }

    /// Calls `body` for each kind and each of its providers, in the order in which devices are listed.
    private static func each<Result>(
        _ kinds: CaptureDevice.Kinds, _ body: (any CaptureProvider.Type, CaptureDevice.Kinds) -> Result
    ) -> [Result] {
        [CaptureDevice.Kinds.camera, .screen, .microphone, .test].filter(kinds.contains).flatMap { kind in
            providers.filter { $0.kinds.contains(kind) }.map { body($0, kind) }
        }
    }

    /// Returns the device with an identifier, or the default device for `camera`, `screen`, `microphone` and `test`.
    ///
    /// Throws `.valueNotAvailable` with the reason if there is no such device.
    public static func device(_ identifier: String) throws(NaluError) -> CaptureDevice {
        if let kind = kinds[identifier] { return try defaultDevice(kind, identifier) }
        for provider in providers {
            if let device = try provider.device(identifier) { return device }
        }
        let listed = list()
        if let device = listed.first(where: { $0.id == identifier }) { return device }
        throw NaluError(
            .valueNotAvailable,
            "there is no capture device \"\(NaluError.excerpt(identifier))\"; expected camera, screen, microphone, test, or one of \(listed.map(\.id).joined(separator: ", "))"
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
