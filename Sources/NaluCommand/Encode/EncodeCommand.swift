internal import ArgumentParser
private import NaluMedia

/// The subcommand `nalu encode`.
struct EncodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode",
        abstract: "Encode frames to H.264 or H.265, in a container or as a stream (Annex B).",
        discussion: """
            The input is Y4M (4:2:0 with 8 or 10 bits, or gray), raw frames, or a file with H.264 or H.265 video. A video \
            file is decoded; its times, audio and subtitles are kept. Frame rate, range, colour, pixel aspect ratio, chroma \
            location and fields of the input go into the stream. Other sources come through a pipe. The extension of the \
            output selects the container: .mp4, .mov, .mkv, .ts or .flv. With another extension the output is a stream (Annex B).

            Examples:
              nalu encode clip.y4m -o clip.mp4 --bit-rate 2M
              nalu encode clip.rgb -o clip.mp4 --format rgb24 --size 640x360 --fps 25
              nalu encode clip.y4m -o clip.h264 -p MaxKeyFrameInterval=50
              nalu encode clip.y4m rtmp://localhost/live/stream --bit-rate 2M
              ffmpeg -i clip.webm -f yuv4mpegpipe - | nalu encode - -o clip.mp4

            The output can be an address: rtmp://, srt://, udp:// or http:// (PUT). Frames are then encoded without delay at the \
            pace of their times, and --bit-rate is the most that is sent over rtmp:// and srt://.

            Ctrl-C stops reading; the frames read so far are encoded and the output is complete. A second Ctrl-C ends at once. \
            An input that ends in the middle of a frame is encoded up to that point, and the exit code is 1.
            """)

    @OptionGroup var input: InputOptions

    @OptionGroup var target: OutputPath

    var output: String { target.path }

    @OptionGroup var outputOptions: OutputOptions

    @OptionGroup var codec: CodecOptions

    @OptionGroup var encoder: EncoderOptions

    @OptionGroup var decoder: DecoderOptions

    @Flag(name: .shortAndLong, help: "Print no progress and no summary.")
    var quiet = false

    func validate() throws {
        try outputOptions.check(output)
    }

    func run() throws {
        FFmpegLog.silence()
        _ = try decoder.options()
        let file = try InputFile(path: input.input)
        let container = outputOptions.container(of: output)
        let codec = try codec.codec(of: [(container, output)], encoder: encoder.identifier)
        let asked = try encoder.settings(codec: codec)
        let target = try OutputFile(
            path: output, replaces: outputOptions.force, input: file, container: container,
            allowsAddress: true)
        let source = try InputFacts.frames(input, decoder, from: file)
        try EncodeRun(
            source, to: target, as: container, codec: codec, asked: asked, encoder: encoder.identifier, isQuiet: quiet
        ).run()
    }
}
