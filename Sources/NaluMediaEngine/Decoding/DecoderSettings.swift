internal import CFFmpeg
public import CNalu
internal import NaluBase

/// What a session was created with.
public struct DecoderSettings: Sendable {
    /// Drop everything after a lost or damaged reference instead of showing it.
    public var dropsUntilKeyFrame = false
    /// Never several pictures at once.
    public var isLowDelay = false
    /// Each picture with its own sample, whatever the order of output.
    public var isInDecodeOrder = false
    /// 1 to 64.
    public var threadCount: Int32 = 1
    /// The images' format; 0 for the decoder's own.
    public var pixelFormat: nalu_pixel_format = 0
    /// The images' size; 0 for the stream's.
    public var width: Int32 = 0
    public var height: Int32 = 0

    /// The most pixels of a picture before cropping; 0 for the default.
    public var maximumPixelCount: Int64 = 0

    /// How many threads a decoder gets where nobody says: the processors that the process may run on, which in a container
    /// can be fewer than the machine has.
    public static var processorCount: Int32 {
        get throws(NaluError) {
            try FFmpegLibraries.load()
            return min(max(av_cpu_count(), 1), 16)
        }
    }

    let face: Face

    public init(face: Face) {
        self.face = face
    }

    var pictureLimit: PictureLimit { PictureLimit(maximumPixelCount, face) }

    /// The formats that images are converted to.
    static let convertible: [nalu_pixel_format] = [
        NALU_PIXEL_FORMAT_420V, NALU_PIXEL_FORMAT_420F, NALU_PIXEL_FORMAT_Y420, NALU_PIXEL_FORMAT_F420,
        NALU_PIXEL_FORMAT_X420, NALU_PIXEL_FORMAT_XF20, NALU_PIXEL_FORMAT_BGRA, NALU_PIXEL_FORMAT_RGBA,
        NALU_PIXEL_FORMAT_ARGB, NALU_PIXEL_FORMAT_ABGR, NALU_PIXEL_FORMAT_24RGB, NALU_PIXEL_FORMAT_24BGR,
    ]

    func check() throws(NaluError) {
        try pictureLimit.check()
        guard (1...64).contains(threadCount) else {
            throw NaluError(
                .outOfRange,
                "\(face.threadCount) is \(threadCount); expected 1 to 64, or 0 for as many as there are processors"
            )
        }
        guard pixelFormat == 0 || Self.convertible.contains(pixelFormat) else {
            throw NaluError(
                .invalidPixelFormat,
                "\(face.pixelFormat) is \(face.text(pixelFormat: pixelFormat)); expected a 4:2:0 or RGB format, or 0")
        }
        for (name, value) in [(face.width, width), (face.height, height)]
        where value != 0 && !(1...NALU_MAX_DIMENSION).contains(value) {
            throw NaluError(
                .invalidSize,
                "\(name) is \(value); expected 1 to \(NALU_MAX_DIMENSION), or 0 for the stream's"
            )
        }
    }
}
