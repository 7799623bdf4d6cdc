internal import ArgumentParser

/// The subcommand `nalu demux`.
struct DemuxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demux",
        abstract: "Copy the video of a container to a stream or to another container.",
        discussion: """
            Nothing is decoded. The samples stay as they are, and so do their times, as exactly as the output can store \
            them. Audio and subtitles are copied if the output's container supports them. A stream (Annex B) has the codec of \
            the input, which nalu inspect reports, and has the parameter sets before every key frame. The extension of \
            the output selects the format: .h264 or .h265 (a stream), .mp4, .mov, .mkv, .ts or .flv.

            Examples:
              nalu demux clip.mp4 clip.h264
              nalu demux phone.mov phone.h265
              nalu demux clip.ts clip.mp4
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var input: String

    @OptionGroup var target: OutputPath

    var output: String { target.path }

    @Option(help: ArgumentHelp("The track, counted from 0; by default the first video track.", valueName: "number"))
    var track: Int?

    @Option(name: [.customLong("format"), .customLong("input-format")], help: InputFormatArgument.help)
    var inputFormat: InputFormatArgument?

    @Flag(help: "Decode every frame of an MP4 or MOV, also those that its edit list hides from players.")
    var ignoreEditList = false

    @OptionGroup var outputOptions: OutputOptions

    @Flag(name: .shortAndLong, help: "Print no progress and no summary.")
    var quiet = false

    func validate() throws {
        try outputOptions.check(output)
    }

    func run() throws {
        try DemuxRun(self).run()
    }
}
