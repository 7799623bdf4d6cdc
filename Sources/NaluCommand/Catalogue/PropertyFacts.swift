internal import Nalu

/// Prints properties of the catalogue as a table, as paragraphs or as JSON.
enum PropertyFacts {
    static var table: String {
        var table = TextTable(header: ["KEY", "TYPE", "SET", "DEFAULT", "VALUES"])
        for info in PropertyCatalog.all {
            table.add([info.key.rawValue, type(info), access(info), defaultValue(info), shortened(values(info))])
        }
        return table.text + "\n\nSET: before (the first frame), or live (takes effect with the next frame)."
    }

    static func paragraph(_ info: PropertyInfo) -> String {
        let when =
            switch info.access {
            case .readOnly: "read only"
            case .untilOpen: "can be set before the first frame"
            case .live: "can be set at any time, and takes effect with the next frame"
            }
        var lines = [info.key.rawValue, "  type     \(type(info))"]
        if !values(info).isEmpty { lines.append("  values   \(values(info))") }
        if info.access != .readOnly { lines.append("  default  \(defaultValue(info))") }
        lines.append("  access   \(when)")
        lines.append("")
        lines.append("  " + info.documentation)
        return lines.joined(separator: "\n")
    }

    static func json(_ info: PropertyInfo) -> JSONValue {
        let range: JSONValue = info.range.map { .array([number($0.lowerBound), number($0.upperBound)]) } ?? .null
        return .object([
            ("key", .string(info.key.rawValue)), ("type", .string(type(info))), ("access", .string(access(info))),
            ("range", range), ("allowedValues", .array(info.allowedValues.map { .string($0) })),
            ("default", info.defaultText.isEmpty ? .null : .string(info.defaultText)),
            ("documentation", .string(info.documentation)),
        ])
    }

    private static func type(_ info: PropertyInfo) -> String {
        switch info.kind {
        case .bool: "bool"
        case .integer: "integer"
        case .double: "double"
        case .string: "string"
        case .numbers: "numbers"
        }
    }

    private static func access(_ info: PropertyInfo) -> String {
        switch info.access {
        case .readOnly: "read-only"
        case .untilOpen: "before"
        case .live: "live"
        }
    }

    private static func values(_ info: PropertyInfo) -> String {
        if !info.allowedValues.isEmpty { return info.allowedValues.joined(separator: " ") }
        guard let range = info.range else { return "" }
        return "\(digits(range.lowerBound))...\(digits(range.upperBound))"
    }

    /// Shortens a list of values for the table. `nalu properties NAME` prints the list in full.
    private static func shortened(_ values: String) -> String {
        values.count <= 60 ? values : values.prefix(56) + " ..."
    }

    private static func defaultValue(_ info: PropertyInfo) -> String {
        info.access == .readOnly ? "" : info.defaultText.isEmpty ? "unset" : info.defaultText
    }

    private static func digits(_ number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    private static func number(_ number: Double) -> JSONValue {
        Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }
}
