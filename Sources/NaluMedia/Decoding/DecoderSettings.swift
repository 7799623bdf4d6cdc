internal import CFFmpeg
package import Nalu
internal import NaluBase

/// What a session was created with.
package struct DecoderSettings: Sendable {
    /// Drop everything after a lost or damaged reference instead of showing it.
    package var dropsUntilKeyFrame = false
    /// Never several pictures at once.
    package var isLowDelay = false
    /// Each picture with its own sample, whatever the order of output.
    package var isInDecodeOrder = false
    /// 1 to 64.
    package var threadCount: Int32 = 1
    /// The images' format; nil for the decoder's own.
    package var pixelFormat: PixelFormat?
    /// The images' size; 0 for the stream's.
    package var width: Int32 = 0
    package var height: Int32 = 0

    /// The most pixels of a picture before cropping; 0 for the default.
    package var maximumPixelCount: Int64 = 0

    /// How many threads a decoder gets where nobody says: the processors that the process may run on, which in a container
    /// can be fewer than the machine has.
    package static var processorCount: Int32 {
        get throws(NaluError) {
            try FFmpegLibraries.load()
            return min(max(av_cpu_count(), 1), 16)
        }
    }

    let face: Face

    package init(face: Face) {
        self.face = face
    }

    init(_ options: DecompressionSession.Options, _ face: Face) throws(NaluError) {
        self.face = face
        maximumPixelCount = Int64(options.maximumPixelCount ?? 0)
        dropsUntilKeyFrame = options.dropsUntilKeyFrame
        isLowDelay = options.isLowDelay
        isInDecodeOrder = options.isInDecodeOrder
        threadCount = options.threadCount == 0 ? try Self.processorCount : Int32(clamping: options.threadCount)
        pixelFormat = options.pixelFormat
        width = Int32(clamping: options.width ?? 0)
        height = Int32(clamping: options.height ?? 0)
    }

    var pictureLimit: PictureLimit { PictureLimit(maximumPixelCount, face) }

    /// The formats that images are converted to.
    static let convertible: [PixelFormat] = [
        .nv12, .nv12FullRange, .i420, .i420FullRange,
        .x420, .x420FullRange, .bgra, .rgba,
        .argb, .abgr, .rgb24, .bgr24,
    ]

    func check() throws(NaluError) {
        try pictureLimit.check()
        guard (1...64).contains(threadCount) else {
            throw NaluError(
                .outOfRange,
                "\(face.threadCount) is \(threadCount); expected 1 to 64, or 0 for as many as there are processors"
            )
        }
        if let pixelFormat, !Self.convertible.contains(pixelFormat) {
            throw NaluError(
                .invalidPixelFormat,
                "\(face.pixelFormat) is \(face.text(pixelFormat: pixelFormat.rawValue)); expected a 4:2:0 or RGB format, or 0"
            )
        }
        for (name, value) in [(face.width, width), (face.height, height)]
        where value != 0 && !(1...Int32(SequenceParameterSet.maximumDimension)).contains(value) {
            throw NaluError(
                .invalidSize,
                "\(name) is \(value); expected 1 to \(SequenceParameterSet.maximumDimension), or 0 for the stream's"
            )
        }
    }
}
