/// The value of a property.
public enum PropertyValue: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case numbers([Double])

    /// The value as text, in the form of the defaults in ``PropertyCatalog``.
    public var text: String {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value
        case .numbers(let values): values.map { "\($0)" }.joined(separator: ",")
        }
    }

    /// The value for an error message: strings in quotes, long values cut.
    package var quoted: String {
        if case .string(let value) = self { "\"\(NaluError.excerpt(value))\"" } else { NaluError.excerpt(text) }
    }

    /// The value as a bool, also from the integers 0 and 1; otherwise nil.
    public var boolValue: Bool? {
        switch self {
        case .bool(let value): value
        case .integer(0): false
        case .integer(1): true
        default: nil
        }
    }

    /// The value as an integer if it is a whole number or a bool; otherwise nil.
    public var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .bool(let value): value ? 1 : 0
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The value as a double if it is a number; otherwise nil.
    public var doubleValue: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(exactly: value)
        default: nil
        }
    }

    /// The string, or nil.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The list of numbers, or nil.
    public var numbersValue: [Double]? {
        if case .numbers(let values) = self { values } else { nil }
    }
}

extension PropertyValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral
{
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: Double...) { self = .numbers(elements) }
}
