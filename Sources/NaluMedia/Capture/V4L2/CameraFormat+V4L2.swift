private import CV4L2
internal import Nalu

/// The formats of V4L2 cameras.
extension CameraFormat {
    private init(_ format: nalu_v4l2_format) {
        code = format.code
        isCompressed = CameraReceiver.isCompressed(format.pixel_format)
        video = CaptureVideoFormat(
            CameraReceiver.pixelFormat(format.pixel_format),
            widths: Int(format.least_width)...Int(max(format.least_width, format.most_width)),
            heights: Int(format.least_height)...Int(max(format.least_height, format.most_height)),
            minimumFrameDuration: Self.time(format.least_duration),
            maximumFrameDuration: Self.time(format.most_duration))
    }

    /// Returns a duration of the driver; invalid if the driver does not state it.
    static func time(_ fraction: (UInt32, UInt32)) -> MediaTime {
        guard fraction.0 > 0, let timescale = Int32(exactly: fraction.1), timescale > 0 else { return .invalid }
        return MediaTime(value: Int64(fraction.0), timescale: timescale)
    }

    private final class List {
        var formats: [CameraFormat] = []
    }

    /// Returns the name and the formats of the V4L2 camera at a path; nil if there is none.
    static func describe(_ path: String) -> (name: String, formats: [CameraFormat])? {
        let list = List()
        var isFound = false
        let name = unsafe CText.written(64) { name, capacity in
            isFound = unsafe nalu_v4l2_describe(
                path, name, capacity,
                { refcon, format in
                    guard let refcon = unsafe refcon, let format = unsafe format?.pointee else { return }
                    unsafe Unmanaged<List>.fromOpaque(refcon).takeUnretainedValue().formats.append(CameraFormat(format))
                }, Unmanaged.passUnretained(list).toOpaque())
        }
        withExtendedLifetime(list) {}
        return isFound ? (name.isEmpty ? path : name, list.formats) : nil
    }
}
