/// A set of properties by the name of what it is good for, to begin from:
///
///     try session.set(text: CompressionPreset.highSpeed.propertiesText)
///     try session.set(.averageBitRate, 2_000_000)
///
/// Every preset sets the same properties, so that one set after another is as if it had been the only one. None says
/// anything of rate, quality or key frames.
public enum CompressionPreset: String, CaseIterable, Sendable {
    /// The best picture for the bits, at about two and a half times the work of ``balanced``.
    case highQuality = "HighQuality"
    case balanced = "Balanced"
    /// About half the work of ``balanced``.
    case highSpeed = "HighSpeed"
    /// In real time: each frame comes back before its encode returns.
    case videoConferencing = "VideoConferencing"

    /// In the form that ``CompressionSession/set(text:)`` reads.
    public var propertiesText: String { PropertyText.write(settings) }

    /// All of them by their names: the value of ``PropertyKey/supportedPresetDictionaries``.
    static var dictionariesText: String {
        PropertyText.write(
            allCases.map { (key: PropertyKey(rawValue: $0.rawValue), value: .string($0.propertiesText)) })
    }

    static func named(_ name: String) throws(NaluError) -> CompressionPreset {
        guard let preset = CompressionPreset(rawValue: name) else {
            throw NaluError(
                .outOfRange,
                "preset is \"\(NaluError.excerpt(name))\"; expected one of "
                    + allCases.map { $0.rawValue }.joined(separator: ", "))
        }
        return preset
    }

    private var settings: [PropertyText.Setting] {
        func offline(_ preset: PropertyValue) -> [PropertyText.Setting] {
            [(.allowFrameReordering, nil), (.maxFrameDelayCount, nil), (.realTime, false), (.x264Preset, preset)]
        }
        return switch self {
        case .highQuality: offline("slower")
        case .balanced: offline("medium")
        case .highSpeed: offline("veryfast")
        case .videoConferencing:
            // RealTime has a preset of its own.
            [(.allowFrameReordering, false), (.maxFrameDelayCount, 0), (.realTime, true), (.x264Preset, nil)]
        }
    }
}
