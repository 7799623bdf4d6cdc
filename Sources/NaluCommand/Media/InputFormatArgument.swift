internal import ArgumentParser
internal import NaluBitstream

/// The format of an input whose content does not show it.
struct InputFormatArgument: ExpressibleByArgument {
    /// The name as the library spells it.
    let name: String

    private static let others = ["ts": "mpegts", "mts": "mpegts", "m2ts": "mpegts", "mkv": "matroska", "h265": "hevc"]

    init(argument: String) {
        let name = argument.lowercased()
        self.name = Self.others[name] ?? name
    }

    /// The codec of a stream without a container; nil for a container.
    var codec: VideoCodec? {
        switch name {
        case "h264": .h264
        case "hevc": .hevc
        default: nil
        }
    }

    static let help: ArgumentHelp = ArgumentHelp(
        "The format of an input that cannot be detected from its content, such as a stream that begins in the middle: mp4, mov, mkv, ts, flv, h264, h265, or FFmpeg's name for another format.",
        valueName: "name")
}
