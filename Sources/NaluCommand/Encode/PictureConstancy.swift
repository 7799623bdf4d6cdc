internal import Nalu

/// Refuses a frame whose size or layout differs from the first frame's: outputs have one size and layout for all
/// frames.
struct PictureConstancy {
    private let input: String
    private let output: String
    /// True if layout and bit depth must stay the same. Otherwise the session converts the frames.
    private let fixesFormat: Bool
    /// True if the size must stay the same. Otherwise the session scales the frames.
    private let fixesSize: Bool
    /// True if the error message may suggest `nalu transcode --size`.
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
                    + ", but \(output) has one size for all frames")
        }
        if fixesFormat && image.format != first.format {
            throw Failure(
                "\(input) changes from the pixel format \(first.format) to \(image.format) \(place), but \(output) has one "
                    + "for all frames")
        }
    }
}
