internal import ArgumentParser
internal import Nalu
internal import NaluMedia

/// The options for the pictures of a capture device.
struct PictureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The size of captured pictures; by default the device's.", valueName: "WxH"),
        transform: FrameSize.read)
    var size: FrameSize?

    @Option(
        help: ArgumentHelp(
            "Captured frames per second, such as 25, 30000/1001 or 29.97; by default 30.", valueName: "rate"),
        transform: RationalFrameRate.read)
    var fps: RationalFrameRate?

    @Option(
        help: ArgumentHelp("The part of a screen: its size and its top left corner.", valueName: "WxH+X+Y"),
        transform: ScreenRegion.read)
    var region: ScreenRegion?

    @Flag(help: "Show the pointer in the pictures of a screen.")
    var cursor = false

    @Option(
        help: ArgumentHelp(
            "A file that keeps the permission to capture a screen of Wayland, so that the desktop asks only once.",
            valueName: "file"), completion: .file())
    var permission: String?

    /// The first of the options that the user has given; nil if there is none.
    var given: String? {
        let all = [
            ("--size", size != nil), ("--fps", fps != nil), ("--region", region != nil), ("--cursor", cursor),
            ("--permission", permission != nil),
        ]
        return all.first { $0.1 }?.0
    }

    /// The frames per second, also without `--fps`.
    var rate: RationalFrameRate { fps ?? .captured }

    /// The file of `--permission`.
    var screenPermission: ScreenPermission? { permission.map(ScreenPermission.init) }

    /// Returns the options of a capture session. The frame rate is the device's if the user has given none.
    func session() throws(Failure) -> CaptureSession.Options {
        var options = CaptureSession.Options()
        (options.width, options.height) = (size?.width, size?.height)
        options.frameDuration = fps?.time(ofFrame: 1)
        options.region = region?.region
        options.showsCursor = cursor
        options.restoreToken = try screenPermission?.read()
        return options
    }
}

/// The value of `--region`, for example "640x360+100+50".
struct ScreenRegion: TextArgument {
    static let expected = "a size and a position in pixels, such as 640x360+100+50"

    let region: PixelRegion

    init?(_ argument: String) {
        let numbers = argument.split(whereSeparator: { "xX+".contains($0) }).map { Int($0) }
        let marks = argument.filter { !$0.isNumber }.lowercased()
        guard marks == "x++", numbers.count == 4, let width = numbers[0], let height = numbers[1], let x = numbers[2],
            let y = numbers[3]
        else { return nil }
        region = PixelRegion(x: x, y: y, width: width, height: height)
    }
}
