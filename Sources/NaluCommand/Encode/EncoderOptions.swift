internal import ArgumentParser
internal import Nalu

/// The command-line options for the encoder.
struct EncoderOptions: ParsableArguments {
    private static let identifiers = EncoderRegistry.all.map { $0.id.description }

    @Option(
        name: .customLong("encoder"),
        help: ArgumentHelp(
            "The identifier of the encoder; nalu encoders lists them. By default the first one of the codec.",
            valueName: "id"),
        completion: .list(EncoderOptions.identifiers))
    var identifier: String?

    @Option(
        help: ArgumentHelp(
            "HighQuality, Balanced, HighSpeed or VideoConferencing, which set several properties; or one of the encoder's "
                + "presets, from ultrafast to placebo.", valueName: "name"),
        completion: .list(Presets.names))
    var preset: String?

    @Option(
        help: ArgumentHelp(
            "A tune of x264, and optionally fastdecode or zerolatency after it: film,zerolatency.", valueName: "names"),
        completion: .list(["film", "animation", "grain", "stillimage", "psnr", "ssim", "fastdecode", "zerolatency"]))
    var tune: String?

    @Option(
        help: ArgumentHelp("The average bit rate in bits per second, such as 2M or 800k.", valueName: "rate"),
        transform: BitRate.read)
    var bitRate: BitRate?

    @Option(
        help: ArgumentHelp(
            "A constant quality: 0.25 low, 0.5 normal, 0.75 high, 1 the finest that the profile allows.",
            valueName: "0 to 1"))
    var quality: Double?

    @Option(
        name: [.short, .customLong("property")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Set a property of the session; nalu properties lists them. May be given several times.",
            valueName: "key=value"),
        completion: .list(PropertyNames.settable.map { $0 + "=" }))
    var properties: [String] = []

    @Flag(help: "Measure each frame, and report PSNR and SSIM in the summary. Encoding takes a little longer.")
    var measure = false

    func validate() throws {
        if let quality, !(0...1).contains(quality) {
            throw ValidationError("--quality is \(quality); expected 0 to 1")
        }
        guard let identifier, !Self.identifiers.contains(identifier) else { return }
        throw ValidationError(
            "--encoder is \"\(NaluError.excerpt(identifier))\"; expected one of "
                + Self.identifiers.joined(separator: ", "))
    }

    /// Returns all settings in the order in which the session must receive them.
    func settings(codec: CodecOptions.Codec = .h264) throws -> [(key: PropertyKey, value: PropertyValue?)] {
        var settings: [(key: PropertyKey, value: PropertyValue?)] = []
        if let preset { settings += try Presets.settings(of: preset, codec, identifier) }
        if let tune { settings.append((.x264Tune, .string(tune))) }
        if let bitRate { settings.append((.averageBitRate, .integer(bitRate.bitsPerSecond))) }
        if let quality { settings.append((.quality, .double(quality))) }
        if measure { settings.append((.calculateMeanSquaredError, true)) }
        for text in properties {
            for (key, value) in try PropertyArgument.settings(text) {
                settings.removeAll { $0.key == key }
                settings.append((key, value))
            }
        }
        return settings
    }
}

/// A bit rate in bits per second, as people write it: "2M", "2.5m", "800k", "800000".
struct BitRate: TextArgument {
    static let expected = "1 or more bits per second, such as 2M, 800k or 800000"

    let bitsPerSecond: Int64

    init?(_ argument: String) {
        let factors: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9]
        let factor = argument.last.flatMap { factors[$0] }
        guard let number = Double(factor == nil ? argument[...] : argument.dropLast()) else { return nil }
        let bits = (number * (factor ?? 1)).rounded()
        // The property's value 0 means the encoder's choice, so it is no bit rate.
        guard bits >= 1, bits <= 1e15 else { return nil }
        bitsPerSecond = Int64(bits)
    }
}

/// The names that --preset accepts: the library's presets and those of x264, which x265 has too.
enum Presets {
    static let names =
        CompressionPreset.allCases.map(\.rawValue) + (PropertyCatalog.info(.x264Preset)?.allowedValues ?? [])

    /// - Parameter name: the preset's name, in any case.
    static func settings(
        of name: String, _ codec: CodecOptions.Codec, _ encoder: String?
    ) throws -> [(key: PropertyKey, value: PropertyValue?)] {
        let wanted = name.lowercased()
        if let preset = CompressionPreset.allCases.first(where: { $0.rawValue.lowercased() == wanted }) {
            return preset.settings(codec: codec.code, encoderID: encoder)
        }
        guard names.contains(wanted) else {
            throw Failure.usage(
                "there is no preset \"\(NaluError.excerpt(name))\"; expected one of \(names.joined(separator: ", "))")
        }
        return [(codec == .hevc ? .x265Preset : .x264Preset, .string(wanted))]
    }
}
