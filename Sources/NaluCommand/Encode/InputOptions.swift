internal import ArgumentParser

/// What the input is.
struct InputOptions: ParsableArguments {
    @Argument(
        help:
            "The frames: a video file with H.264 or H.265, a Y4M file, or raw frames with --format and --size. - is standard input.",
        completion: .file())
    var input: String

    @Option(help: "The input has raw frames of this format. Planes and rows follow each other without padding.")
    var format: RawFormat?

    @Option(help: ArgumentHelp("The size of raw frames.", valueName: "WxH"), transform: FrameSize.read)
    var size: FrameSize?

    @Option(
        help: ArgumentHelp(
            "Frames a second, such as 25, 30000/1001 or 29.97: of raw frames, or in place of the times that the input has.",
            valueName: "rate"), transform: FrameRate.read)
    var fps: FrameRate?

    @Option(
        help:
            "What the samples of raw frames or Y4M span, in place of what the input says; limited where nothing says it."
    )
    var range: PixelRange?

    @Option(help: ArgumentHelp("Stop after that many frames.", valueName: "number"))
    var frames: Int?

    func validate() throws {
        if let frames, frames < 1 { throw ValidationError("--frames is \(frames); it must be at least 1") }
        if format == nil && size != nil {
            throw ValidationError("--size is for raw frames, which need --format too")
        }
        guard let format else { return }
        if size == nil { throw ValidationError("raw frames say nothing of their size; add --size WxH") }
        if fps == nil { throw ValidationError("raw frames say nothing of their rate; add --fps RATE") }
        if range != nil && !format.hasRange {
            throw ValidationError("--range is for YCbCr frames of either range, which \(format) is not; leave it out")
        }
    }
}
