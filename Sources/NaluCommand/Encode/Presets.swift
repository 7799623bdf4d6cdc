internal import Nalu

/// The names that --preset takes.
enum Presets {
    static let names = PropertyCatalog.info(.x264Preset)?.allowedValues ?? []

    static func settings(of name: String) throws(Failure) -> [(key: PropertyKey, value: PropertyValue?)] {
        guard names.contains(name) else {
            throw .usage(
                "there is no preset \"\(NaluError.excerpt(name))\"; there are \(names.joined(separator: ", "))")
        }
        return [(.x264Preset, .string(name))]
    }
}
