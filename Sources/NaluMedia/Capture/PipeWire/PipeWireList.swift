internal import CPipeWire
internal import Nalu

/// The devices that PipeWire's registry has. Used by one thread, during one call of `nalu_pw_list`.
final class PipeWireList {
    struct Entry {
        let name: String
        let description: String
        let isMicrophone: Bool
        let isDefault: Bool
        var video: [CameraFormat] = []
        var audio: [CaptureAudioFormat] = []
    }

    private(set) var entries: [Entry] = []

    /// Adds a device to the list that `refcon` points to.
    @unsafe
    static func add(_ refcon: UnsafeMutableRawPointer?, _ device: UnsafePointer<nalu_pw_device>?) {
        guard let refcon = unsafe refcon, let device = unsafe device?.pointee else { return }
        let list = unsafe Unmanaged<PipeWireList>.fromOpaque(refcon).takeUnretainedValue()
        var entry = unsafe Entry(
            name: String(cString: device.name), description: String(cString: device.description),
            isMicrophone: device.is_microphone != 0, isDefault: device.is_default != 0)
        for index in unsafe 0..<Int(device.format_count) {
            let format = unsafe device.formats[index]
            if entry.isMicrophone {
                entry.audio.append(
                    CaptureAudioFormat(sampleRate: Int(format.sample_rate), channelCount: Int(format.channel_count)))
            } else {
                entry.video.append(
                    CameraFormat(
                        isCompressed: CameraReceiver.isCompressed(format.pixel_format),
                        video: CaptureVideoFormat(format)))
            }
        }
        list.entries.append(entry)
    }
}

extension CaptureVideoFormat {
    /// Creates the format of a device of PipeWire.
    init(_ format: nalu_pw_format) {
        func duration(_ rate: (Int32, Int32)) -> MediaTime {
            rate.0 > 0 && rate.1 > 0 ? MediaTime(value: Int64(rate.1), timescale: rate.0) : .invalid
        }
        self.init(
            CameraReceiver.pixelFormat(format.pixel_format),
            widths: Int(format.least_width)...Int(max(format.least_width, format.most_width)),
            heights: Int(format.least_height)...Int(max(format.least_height, format.most_height)),
            minimumFrameDuration: duration(format.most_rate), maximumFrameDuration: duration(format.least_rate))
    }
}
