internal import ArgumentParser
private import NaluMedia

/// `nalu transcode`.
struct TranscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transcode",
        abstract: "Decode a video file and encode it anew.",
        discussion: """
            Reads H.264 and H.265, and writes H.264. The times of the frames stay exactly as they are, and so do colour, shape \
            of the pixels and rotation; sound and subtitles go along as they are. What nalu encode takes for the encoder is \
            taken here too.

            Examples:
              nalu transcode in.mp4 out.mp4 --bit-rate 800k
              nalu transcode phone.mov web.mp4 --preset slow --fast-start

            Ctrl-C stops reading, and what was read so far becomes a whole file; a second one ends at once.
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var input: String

    @Argument(
        help:
            "Where to write; the ending tells as what: .mp4, .mov, .mkv, .ts, .flv, .h264. - is standard output.",
        completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The track, from 0; by default the first one of video.", valueName: "number"))
    var track: Int?

    @Option(help: ArgumentHelp("Stop after that many frames.", valueName: "number"))
    var frames: Int?

    @OptionGroup var form: OutputOptions

    @OptionGroup var encoder: EncoderOptions

    @Flag(name: .shortAndLong, help: "No progress and no summary.")
    var quiet = false

    func validate() throws {
        try form.check(output)
        if let frames, frames < 1 { throw ValidationError("--frames is \(frames); it must be at least 1") }
    }

    func run() throws {
        FFmpegLog.silence()
        let asked = try encoder.settings()
        let input = try InputFile(path: input)
        let form = form.form(of: output)
        let output = try OutputFile(path: output, replaces: self.form.force, input: input, form: form)
        let source = try DecodedFrames(MediaFile(input, track: track), limit: frames, retimed: nil)
        try EncodeRun(source, to: output, as: form, asked: asked, isQuiet: quiet).run()
    }
}
