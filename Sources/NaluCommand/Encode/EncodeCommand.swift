internal import ArgumentParser
private import NaluMedia

/// `nalu encode`.
struct EncodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode",
        abstract: "Encode frames to H.264, in a container or as a stream (Annex B).",
        discussion: """
            Reads Y4M (4:2:0 of 8 or 10 bits, or gray), raw frames, or a file with H.264 or H.265 video, which is decoded: \
            times, sound and subtitles stay. Tells the encoder what the input says of frame rate, range, colour, pixel \
            shape, chroma and fields. Other sources come through a pipe.

            Examples:
              nalu encode clip.y4m -o clip.mp4 --bit-rate 2M
              nalu encode clip.rgb -o clip.mp4 --format rgb24 --size 640x360 --fps 25
              nalu encode clip.y4m -o clip.h264 -p MaxKeyFrameInterval=50
              ffmpeg -i clip.webm -f yuv4mpegpipe - | nalu encode - -o clip.mp4

            Ctrl-C stops reading, and what was read so far becomes a whole stream; a second one ends at once. An input \
            that ends within a frame is encoded up to there, and the exit code is 1.
            """)

    @OptionGroup var input: InputOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file; its ending tells the container: .mp4, .mov, .mkv, .ts, .flv, and Annex B for .h264 and all others. - is "
                + "standard output.", valueName: "file"), completion: .file())
    var output: String

    @OptionGroup var form: OutputOptions

    @OptionGroup var encoder: EncoderOptions

    @Flag(name: .shortAndLong, help: "No progress and no summary.")
    var quiet = false

    func validate() throws {
        try form.check(output)
    }

    func run() throws {
        FFmpegLog.silence()
        let asked = try encoder.settings()
        let file = try InputFile(path: input.input)
        let form = form.form(of: output)
        let target = try OutputFile(path: output, replaces: self.form.force, input: file, form: form)
        let source = try InputFacts.frames(input, from: file)
        try EncodeRun(source, to: target, as: form, asked: asked, isQuiet: quiet).run()
    }
}
