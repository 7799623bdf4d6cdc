private import CX264

extension EncoderDescription {
    static let x264 = EncoderDescription(
        id: "org.videolan.x264", name: "x264 core \(X264_BUILD)",
        traits: EncoderTraits(
            codec: .h264,
            input: .eightAndTenBits, options: X264Configuration(), properties: PropertyCatalog.x264, hasPasses: true,
            presetKey: .x264Preset,
            // RealTime chooses its own preset.
            presets: [.highQuality: "slower", .balanced: "medium", .highSpeed: "veryfast"]),
        open: { setup throws(NaluError) in try X264Encoder(setup) })
}

extension PropertyCatalog {
    /// The properties of x264 alone.
    static let x264: [PropertyInfo] = [
        .preset(
            .x264Preset, of: "x264", \.x264.preset, unsafe CText.list(nalu_x264_preset_name),
            "medium, or veryfast with RealTime", derived: { $0.derivedX264Preset }),
        PropertyInfo(
            .x264Tune, .string, .untilOpen, nil, [], "",
            "x264's tunes, separated by commas: " + tunes.joined(separator: ", ") + ".",
            derived: { _ in .string("") },
            get: { $0.x264.tune.map { .string($0) } },
            set: { configuration, value, info throws(NaluError) in
                configuration.x264.tune = value?.stringValue
                let known = tunes
                let psychovisual = Set(known).subtracting(["fastdecode", "zerolatency"])
                for tune in configuration.x264.tunes where !known.contains(tune) {
                    throw info.outOfRange("\"\(NaluError.excerpt(tune))\"", "one of " + known.joined(separator: ", "))
                }
                if configuration.x264.tunes.filter({ psychovisual.contains($0) }).count > 1 {
                    throw info.outOfRange(
                        value?.quoted ?? "unset", "at most one of " + psychovisual.sorted().joined(separator: ", "))
                }
            }),
        PropertyInfo(
            .x264Params, .string, .untilOpen, nil, [], "",
            "x264's options as \"name=value:name=value\", applied last.",
            derived: { _ in .string("") },
            get: { $0.x264.options.text.isEmpty ? nil : .string($0.x264.options.text) },
            set: { configuration, value, _ throws(NaluError) in
                configuration.x264.options = try X264Options(value?.stringValue ?? "")
            }),
        PropertyInfo(
            readOnly: .x264Effective, .string, "The parameters that x264 uses, in the syntax of x264.params."
        ) { $0.effectiveParameters.map { .string($0) } },
    ]

    private static let tunes = unsafe CText.list(nalu_x264_tune_name)
}
