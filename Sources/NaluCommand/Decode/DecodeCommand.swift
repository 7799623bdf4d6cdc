internal import ArgumentParser
private import NaluMedia

/// `nalu decode`.
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode video to Y4M, to raw frames, or to a PNG contact sheet.",
        discussion: """
            Frames are written once, in presentation order. Y4M and raw frames have no times; if those of the input are \
            uneven, a line on standard error says so.

            Examples:
              nalu decode clip.mp4 clip.y4m
              nalu decode clip.mp4 - --format nv12 | wc -c
              nalu decode clip.mp4 sheet.png --sheet 5x4
            """)

    @Argument(
        help: "A file with H.264 or H.265 video: MP4, MOV, Matroska, MPEG-TS, FLV, or a stream. - is standard input.",
        completion: .file())
    var input: String

    @Argument(
        help:
            "The output file. Its extension selects the form: .y4m, .yuv, .nv12, .p010 or .png. - is standard output.",
        completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp(
            "The form, whatever the extension: y4m, png, or raw frames (without padding between rows and planes).",
            valueName: "name"))
    var format: DecodedForm?

    @Option(
        help: ArgumentHelp(
            "Columns and rows of a PNG contact sheet, whose frames are evenly spread over time; by default 4x3.",
            valueName: "CxR"),
        transform: SheetSize.read)
    var sheet: SheetSize?

    @Option(help: ArgumentHelp("The track, counted from 0; by default the first video track.", valueName: "number"))
    var track: Int?

    @Option(help: ArgumentHelp("Stop after this many frames.", valueName: "number"))
    var frames: Int?

    @Flag(name: .shortAndLong, help: "Replace the output file if it exists.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print no progress and no summary.")
    var quiet = false

    var form: DecodedForm { format ?? DecodedForm(ofPath: output) }

    func validate() throws {
        if let frames, frames < 1 { throw ValidationError("--frames is \(frames); it must be at least 1") }
        if sheet != nil && form != .png { throw ValidationError("--sheet is for a PNG file; name the output .png") }
    }

    func run() throws {
        FFmpegLog.silence()
        try DecodeRun(self).run()
    }
}
