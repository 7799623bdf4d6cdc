internal import ArgumentParser
internal import Nalu
internal import NaluMedia

/// The subcommand `nalu capture`.
struct CaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Capture a camera, a screen or the test source, and encode it in real time, with audio.",
        discussion: """
            The device is camera, screen or test for the default device of that kind, or an identifier that --list prints. \
            Screens are also x11:DISPLAY, and windows x11:DISPLAY/0xWINDOW.

            Examples:
              nalu capture --list
              nalu capture test clip.mp4 --duration 5
              nalu capture screen screen.mp4 --fps 30 --cursor --bit-rate 4M
              nalu capture screen corner.mkv --region 640x360+100+50 --codec hevc
              nalu capture screen screen.mp4 --permission ~/.screen-permission
              nalu capture camera talk.mp4 --audio microphone
              nalu capture screen rtmp://host/live/name --audio microphone --bit-rate 4M --record screen.mp4

            The bit rate follows the link to an rtmp or srt address, up to --bit-rate. An address has a key frame every 2 \
            seconds unless a property says otherwise, and --record keeps a file of everything, also while there is no \
            connection.

            Ctrl-C stops capturing; the pictures captured so far are encoded and the output is complete. A second Ctrl-C \
            ends at once. The output is complete too if the device goes away, and the exit code is 1.
            """)

    @Argument(help: ArgumentHelp("The device: camera, screen, test, or an identifier.", valueName: "device"))
    var device: String?

    @OptionGroup var output: OutputName

    @Flag(help: "List the devices with their formats, and end.")
    var list = false

    @OptionGroup var pictures: PictureOptions

    @Option(
        help: ArgumentHelp(
            "Also capture audio, and encode it to AAC: microphone, test, or an identifier.", valueName: "device"))
    var audio: String?

    @Option(
        help: ArgumentHelp(
            "If the output is an address: a file that gets all samples too, also those that the network loses.",
            valueName: "file"), completion: .file())
    var record: String?

    @Option(help: ArgumentHelp("Stop after this time.", valueName: "seconds"))
    var duration: Double?

    @Flag(help: "Show the pictures in a window. Closing it, or the key q, stops capturing.")
    var preview = false

    @OptionGroup var outputOptions: OutputOptions

    @OptionGroup var codec: CodecOptions

    @OptionGroup var encoder: EncoderOptions

    @Flag(name: .shortAndLong, help: "Print no status line and no summary.")
    var quiet = false

    /// The seconds in which people may permit the capture of a screen.
    private static let permissionLimit = 120.0

    func validate() throws {
        if list { return }
        if device == nil {
            throw ValidationError("there is no device; name camera, screen, test, or an identifier of --list")
        }
        guard let path = output.path, !path.isEmpty else {
            throw ValidationError("there is no output; name a file after the device, or with --output")
        }
        if let duration, !(0.001...1e9 ~= duration) {
            throw ValidationError("--duration is \(duration); expected 0.001 to 1000000000 seconds")
        }
        try Self.check(path, record: record, hasAudio: audio != nil, outputOptions)
    }

    func run() throws {
        if list { return try CaptureList.print() }
        FFmpegLog.silence()
        guard let device, let path = output.path else { return }
        if preview { try PictureWindow.loadLibrary() }
        let paths = [path] + (record.map { [$0] } ?? [])
        let codec = try codec.codec(
            of: paths.map { (outputOptions.container(of: $0), $0) }, encoder: encoder.identifier)
        let asked = try encoder.settings(codec: codec)
        let outputs = try CaptureOutputs(path: path, record: record, outputOptions)
        let found = try self.device(device)
        guard !found.videoFormats.isEmpty else {
            throw Failure.usage("\(device) has no pictures; name it with --audio, and a camera, a screen or test first")
        }
        var options = try pictures.session()
        let rate = pictures.rate
        options.frameDuration = rate.time(ofFrame: 1)
        if found.kind == .screen { options.startTimeout = Self.permissionLimit }
        // x264 reads this format without a further copy.
        options.pixelFormat = .nv12
        if let audio {
            // One source for both media has one clock.
            options.audioDevice = audio == device ? found : try self.device(audio)
            guard options.audioDevice?.audioFormats.isEmpty == false else {
                throw Failure.usage("--audio is \(audio), which has no audio; expected a microphone or test")
            }
        }
        try CaptureEncoding(
            device: found, options: options, rate: rate, permission: pictures.screenPermission, duration: duration,
            outputs: outputs, codec: codec, encoder: encoder.identifier, asked: asked, showsPreview: preview,
            isQuiet: quiet
        ).run()
    }

    private func device(_ identifier: String) throws -> CaptureDevice {
        do { return try CaptureDevices.device(identifier) } catch { throw Failure(error.message) }
    }

    /// Checks the paths before anything is opened.
    private static func check(_ path: String, record: String?, hasAudio: Bool, _ options: OutputOptions) throws {
        if let record {
            guard Publisher.isAddress(path) else {
                throw ValidationError(
                    "--record is for a file beside an address, but the output is the file \(path); leave it out")
            }
            try OutputOptions.checkAddress(path)
            if Publisher.isAddress(record) {
                throw ValidationError("--record is \(record), an address; expected a file")
            }
            try options.check(record)
        } else {
            try options.check(path)
        }
        let kind = options.container(of: record ?? path).kind
        if hasAudio, kind == .h264 || kind == .hevc {
            throw ValidationError(
                "--audio needs a container, but \(record ?? path) is a raw \(kind) stream, which has no audio; expected .mp4, .mov, .mkv, .ts or .flv, or no --audio"
            )
        }
    }
}
