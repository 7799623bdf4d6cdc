/// A JSON document for writing (RFC 8259). Members keep their order.
indirect enum JSONValue {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number; infinities and NaN, which JSON lacks, are written as null.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    /// The document with two spaces of indentation per level. Arrays and objects without nested ones stay on one line.
    var text: String {
        var text = ""
        write(to: &text, indentation: "")
        return text
    }

    private var isNested: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    func write(to text: inout String, indentation: String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.write(value, to: &text)
        case .array(let values):
            let items = values.map { (name: String?.none, value: $0) }
            Self.write(items, between: "[", and: "]", to: &text, indentation: indentation)
        case .object(let members):
            let items = members.map { (name: Optional($0.name), value: $0.value) }
            Self.write(items, between: "{", and: "}", to: &text, indentation: indentation)
        }
    }

    private static func write(
        _ items: [(name: String?, value: JSONValue)], between opening: String, and closing: String,
        to text: inout String, indentation: String
    ) {
        let isFlat = !items.contains { $0.value.isNested }
        let inner = indentation + "  "
        text += opening
        for (index, item) in items.enumerated() {
            if index > 0 { text += isFlat ? ", " : "," }
            if !isFlat { text += "\n" + inner }
            if let name = item.name {
                write(name, to: &text)
                text += ": "
            }
            item.value.write(to: &text, indentation: inner)
        }
        if !isFlat { text += "\n" + indentation }
        text += closing
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1f}", "\u{7f}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
