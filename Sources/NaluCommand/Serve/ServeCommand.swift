internal import ArgumentParser
internal import Nalu
internal import NaluMedia

#if Serve
    private import NaluServe
#endif

/// The subcommand `nalu serve`.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show a screen, a camera, a file or the test source live in a browser.",
        discussion: """
            The page is at http://localhost:PORT. It shows the delay, the bit rate and lost frames; viewers can change the bit \
            rate and request a key frame. Nothing is encoded while there is no viewer. A file is repeated.

            Only this machine can open the page, unless --address is given; the page's address then has a random token. \
            docs/live.md describes the page and the protocol.

            Examples:
              nalu serve screen                               at http://localhost:8090
              nalu serve test --size 1280x720 --fps 30
              nalu serve screen --region 1280x720+0+0 --cursor --view-only
              nalu serve video.mp4 --port 9000
              nalu serve screen --address 0.0.0.0             for browsers on other machines

            Ctrl-C ends.
            """)

    @Argument(
        help: "screen, camera, test, the identifier of a capture device, or a file with H.264 or H.265 video.",
        completion: .file())
    var source: String

    @Option(
        help: ArgumentHelp(
            "The IP address to listen on: 0.0.0.0 or :: for all networks of this machine.", valueName: "address"))
    var address = "127.0.0.1"

    @Option(help: ArgumentHelp("The port, or 0 for any free one.", valueName: "number"))
    var port = 8090

    @Option(
        help: ArgumentHelp(
            "The secret that the page's address must contain. By default there is none on this machine, and a random one for other addresses.",
            valueName: "text"))
    var token: String?

    @Option(help: ArgumentHelp("The most viewers at a time.", valueName: "number"))
    var maxViewers = 16

    @Flag(help: "Viewers cannot change the bit rate.")
    var viewOnly = false

    @OptionGroup var pictures: PictureOptions

    @OptionGroup var encoder: EncoderOptions

    @Flag(name: .shortAndLong, help: "Print only the page's address.")
    var quiet = false

    func validate() throws {
        guard (0...65535).contains(port) else {
            throw ValidationError("--port is \(port); expected 0 to 65535")
        }
        guard (1...100).contains(maxViewers) else {
            throw ValidationError("--max-viewers is \(maxViewers); expected 1 to 100")
        }
        // The description of the stream for the page is that of H.264.
        let able = EncoderRegistry.all.filter { $0.codec == EncoderRegistry.h264 }.map { $0.id.description }
        if let identifier = encoder.identifier, !able.contains(identifier) {
            throw ValidationError(
                "--encoder is \(identifier), but the page decodes H.264; expected one of "
                    + able.joined(separator: ", "))
        }
    }

    func run() throws {
        #if Serve
            FFmpegLog.silence()
            if let token, !ServeOptions.isToken(token) {
                throw Failure.usage(
                    "--token has other characters or another length; expected 8 to 128 letters, digits, - and _")
            }
            let frames = try LiveSources.source(source, pictures)
            let secret = token ?? (ServeOptions.isLoopback(address) ? nil : ServeOptions.makeToken())
            let options = ServeOptions(
                address: address, port: UInt16(clamping: port), token: secret, maximumViewers: maxViewers,
                isViewOnly: viewOnly)
            try ServeRun(
                frames, options: options, encoder: encoder.identifier,
                asked: try encoder.settings(), isQuiet: quiet
            ).run()
        #else
            throw Failure(
                "this build of nalu has no server; build the command with `swift build -c release --product nalu`, "
                    + "which includes it")
        #endif
    }
}
