internal import ArgumentParser
private import NaluMedia

/// `nalu decode`.
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode video to Y4M or raw frames, or to a picture with a few of them.",
        discussion: """
            Every frame is written once, in the order in which they are shown. Y4M and raw frames have no times: where those \
            of the input are uneven, a line says so.

            Examples:
              nalu decode clip.mp4 clip.y4m
              nalu decode clip.mp4 - --format nv12 | wc -c
              nalu decode clip.mp4 sheet.png --sheet 5x4
            """)

    @Argument(
        help: "The file, with H.264 or H.265: MP4, MOV, Matroska, MPEG-TS, FLV, a stream. - is standard input.",
        completion: .file())
    var input: String

    @Argument(
        help: "Where to write; the ending tells as what: .y4m, .yuv, .nv12, .p010, .png. - is standard output.",
        completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp(
            "As what, whatever the file is called: y4m, raw frames (planes and rows follow each other without padding), or png.",
            valueName: "name"))
    var format: DecodedForm?

    @Option(
        help: ArgumentHelp("The frames of a PNG file, evenly spread over time; 4x3 by default.", valueName: "CxR"),
        transform: SheetSize.read)
    var sheet: SheetSize?

    @Option(help: ArgumentHelp("The track, from 0; by default the first one of video.", valueName: "number"))
    var track: Int?

    @Option(help: ArgumentHelp("Stop after that many frames.", valueName: "number"))
    var frames: Int?

    @Flag(name: .shortAndLong, help: "Replace the output file if it is there already.")
    var force = false

    @Flag(name: .shortAndLong, help: "No progress and no summary.")
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
