internal import Nalu

/// Refuses the first frame that differs from the frames before it in size or layout: outputs have one for all frames.
struct PictureConstancy {
    private let input: String
    private let output: String
    /// Whether layout and bit depth must stay too; where they need not, frames are converted.
    private let fixesFormat: Bool
    /// The same for the size.
    private let fixesSize: Bool
    /// Whether `nalu transcode --size` does it all the same.
    private let canScale: Bool
    private var first: (format: PixelFormat, width: Int, height: Int)?

    init(input: String, output: String, fixesFormat: Bool, fixesSize: Bool = true, canScale: Bool = false) {
        self.fixesSize = fixesSize
        self.canScale = canScale
        self.input = input
        self.output = output
        self.fixesFormat = fixesFormat
    }

    mutating func check(_ image: PixelBuffer, at time: MediaTime) throws(Failure) {
        guard let first else {
            first = (image.format, image.width, image.height)
            return
        }
        let place = "at \(NumberText.decimal(time.seconds, places: 3)) s"
        if fixesSize && (image.width, image.height) != (first.width, first.height) {
            throw Failure(
                "\(input) changes from \(first.width)x\(first.height) to \(image.width)x\(image.height) \(place)"
                    + (canScale ? " (nalu transcode --size \(first.width)x\(first.height) scales all frames)" : "")
                    + ", and \(output) has one size for all frames")
        }
        if fixesFormat && image.format != first.format {
            throw Failure(
                "\(input) changes from the pixel format \(first.format) to \(image.format) \(place), and \(output) has one "
                    + "for all frames")
        }
    }
}
