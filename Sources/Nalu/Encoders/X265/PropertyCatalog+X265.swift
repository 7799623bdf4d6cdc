private import CX265

extension PropertyCatalog {
    /// The properties of x265 alone.
    static let x265: [PropertyInfo] = [
        PropertyInfo(
            .x265Preset, .string, .untilOpen, nil, x265Presets, "medium, or superfast with RealTime",
            "x265's preset. The default is faster with PrioritizeEncodingSpeedOverQuality.",
            derived: { .string($0.configuration.derivedX265Preset) },
            get: { $0.x265.preset.map { .string($0) } },
            set: { configuration, value, _ in configuration.x265.preset = value?.stringValue }),
        PropertyInfo(
            readOnly: .x265Effective, .string, "The parameters that x265 uses, as \"name=value:name=value\"."
        ) { $0.effectiveParameters.map { .string($0) } },
    ]

    private static let x265Presets: [String] = {
        var names: [String] = []
        while let pointer = unsafe nalu_x265_preset_name(Int32(names.count)) {
            unsafe names.append(String(cString: pointer))
        }
        return names
    }()
}
