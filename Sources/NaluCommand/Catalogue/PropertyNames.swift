internal import Nalu

/// Finds properties by what people type.
enum PropertyNames {
    static let all = PropertyCatalog.all.map(\.key.rawValue)

    /// The property of that name; throws a sentence with the nearest name, or with why there is no such property.
    static func require(_ name: String) throws(Failure) -> PropertyInfo {
        let key = PropertyKey(rawValue: name)
        if let info = PropertyCatalog.info(key) { return info }
        if PropertyCatalog.unsupported.contains(where: { $0.key == key }) {
            throw Failure(PropertyCatalog.notSupported(key).message)
        }
        let remedy = nearest(to: name).map { "did you mean \($0)?" } ?? "nalu properties lists all"
        throw Failure("there is no property \"\(NaluError.excerpt(name))\"; \(remedy)")
    }

    /// The name that differs least, when it differs in a third of its letters at most.
    private static func nearest(to name: String) -> String? {
        let wanted = Array(name.lowercased().utf8.prefix(64))
        let best = all.map { (name: $0, distance: distance(wanted, Array($0.lowercased().utf8))) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance * 3 <= best.name.utf8.count else { return nil }
        return best.name
    }

    /// How many letters have to be put in, taken out or changed (Levenshtein).
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
