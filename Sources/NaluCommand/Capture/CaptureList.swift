internal import Nalu
internal import NaluMedia

/// The list of devices that `nalu capture --list` prints.
enum CaptureList {
    static func print() throws {
        var table = TextTable(header: ["device", "kind", "name", "formats"])
        for device in CaptureDevices.list() {
            let formats = device.videoFormats.map(text) + device.audioFormats.map(text)
            for (index, format) in formats.enumerated() {
                table.add(index == 0 ? [device.id, kind(device.kind), device.name, format] : ["", "", "", format])
            }
        }
        Console.print(table.text)
    }

    private static func kind(_ kind: CaptureDevice.Kinds) -> String {
        switch kind {
        case .camera: "camera"
        case .screen: "screen"
        case .microphone: "microphone"
        default: "test"
        }
    }

    private static func text(_ format: CaptureVideoFormat) -> String {
        func range(_ range: ClosedRange<Int>) -> String {
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }
        func rate(_ duration: MediaTime) -> String { NumberText.decimal(1 / duration.seconds, places: 1) }
        var text = "\(format.pixelFormat) \(range(format.widths))x\(range(format.heights))"
        if format.minimumFrameDuration.isNumeric {
            let (slow, fast) = (rate(format.maximumFrameDuration), rate(format.minimumFrameDuration))
            text += slow == fast ? ", \(fast) fps" : ", \(slow)-\(fast) fps"
        }
        return text
    }

    private static func text(_ format: CaptureAudioFormat) -> String {
        "audio, \(format.sampleRate) Hz, \(NumberText.count(format.channelCount, "channel"))"
    }
}

extension RationalFrameRate {
    /// The frame rate of a capture without `--fps`.
    static var captured: RationalFrameRate { RationalFrameRate(30, 1) ?? .unknown }
}
