internal import ArgumentParser
private import CNalu
private import Nalu
private import NaluBase
private import NaluMedia

/// The command `nalu`, which only dispatches to its subcommands.
@main
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nalu",
        abstract:
            "Encode video to H.264 and H.265, decode both, read and write containers, and inspect streams.",
        discussion: """
            Examples:
              nalu encode clip.y4m -o clip.mp4        encode frames
              nalu capture screen screen.mp4           encode what a screen shows
              nalu transcode video.mp4 small.mp4       re-encode a video, and copy its audio
              nalu cut video.mp4 scene.mp4 --start 5   copy a time range
              nalu demux video.mp4 video.h264           copy only the video stream
              nalu decode video.mp4 video.y4m           decode to frames
              nalu inspect video.mp4                   report what a file contains
              nalu serve screen                        show the screen in a browser
              nalu play video.mp4                      play in a window

            Exit codes:
              0    success
              1    failure; an error message is on standard error
              64   the command line is wrong, or a session rejects its settings
              130  interrupted by Ctrl-C (SIGTERM: 143, SIGHUP: 129); the output is complete
            """,
        version: ToolVersion.text,
        subcommands: [
            EncodeCommand.self, TranscodeCommand.self, CutCommand.self, DecodeCommand.self, DemuxCommand.self,
            CaptureCommand.self, ServeCommand.self, PlayCommand.self, InspectCommand.self, ConvertCommand.self,
            PropertiesCommand.self, EncodersCommand.self,
        ])

    static func main() {
        Spelling.becomeCommand()
        do {
            try checkSubcommand()
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch let error where exitCode(for: error).isSuccess {
            if let path = arguments.prefix(while: { $0 != "--" }).first(where: isTakenForHelp) {
                Failure.end(
                    with: Failure.usage(
                        "there is no option \"\(NaluError.excerpt(path))\"; expected ./ or the argument -- in front of a path that begins with a dash"
                    ))
            }
            exit(withError: error)
        } catch {
            Failure.end(with: error)
        }
    }

    /// The arguments without the program's name. Those that are paths keep their bytes, which need not be UTF-8.
    private static let arguments = (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
        unsafe CommandLine.unsafeArgv[index].map { unsafe String(path: $0) }
    }

    /// Returns whether the parser takes a path for several one-letter options, of which one asks for help.
    private static func isTakenForHelp(_ argument: String) -> Bool {
        let letters = argument.dropFirst()
        return argument.hasPrefix("-") && !argument.hasPrefix("--") && argument != "-help" && letters.contains("h")
            && !letters.allSatisfy { "fh".contains($0) }
    }

    /// Throws for an unknown subcommand. The parser would only report an unexpected argument.
    private static func checkSubcommand() throws(Failure) {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let name = arguments.first, !name.hasPrefix("-"), name != "help",
            !names.contains(name)
        else { return }
        throw .usage(
            "there is no subcommand \"\(NaluError.excerpt(name))\"; expected \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "") (see nalu --help)"
        )
    }
}

/// The version, from `nalu/base.h`.
enum ToolVersion {
    static let text = "\(NALU_VERSION_MAJOR).\(NALU_VERSION_MINOR).\(NALU_VERSION_PATCH)"
}
