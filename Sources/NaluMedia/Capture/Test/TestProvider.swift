internal import Nalu

/// Provides the test source, which is always present.
enum TestProvider: CaptureProvider {
    static var kinds: CaptureDevice.Kinds { .test }

    static func devices(_ kinds: CaptureDevice.Kinds) -> [CaptureDevice] { [TestDevice.device] }

    static func device(_ identifier: String) -> CaptureDevice? { TestDevice.device(identifier) }
}
