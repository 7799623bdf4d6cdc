internal import ArgumentParser
internal import Nalu

/// What the encoder is asked for.
struct EncoderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "HighQuality, Balanced, HighSpeed or VideoConferencing, which set several properties; or one of x264's presets, "
                + "from ultrafast to placebo.", valueName: "name"),
        completion: .list(Presets.names))
    var preset: String?

    @Option(
        help: ArgumentHelp(
            "A tune of x264, and optionally fastdecode or zerolatency after it: film,zerolatency.", valueName: "names"),
        completion: .list(["film", "animation", "grain", "stillimage", "psnr", "ssim", "fastdecode", "zerolatency"]))
    var tune: String?

    @Option(
        help: ArgumentHelp("The average bit rate in bits a second, such as 2M or 800k.", valueName: "rate"),
        transform: BitRate.read)
    var bitRate: BitRate?

    @Option(
        name: [.short, .customLong("property")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Set a property of the session; nalu properties lists them. May be given several times.",
            valueName: "key=value"),
        completion: .list(PropertyNames.settable.map { $0 + "=" }))
    var properties: [String] = []

    @Flag(help: "Measure each frame, and report PSNR and SSIM in the summary. Encoding takes a little longer.")
    var quality = false

    /// All of it, in the order in which it is to be set.
    func settings() throws -> [(key: PropertyKey, value: PropertyValue?)] {
        var settings: [(key: PropertyKey, value: PropertyValue?)] = []
        if let preset { settings += try Presets.settings(of: preset) }
        if let tune { settings.append((.x264Tune, .string(tune))) }
        if let bitRate { settings.append((.averageBitRate, .integer(bitRate.bitsPerSecond))) }
        if quality { settings.append((.calculateMeanSquaredError, true)) }
        for text in properties {
            for (key, value) in try PropertyArgument.settings(text) {
                settings.removeAll { $0.key == key }
                settings.append((key, value))
            }
        }
        return settings
    }
}
