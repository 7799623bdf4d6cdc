/// The properties that sessions of one encoder have: what every session has, its codec's, and its own.
struct PropertyIndex: Sendable {
    let rows: [PropertyInfo]
    private let places: [String: Int]
    private let encoderID: StaticString

    init(_ rows: [PropertyInfo], encoderID: StaticString) {
        self.rows = rows
        self.encoderID = encoderID
        places = Dictionary(rows.enumerated().map { ($1.key.rawValue, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func require(_ key: PropertyKey) throws(NaluError) -> PropertyInfo {
        if let place = places[key.rawValue] { return rows[place] }
        guard PropertyCatalog.info(key) == nil else {
            throw NaluError(
                .propertyNotSupported,
                "\(key.rawValue) is not supported: the session's encoder, \(encoderID), does not have it")
        }
        throw PropertyCatalog.notSupported(key)
    }
}
