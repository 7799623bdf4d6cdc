/// Every property, one row each. The C interface, the introspection and the generated documentation read this
/// catalogue.
public enum PropertyCatalog {
    public static let all: [PropertyInfo] =
        common + [.profileLevel(of: Codec.all)] + h264 + EncoderRegistry.all.flatMap(\.traits.properties)

    /// The properties that sessions of every encoder have.
    static let common = rate + structure + delay + appearance + picture + recovery + layers + readOnly

    private static let index: [String: Int] = Dictionary(
        all.enumerated().map { ($1.key.rawValue, $0) }, uniquingKeysWith: { first, _ in first })

    public static func info(_ key: PropertyKey) -> PropertyInfo? {
        index[key.rawValue].map { all[$0] }
    }
}
