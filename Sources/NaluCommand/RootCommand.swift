internal import ArgumentParser

/// The command `nalu`: it only leads to its subcommands.
@main
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nalu",
        abstract:
            "Encode video to H.264, decode H.264 and H.265, take containers apart, and look at what streams hold.",
        discussion: """
            Examples:
              nalu encode clip.y4m -o clip.mp4        frames into a file
              nalu transcode film.mp4 small.mp4       a film anew, with its sound
              nalu demux film.mp4 film.h264           its stream alone, or film.h265
              nalu decode film.mp4 film.y4m           frames out of a file
              nalu inspect film.mp4                   what it holds

            Exit codes:
              0    done
              1    failed: a sentence on standard error says why
              64   the command line is wrong, or a session refuses what it asks for
              130  interrupted by Ctrl-C, and what was read until then is written (143: by SIGTERM, 129: by SIGHUP)
            """,
        version: ToolVersion.text,
        subcommands: [
            EncodeCommand.self, TranscodeCommand.self, DecodeCommand.self, DemuxCommand.self, InspectCommand.self,
            ConvertCommand.self, PropertiesCommand.self, EncodersCommand.self,
        ])

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error where exitCode(for: error).isSuccess {
            exit(withError: error)
        } catch {
            Failure.end(with: error)
        }
    }
}
