internal import CFFmpeg
package import Nalu
internal import NaluBase

/// The options that a session was created with.
package struct DecoderSettings: Sendable {
    /// Whether samples after a lost or damaged reference are dropped instead of displayed.
    package var dropsUntilKeyFrame = false
    /// Whether pictures are decoded one after the other, not several at once.
    package var isLowDelay = false
    /// Whether each picture is delivered with its own sample, in decode order.
    package var isInDecodeOrder = false
    /// The number of threads, 1 to 64.
    package var threadCount: Int32 = 1
    /// The pixel format of the images; nil for the format that the decoder returns.
    package var pixelFormat: PixelFormat?
    /// The size of the images in pixels; 0 for that of the stream.
    package var width: Int32 = 0
    package var height: Int32 = 0

    /// The most pixels of a picture before cropping; 0 for the default.
    package var maximumPixelCount: Int64 = 0

    /// The default number of threads: the processors that the process may run on, at most 16. In a container these can
    /// be fewer than the machine has.
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

    /// The pixel formats that images can be converted to.
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
