internal import ArgumentParser
internal import Nalu
internal import NaluBase
private import NaluLibc
internal import NaluMedia

/// The subcommand `nalu play`.
struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play H.264 or H.265 video in a window, with its audio.",
        discussion: """
            The input is a file, - for standard input, or an address: http://, srt://, tcp:// or udp://.

            Keys:
              space        pause and continue
              left, right  move back or forward by 5 seconds
              [ ]          play slower or faster; also the arrows down and up
              .            pause, and show the next picture
              f            fill the screen, and back
              q, Escape    quit

            Examples:
              nalu play clip.mp4 --start 1:30
              nalu play 'srt://0.0.0.0:9000?mode=listener' --delay 50
              nalu capture screen - | nalu play - --input-format h264

            srt:// and udp:// are live: pictures are shown --delay milliseconds after the fastest of them arrive, and a \
            pause leaves out what arrives meanwhile. The device that plays the audio is the clock of the pictures, and \
            without audio the computer's clock is. The window needs SDL2, Debian's package libsdl2-2.0-0.
            """)

    @Argument(help: "A file, - for standard input, or an address.", completion: .file())
    var input: String

    @Option(
        help: ArgumentHelp("Begin at this time, in seconds or [H:]MM:SS.", valueName: "time"),
        transform: TimeArgument.read)
    var start: TimeArgument?

    @Option(help: ArgumentHelp("The speed, 0.1 to 8.", valueName: "factor"))
    var rate: Double = 1

    @Flag(help: "Begin again at the end.")
    var loop = false

    @Flag(help: "Fill the screen.")
    var fullScreen = false

    @Flag(help: "Play no audio.")
    var noAudio = false

    @Option(
        help: ArgumentHelp(
            "Show pictures this long after they arrive, 0 to 2000 milliseconds, as is done for srt:// and udp://. The default there is 100.",
            valueName: "ms"))
    var delay: Int?

    @Option(help: InputFormatArgument.help)
    var inputFormat: InputFormatArgument?

    @Flag(name: .shortAndLong, help: "Print no summary.")
    var quiet = false

    func validate() throws {
        guard Player.rates.contains(rate) else { throw ValidationError("--rate is \(rate); expected 0.1 to 8") }
        if let delay, !(0...2000).contains(delay) {
            throw ValidationError("--delay is \(delay); expected 0 to 2000 milliseconds")
        }
        guard isLive else { return }
        for (option, isSet) in [("--start", start != nil), ("--loop", loop), ("--rate", rate != 1)] where isSet {
            throw ValidationError("\(option) needs an input that is not live; leave out \(option), or play a file")
        }
    }

    private var isLive: Bool { delay != nil || PlayInput.isLive(input) }

    func run() throws {
        FFmpegLog.silence()
        try PictureWindow.loadLibrary()
        let slot = PictureSlot()
        // Before there is a window, a signal can end the process at once.
        let isOpen = Guarded(false)
        try Interruption.watch {
            guard isOpen.withLock({ $0 }) else { _exit(Interruption.exitCode(Interruption.signal ?? SIGINT)) }
            slot.wake()
        }
        let source = try PlayInput(input, format: inputFormat)
        for (option, isSet) in [("--start", start != nil), ("--loop", loop)] where isSet && !source.canSeek {
            throw Failure.usage("\(option) needs an input that can seek; save \(source.file.name) to a file first")
        }
        if let start, let end = source.end, source.start + start.time >= end {
            throw Failure.usage(
                "--start is \(start.text); \(source.file.name) ends at \((end - source.start).secondsText) s")
        }
        isOpen.change { $0 = true }
        let options = Player.Options(
            start: start?.time, rate: rate, loops: loop,
            delay: isLive ? Double(delay ?? 100) / 1000 : nil)
        try PlayRun(source, options, slot, playsAudio: !noAudio, isFullScreen: fullScreen, isQuiet: quiet).run()
    }
}
