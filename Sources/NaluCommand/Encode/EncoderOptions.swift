internal import ArgumentParser
internal import Nalu

/// What the encoder is asked for.
struct EncoderOptions: ParsableArguments {
    @Option(
        help: "One of x264's presets, from ultrafast to placebo.", completion: .list(Presets.names))
    var preset: String?

    @Option(help: "One of x264's tunes, such as zerolatency or film.")
    var tune: String?

    @Option(help: ArgumentHelp("Bits a second, such as 2M or 800k.", valueName: "rate"))
    var bitRate: BitRate?

    @Option(
        name: [.short, .customLong("property")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Set a property of the session; nalu properties lists them. Can be given several times.",
            valueName: "key=value"),
        completion: .list(PropertyNames.settable.map { $0 + "=" }))
    var properties: [String] = []

    /// All of it, in the order in which it is to be set.
    func settings() throws -> [(key: PropertyKey, value: PropertyValue?)] {
        var settings: [(key: PropertyKey, value: PropertyValue?)] = []
        if let preset { settings += try Presets.settings(of: preset) }
        if let tune { settings.append((.x264Tune, .string(tune))) }
        if let bitRate { settings.append((.averageBitRate, .integer(bitRate.bitsPerSecond))) }
        for text in properties {
            for (key, value) in try PropertyArgument.settings(text) {
                settings.removeAll { $0.key == key }
                settings.append((key, value))
            }
        }
        return settings
    }
}
