internal import ArgumentParser

/// What the input is.
struct InputOptions: ParsableArguments {
    @Argument(
        help:
            "The input: a Y4M file, raw frames with --format and --size, or a file with H.264 or H.265 video. - is standard input.",
        completion: .file())
    var input: String

    @Option(help: "Read raw frames of this format, without padding between rows and planes.")
    var format: RawFormat?

    @Option(help: ArgumentHelp("The size of raw frames.", valueName: "WxH"), transform: FrameSize.read)
    var size: FrameSize?

    @Option(
        help: ArgumentHelp(
            "Frames a second, such as 25, 30000/1001 or 29.97. Raw frames need it; for other input it replaces the times.",
            valueName: "rate"), transform: FrameRate.read)
    var fps: FrameRate?

    @Option(
        help:
            "The range of the values in raw frames or Y4M. It overrides the input; by default limited if the input does not say."
    )
    var range: PixelRange?

    @Option(help: ArgumentHelp("Stop after this many frames.", valueName: "number"))
    var frames: Int?

    func validate() throws {
        if let frames, frames < 1 { throw ValidationError("--frames is \(frames); it must be at least 1") }
        if format == nil && size != nil {
            throw ValidationError("--size is for raw frames, which also need --format")
        }
        guard let format else { return }
        if size == nil { throw ValidationError("raw frames have no header with a size; add --size WxH") }
        if fps == nil { throw ValidationError("raw frames have no header with a rate; add --fps RATE") }
        if range != nil && !format.hasRange {
            throw ValidationError(
                "--range is for YCbCr formats without a range of their own, and --format is \(format); leave it out")
        }
    }
}
