internal import Nalu

/// Provides the test source, which is always present.
enum TestProvider: CaptureProvider {
    static var kinds: CaptureDevice.Kinds { .test }

    static func devices(_ kinds: CaptureDevice.Kinds) -> [CaptureDevice] { [TestDevice.device] }

    static func device(_ identifier: String) -> CaptureDevice? { TestDevice.device(identifier) }
}

/// The test source as a device.
enum TestDevice {
    static let id = "test"
    /// Test hook: "test:audio-clock=1.001" is a test source whose audio clock runs 0.1 % fast. It is not listed.
    private static let clockPrefix = "test:audio-clock="

    static let smallestWidth = 256
    static let smallestHeight = 16
    static let defaultWidth = 1280
    static let defaultHeight = 720

    /// The test source with an exact audio clock.
    static let device = make(id: id, audioClock: 1)

    /// Returns the device of an identifier; nil if the identifier is not one of a test source.
    static func device(_ identifier: String) -> CaptureDevice? {
        if identifier == id { return device }
        guard identifier.hasPrefix(clockPrefix), let rate = Double(identifier.dropFirst(clockPrefix.count)),
            0.9...1.1 ~= rate
        else { return nil }
        return make(id: identifier, audioClock: rate)
    }

    private static func make(id: String, audioClock: Double) -> CaptureDevice {
        let formats = [PixelFormat.nv12, .i420].map { format in
            CaptureVideoFormat(
                format, widths: smallestWidth...16384, heights: smallestHeight...16384,
                minimumFrameDuration: MediaTime(value: 1, timescale: 1000),
                maximumFrameDuration: MediaTime(value: 10, timescale: 1))
        }
        return CaptureDevice(
            id: id, name: "Test source", kind: .test, videoFormats: formats,
            audioFormats: [CaptureAudioFormat(sampleRate: 48_000, channelCount: 2)]
        ) { request throws(NaluError) in
            let (width, height) = request.size ?? (defaultWidth, defaultHeight)
            if request.wantsVideo {
                guard width >= smallestWidth, height >= smallestHeight else {
                    throw NaluError(
                        .invalidSize,
                        "the size is \(width)x\(height) pixels; the test source needs at least \(smallestWidth)x\(smallestHeight) for its counters"
                    )
                }
            }
            return TestSource(request, width: width, height: height, audioClock: audioClock)
        }
    }
}
