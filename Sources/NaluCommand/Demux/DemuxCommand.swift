internal import ArgumentParser

/// `nalu demux`.
struct DemuxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demux",
        abstract: "Take the video out of a container, as a stream or into another container.",
        discussion: """
            Nothing is decoded: the samples stay as they are, and so do their times, as exactly as the output can say them. \
            Sound and subtitles go along into a container that takes them. A stream (Annex B) gets its parameter sets before \
            every key frame; its codec, which nalu inspect tells, is that of the container.

            Examples:
              nalu demux clip.mp4 clip.h264
              nalu demux phone.mov phone.h265
              nalu demux clip.ts clip.mp4
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var input: String

    @Argument(
        help:
            "Where to write; the ending tells as what: .h264 or .h265 (the stream alone), .mp4, .mov, .mkv, .ts, .flv. - is standard output.",
        completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The track, from 0; by default the first one of video.", valueName: "number"))
    var track: Int?

    @OptionGroup var form: OutputOptions

    @Flag(name: .shortAndLong, help: "No progress and no summary.")
    var quiet = false

    func validate() throws {
        try form.check(output)
    }

    func run() throws {
        try DemuxRun(self).run()
    }
}
