internal import CFFmpeg
internal import Nalu
internal import NaluBase

extension DecompressionSession.Options {
    var pictureLimit: PictureLimit { PictureLimit(Int64(maximumPixelCount ?? 0), spelling) }

    /// The pixel formats that images can be converted to.
    static let convertible: [PixelFormat] = [
        .nv12, .nv12FullRange, .i420, .i420FullRange,
        .x420, .x420FullRange, .bgra, .rgba,
        .argb, .abgr, .rgb24, .bgr24,
    ]

    /// Returns the options with their defaults filled in. Throws for a value out of range.
    func resolved() throws(NaluError) -> DecompressionSession.Options {
        try pictureLimit.check()
        var options = self
        options.width = width == 0 ? nil : width
        options.height = height == 0 ? nil : height
        if threadCount == 0 {
            try FFmpegLibraries.load()
            // The processors that the process may run on. In a container these can be fewer than the machine has.
            options.threadCount = min(max(Int(av_cpu_count()), 1), 16)
        }
        guard (1...64).contains(options.threadCount) else {
            throw NaluError(
                .outOfRange,
                "\(spelling.threadCount) is \(threadCount); expected 1 to 64, or 0 for as many as there are processors"
            )
        }
        if let pixelFormat, !Self.convertible.contains(pixelFormat) {
            throw NaluError(
                .invalidPixelFormat,
                "\(spelling.pixelFormat) is \(spelling.text(pixelFormat: pixelFormat.rawValue)); expected a 4:2:0 or RGB format, or 0"
            )
        }
        for (name, value) in [(spelling.width, width ?? 0), (spelling.height, height ?? 0)]
        where value != 0 && !(1...SequenceParameterSet.maximumDimension).contains(value) {
            throw NaluError(
                .invalidSize,
                "\(name) is \(value); expected 1 to \(SequenceParameterSet.maximumDimension), or 0 for the stream's"
            )
        }
        return options
    }
}
