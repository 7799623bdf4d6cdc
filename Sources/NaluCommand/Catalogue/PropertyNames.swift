internal import Nalu

/// Finds properties by the names that people type.
enum PropertyNames {
    static let all = PropertyCatalog.all.map(\.key.rawValue)
    static let settable = PropertyCatalog.all.filter { $0.access != .readOnly }.map(\.key.rawValue)

    /// Returns the property with this name, in any case and also without "Nalu" or "x264."; throws an error message
    /// with the nearest name, or with the reason why no such property exists.
    static func resolve(_ name: String) throws(Failure) -> PropertyInfo {
        if let info = meant(by: name) { return info }
        return try require(name)
    }

    /// Returns the property as ``resolve(_:)`` finds it; nil if none has this name.
    static func meant(by name: String) -> PropertyInfo? {
        if let info = PropertyCatalog.info(PropertyKey(rawValue: name)) { return info }
        let wanted = name.lowercased()
        return PropertyCatalog.all.first { $0.key.rawValue.lowercased() == wanted }
            ?? PropertyCatalog.all.first { info in
                let key = info.key.rawValue
                return ["Nalu", "x264."].contains {
                    key.hasPrefix($0) && key.dropFirst($0.count).lowercased() == wanted
                }
            }
    }

    /// Returns the property with exactly this name; throws an error message with the nearest name, or with the reason
    /// why no such property exists.
    static func require(_ name: String) throws(Failure) -> PropertyInfo {
        let key = PropertyKey(rawValue: name)
        if let info = PropertyCatalog.info(key) { return info }
        if PropertyCatalog.unsupported.contains(where: { $0.key == key }) {
            throw .usage(PropertyCatalog.notSupported(key).message)
        }
        let remedy = nearest(to: name).map { "did you mean \($0)?" } ?? "nalu properties lists them"
        throw .usage("there is no property \"\(NaluError.excerpt(name))\"; \(remedy)")
    }

    /// Returns the name with the fewest different letters; nil if more than a third of the letters differ.
    private static func nearest(to name: String) -> String? {
        let wanted = Array(name.lowercased().utf8.prefix(64))
        let best = all.map { (name: $0, distance: distance(wanted, Array($0.lowercased().utf8))) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance * 3 <= best.name.utf8.count else { return nil }
        return best.name
    }

    /// Returns how many letters have to be inserted, removed or changed (Levenshtein distance).
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var row = Array(0...second.count)
        for (i, a) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in second.enumerated() {
                let substituted = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, min(row[j], row[j + 1]) + 1)
            }
        }
        return row[second.count]
    }
}
