/// A named group of properties for a purpose, to start from:
///
///     try session.set(text: CompressionPreset.highSpeed.propertiesText)
///     try session.set(.averageBitRate, 2_000_000)
///
/// Every preset sets the same properties, so that a preset replaces an earlier one entirely. No preset sets rate,
/// quality or key frames.
public enum CompressionPreset: String, CaseIterable, Sendable {
    /// The best picture for the bits, at about two and a half times the work of ``balanced``.
    case highQuality = "HighQuality"
    case balanced = "Balanced"
    /// About half the work of ``balanced``.
    case highSpeed = "HighSpeed"
    /// For real time: each frame is returned before its encode returns.
    case videoConferencing = "VideoConferencing"

    /// All presets by their names: the value of ``PropertyKey/supportedPresetDictionaries``.
    static var dictionariesText: String {
        PropertyText.write(
            allCases.map { (key: PropertyKey(rawValue: $0.rawValue), value: .string(PropertyText.write($0.settings))) })
    }

    /// Returns the properties of a preset of that name, or x264's preset of that name as one property.
    package static func settings(named name: String) throws(NaluError) -> [PropertyText.Setting] {
        if let preset = CompressionPreset(rawValue: name) { return preset.settings }
        let names = PropertyCatalog.info(.x264Preset)?.allowedValues ?? []
        guard names.contains(name) else {
            throw NaluError(
                .outOfRange,
                "preset is \"\(NaluError.excerpt(name))\"; expected one of "
                    + (allCases.map { $0.rawValue } + names).joined(separator: ", "))
        }
        return [(.x264Preset, .string(name))]
    }

    /// The properties that the preset sets; nil restores a default.
    public var settings: [(key: PropertyKey, value: PropertyValue?)] {
        func offline(_ preset: PropertyValue) -> [PropertyText.Setting] {
            [(.allowFrameReordering, nil), (.maxFrameDelayCount, nil), (.realTime, false), (.x264Preset, preset)]
        }
        return switch self {
        case .highQuality: offline("slower")
        case .balanced: offline("medium")
        case .highSpeed: offline("veryfast")
        case .videoConferencing:
            // RealTime chooses its own x264 preset.
            [(.allowFrameReordering, false), (.maxFrameDelayCount, 0), (.realTime, true), (.x264Preset, nil)]
        }
    }
}
