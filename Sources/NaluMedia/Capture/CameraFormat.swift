internal import Nalu

/// A format of a camera.
struct CameraFormat {
    /// V4L2's code of the pixel format; 0 for a camera of PipeWire.
    var code: UInt32 = 0
    /// Whether each picture is a JPEG.
    let isCompressed: Bool
    /// The format of the pictures that the source delivers.
    let video: CaptureVideoFormat

    /// Returns the format and size to request: the size closest to the client's, then a rate that suffices,
    /// then pictures that are not compressed.
    static func choose(
        _ request: CaptureRequest, from formats: [CameraFormat]
    ) -> (format: CameraFormat, width: Int, height: Int)? {
        func clamped(_ value: Int, _ range: ClosedRange<Int>) -> Int {
            min(max(value, range.lowerBound), range.upperBound)
        }
        // The default size is the camera's first one, or the size within its first range that is closest to 1280x720.
        let first = formats.first?.video
        let wanted =
            request.size ?? (clamped(1280, first?.widths ?? 1...1280), clamped(720, first?.heights ?? 1...720))
        let duration = request.frameDuration?.seconds ?? 1.0 / 30
        let rated = formats.enumerated().map { index, format in
            let video = format.video
            let (width, height) = (clamped(wanted.width, video.widths), clamped(wanted.height, video.heights))
            let isSlow =
                video.minimumFrameDuration.isNumeric && video.minimumFrameDuration.seconds > duration * 1.01
            let isFormat = request.pixelFormat == nil || request.pixelFormat == video.pixelFormat
            // Smaller pictures are worse than larger ones, because scaling up shows.
            let missing = max(0, wanted.width - width) + max(0, wanted.height - height)
            let excess = max(0, width - wanted.width) + max(0, height - wanted.height)
            return (
                rank: [missing, excess, isSlow ? 1 : 0, format.isCompressed ? 1 : 0, isFormat ? 0 : 1, index],
                format: format, width: width, height: height
            )
        }
        return rated.min { $0.rank.lexicographicallyPrecedes($1.rank) }.map { ($0.format, $0.width, $0.height) }
    }
}

extension [CameraFormat] {
    /// The formats that a client sees, each once.
    var distinctVideo: [CaptureVideoFormat] {
        reduce(into: []) { list, format in
            if !list.contains(format.video) { list.append(format.video) }
        }
    }
}
