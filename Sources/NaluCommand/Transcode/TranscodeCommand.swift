internal import ArgumentParser
private import NaluMedia

/// `nalu transcode`.
struct TranscodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transcode",
        abstract: "Decode a video file and encode it again as H.264.",
        discussion: """
            The input has H.264 or H.265 video. The times of the frames stay exactly as they are, and so do colour, pixel \
            aspect ratio and rotation. Sound and subtitles are copied. The encoder options are those of nalu encode. The \
            extension of the output selects the form: .mp4, .mov, .mkv, .ts, .flv or .h264.

            Examples:
              nalu transcode in.mp4 out.mp4 --bit-rate 800k
              nalu transcode phone.mov web.mp4 --preset slow --fast-start

            Ctrl-C stops reading; what was read so far is encoded and the file is complete. A second Ctrl-C ends at once.
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var input: String

    @OptionGroup var target: OutputPath

    var output: String { target.path }

    @Option(help: ArgumentHelp("The track, counted from 0; by default the first video track.", valueName: "number"))
    var track: Int?

    @Option(help: ArgumentHelp("Stop after this many frames.", valueName: "number"))
    var frames: Int?

    @Option(name: [.customLong("format"), .customLong("input-format")], help: InputFormat.help)
    var inputFormat: InputFormat?

    @Flag(help: "Take every frame of an MP4 or MOV, also those that its edit list hides from players.")
    var ignoreEditList = false

    @OptionGroup var form: OutputOptions

    @OptionGroup var encoder: EncoderOptions

    @OptionGroup var decoder: DecoderOptions

    @Flag(name: .shortAndLong, help: "Print no progress and no summary.")
    var quiet = false

    func validate() throws {
        try form.check(output)
        if let frames, frames < 1 { throw ValidationError("--frames is \(frames); it must be at least 1") }
    }

    func run() throws {
        FFmpegLog.silence()
        let asked = try encoder.settings()
        let decoding = try decoder.options()
        let input = try InputFile(path: input)
        let form = form.form(of: output)
        let output = try OutputFile(path: output, replaces: self.form.force, input: input, form: form)
        let file = try MediaFile(input, track: track, format: inputFormat, ignoresEditList: ignoreEditList)
        let source = try DecodedFrames(file, limit: frames, retimed: nil, options: decoding)
        try EncodeRun(source, to: output, as: form, asked: asked, isQuiet: quiet).run()
    }
}
