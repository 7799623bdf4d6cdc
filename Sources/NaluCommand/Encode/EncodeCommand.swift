internal import ArgumentParser

/// `nalu encode`.
struct EncodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encode",
        abstract: "Encode frames to H.264, in a container or as a stream (Annex B).",
        discussion: """
            Reads Y4M (4:2:0 of 8 or 10 bits, or gray) or raw frames, and tells the encoder what the input says of frame \
            rate, range, pixel shape, chroma and fields. Other sources come through a pipe:
              ffmpeg -i clip.webm -f yuv4mpegpipe - | nalu encode - -o clip.mp4

            Ctrl-C stops reading, and what was read so far becomes a whole stream; a second one ends at once. An input \
            that ends within a frame is encoded up to there, and the exit code is 1.
            """)

    @OptionGroup var input: InputOptions

    @OptionGroup var output: OutputOptions

    @OptionGroup var encoder: EncoderOptions

    @Flag(name: .shortAndLong, help: "No progress and no summary.")
    var quiet = false

    func run() throws {
        let run = try EncodeRun(self)
        try run.run()
    }
}
