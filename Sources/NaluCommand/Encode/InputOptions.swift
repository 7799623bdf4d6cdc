internal import ArgumentParser
internal import Nalu

/// The options that describe the input.
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
            "Frames per second, such as 25, 30000/1001 or 29.97. Raw frames need it; for other input it replaces the times.",
            valueName: "rate"), transform: RationalFrameRate.read)
    var fps: RationalFrameRate?

    @Option(
        help:
            "The range of the values in raw frames or Y4M. It overrides that of the input; by default limited if the input states none."
    )
    var range: PixelRange?

    @Option(help: ArgumentHelp("Stop after this many frames.", valueName: "number"))
    var frames: Int?

    func validate() throws {
        if let frames, frames < 1 { throw ValidationError("--frames is \(frames); expected 1 or more") }
        if format == nil && size != nil {
            throw ValidationError("--size is for raw frames; add --format")
        }
        guard let format else { return }
        if size == nil { throw ValidationError("raw frames have no header with a size; add --size WxH") }
        if fps == nil { throw ValidationError("raw frames have no header with a rate; add --fps RATE") }
        if range != nil && !format.hasRange {
            throw ValidationError(
                "--range is for YCbCr formats without a fixed range, but --format is \(format); leave it out")
        }
    }
}

/// A size as people write it, "1280x720".
struct FrameSize: TextArgument {
    static let expected = "width and height in pixels, such as 1280x720"

    let width: Int
    let height: Int

    init?(_ argument: String) {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), width > 0, height > 0 else {
            return nil
        }
        self.width = width
        self.height = height
    }

    var text: String { "\(width)x\(height)" }
}

/// The names of raw frame formats, whose planes and rows follow each other without padding.
enum RawFormat: String, CaseIterable, ExpressibleByArgument {
    case nv12, i420, yuv420p, bgra, rgba, argb, abgr, rgb24, bgr24, uyvy, yuyv, gray, p010

    /// - Parameter isFullRange: the sample range; without effect for formats that have only one.
    func pixelFormat(isFullRange: Bool) -> PixelFormat {
        switch self {
        case .nv12: isFullRange ? .nv12FullRange : .nv12
        case .i420, .yuv420p: isFullRange ? .i420FullRange : .i420
        case .bgra: .bgra
        case .rgba: .rgba
        case .argb: .argb
        case .abgr: .abgr
        case .rgb24: .rgb24
        case .bgr24: .bgr24
        case .uyvy: .uyvy
        case .yuyv: .yuyv
        case .gray: .gray8
        case .p010: isFullRange ? .x420FullRange : .x420
        }
    }

    /// True if the samples can have either range.
    var hasRange: Bool {
        pixelFormat(isFullRange: false) != pixelFormat(isFullRange: true)
    }
}

/// The range of luma samples with 8 bits: "limited" is 16...235, "full" is 0...255.
enum PixelRange: String, CaseIterable, ExpressibleByArgument {
    case limited, full
}
