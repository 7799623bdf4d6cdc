internal import ArgumentParser
internal import Nalu
private import NaluMedia

/// The subcommand `nalu decode`.
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode video to Y4M, to raw frames, or to a PNG contact sheet.",
        discussion: """
            Frames are written once, in presentation order. Y4M and raw frames have no times; if those of the input are \
            uneven, a line on standard error reports this. The extension of the output selects the format: .y4m, .yuv, .nv12, \
            .p010, .rgb or .png.

            Examples:
              nalu decode clip.mp4 clip.y4m
              nalu decode clip.mp4 - --format nv12 | wc -c
              nalu decode clip.mp4 sheet.png --sheet 5x4
            """)

    @Argument(
        help: "A file with H.264 or H.265 video: MP4, MOV, Matroska, MPEG-TS, FLV, or a stream. - is standard input.",
        completion: .file())
    var input: String

    @OptionGroup var target: OutputPath

    var output: String { target.path }

    @Option(
        help: ArgumentHelp(
            "The format, whatever the extension: y4m, png, or raw frames (without padding). y4m and yuv keep the layout and depth of the video.",
            valueName: "name"))
    var format: FrameFileFormat?

    @Option(
        help: ArgumentHelp(
            "Columns and rows of a PNG contact sheet, whose frames are evenly spread over time; by default 4x3.",
            valueName: "CxR"),
        transform: SheetSize.read)
    var sheet: SheetSize?

    @Option(help: ArgumentHelp("The track, counted from 0; by default the first video track.", valueName: "number"))
    var track: Int?

    @Option(help: InputFormatArgument.help)
    var inputFormat: InputFormatArgument?

    @Option(help: ArgumentHelp("Stop after this many frames.", valueName: "number"))
    var frames: Int?

    @Option(
        name: [.short, .customLong("property"), .customLong("decoder-property")], parsing: .unconditionalSingleValue,
        help: DecoderProperties.help, completion: DecoderProperties.completion)
    var properties: [String] = []

    @Flag(help: "Decode every frame of an MP4 or MOV, also those that its edit list hides from players.")
    var ignoreEditList = false

    @Flag(name: .shortAndLong, help: "Replace the output file if it exists.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print no progress and no summary.")
    var quiet = false

    var fileFormat: FrameFileFormat { format ?? FrameFileFormat(ofPath: output) }

    func validate() throws {
        if let frames, frames < 1 { throw ValidationError("--frames is \(frames); expected 1 or more") }
        if format == nil, let fileExtension = OutputContainer.videoExtension(ofPath: output) {
            throw ValidationError(
                "nalu decode writes frames, and .\(fileExtension) is an extension of video files; expected .y4m, .yuv, .nv12, .p010, .rgb or .png, or any extension with --format; nalu transcode and nalu demux write video files"
            )
        }
        if sheet != nil && fileFormat != .png {
            throw ValidationError(
                "--sheet is for PNG files; expected an output with the extension .png, or --format png")
        }
    }

    func run() throws {
        FFmpegLog.silence()
        try DecodeRun(self).run()
    }
}

/// The format of decoded pictures in the output.
enum FrameFileFormat: String, CaseIterable, ExpressibleByArgument {
    case y4m, yuv, i420, yuv420p, nv12, p010, rgb24, png

    /// Selects the format by the extension of a path. Standard output and unknown extensions get Y4M.
    init(ofPath path: String) {
        let fileExtension = path.split(separator: "/").last?.split(separator: ".").dropFirst().last?.lowercased()
        switch fileExtension {
        case "yuv": self = .yuv
        case "i420", "yuv420p": self = .i420
        case "nv12": self = .nv12
        case "p010": self = .p010
        case "rgb", "rgb24": self = .rgb24
        case "png": self = .png
        default: self = .y4m
        }
    }

    /// Returns an error message on what the frames of a stream would lose in this format; nil if they lose nothing.
    func misfit(of facts: VideoFacts, _ name: String) -> String? {
        switch self {
        case .rgb24, .png: return nil
        case _ where facts.format.isRGB:
            return "\(name) is RGB, but \(rawValue) is YCbCr; use --format rgb24 or png"
        case .y4m, .yuv: return nil
        case .i420, .yuv420p, .nv12:
            guard facts.bitDepth > 8 else { return nil }
            let other = facts.bitDepth <= 10 ? "p010, yuv" : "yuv"
            return "\(name) has \(facts.bitDepth) bits per sample, but \(rawValue) has 8; use --format \(other) or y4m"
        case .p010:
            guard facts.bitDepth < 9 || facts.bitDepth > 10 else { return nil }
            let other = facts.bitDepth < 9 ? "nv12" : "yuv"
            return "\(name) has \(facts.bitDepth) bits per sample, but p010 has 10; use --format \(other) or y4m"
        }
    }
}

/// The number of pictures in a contact sheet, columns x rows: "4x3".
struct SheetSize: TextArgument {
    static let expected = "columns and rows, each from 1 to 40, such as 4x3"

    let columns: Int
    let rows: Int

    var count: Int { columns * rows }

    init?(_ argument: String) {
        guard let size = FrameSize(argument), size.width <= 40, size.height <= 40 else { return nil }
        (columns, rows) = (size.width, size.height)
    }
}
