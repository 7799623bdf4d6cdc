private import CX264

extension PropertyCatalog {
    /// The properties of x264 alone.
    static let x264: [PropertyInfo] = [
        PropertyInfo(
            .x264Preset, .string, .untilOpen, nil, presets, "medium, or veryfast with RealTime",
            "x264's preset. The default is faster with PrioritizeEncodingSpeedOverQuality.",
            derived: { .string($0.configuration.derivedX264Preset) },
            get: { $0.x264.preset.map { .string($0) } },
            set: { configuration, value, _ in configuration.x264.preset = value?.stringValue }),
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

    private static let presets = unsafe names(nalu_x264_preset_name)
    private static let tunes = unsafe names(nalu_x264_tune_name)

    private static func names(_ name: (Int32) -> UnsafePointer<CChar>?) -> [String] {
        var names: [String] = []
        while let pointer = unsafe name(Int32(names.count)), unsafe pointer.pointee != 0 {
            unsafe names.append(String(cString: pointer))
        }
        return names
    }
}
