internal import Nalu

/// The names that --preset takes: the library's sets of properties, and x264's presets.
enum Presets {
    static let names =
        CompressionPreset.allCases.map(\.rawValue) + (PropertyCatalog.info(.x264Preset)?.allowedValues ?? [])

    /// - Parameter name: in any case.
    static func settings(of name: String) throws -> [(key: PropertyKey, value: PropertyValue?)] {
        let wanted = name.lowercased()
        if let preset = CompressionPreset.allCases.first(where: { $0.rawValue.lowercased() == wanted }) {
            return try PropertyText.read([UInt8](preset.propertiesText.utf8))
        }
        guard names.contains(wanted) else {
            throw Failure.usage(
                "there is no preset \"\(NaluError.excerpt(name))\"; there are \(names.joined(separator: ", "))")
        }
        return [(.x264Preset, .string(wanted))]
    }
}
