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
    /// The preset for calls: no B-frames, and each sample is delivered before its encode call returns.
    case videoConferencing = "VideoConferencing"

    /// Returns all presets by their names, the value of ``PropertyKey/supportedPresetDictionaries``.
    static func dictionariesText(of encoder: EncoderTraits) -> String {
        PropertyText.write(
            allCases.map {
                (key: PropertyKey(rawValue: $0.rawValue), value: .string(PropertyText.write($0.settings(of: encoder))))
            })
    }

    /// Returns the properties of a preset of that name for H.264, or the encoder's own preset of that name.
    package static func settings(named name: String) throws(NaluError) -> [PropertyText.Setting] {
        try settings(named: name, of: EncoderRegistry.usual.traits)
    }

    static func settings(named name: String, of encoder: EncoderTraits) throws(NaluError) -> [PropertyText.Setting] {
        if let preset = CompressionPreset(rawValue: name) { return preset.settings(of: encoder) }
        let names = encoder.presetKey.flatMap { PropertyCatalog.info($0) }?.allowedValues ?? []
        guard let key = encoder.presetKey, names.contains(name) else {
            throw NaluError(
                .outOfRange,
                "preset is \"\(NaluError.excerpt(name))\"; expected one of "
                    + (allCases.map { $0.rawValue } + names).joined(separator: ", "))
        }
        return [(key, .string(name))]
    }

    /// The properties that the preset sets in a session with the usual encoder of H.264; nil restores a default.
    public var settings: [(key: PropertyKey, value: PropertyValue?)] { settings(of: EncoderRegistry.usual.traits) }

    /// The properties that the preset sets in a session with the encoder of that identifier; nil for the usual encoder of
    /// the codec.
    package func settings(codec: UInt32, encoderID: String? = nil) -> [PropertyText.Setting] {
        let encoder = EncoderRegistry.all.first { description in
            encoderID.map { $0 == description.id.description } ?? (description.codec == codec)
        }
        return settings(of: (encoder ?? EncoderRegistry.usual).traits)
    }

    func settings(of encoder: EncoderTraits) -> [PropertyText.Setting] {
        let common: [PropertyText.Setting] =
            switch self {
            case .highQuality, .balanced, .highSpeed:
                [(.allowFrameReordering, nil), (.maxFrameDelayCount, nil), (.realTime, false)]
            case .videoConferencing:
                [(.allowFrameReordering, false), (.maxFrameDelayCount, 0), (.realTime, true)]
            }
        let own = encoder.presetKey.map { [(key: $0, value: encoder.presets[self])] } ?? []
        return (common + own).filter { setting in !encoder.lacking.contains { $0.key == setting.key } }
    }
}
