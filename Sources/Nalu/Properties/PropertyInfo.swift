/// The description of a property: one row of ``PropertyCatalog``.
public struct PropertyInfo: Sendable {
    public enum Kind: Int32, Sendable {
        case bool = 1
        case integer = 2
        case double = 3
        case string = 4
        case numbers = 5

        var noun: String {
            switch self {
            case .bool: "a bool"
            case .integer: "an integer"
            case .double: "a number"
            case .string: "a string"
            case .numbers: "a list of numbers"
            }
        }
    }

    public enum Access: Sendable {
        /// The property cannot be set.
        case readOnly
        /// The property can be set until the encoder is open.
        case untilOpen
        /// The property can change while encoding, from the next frame on.
        case live
    }

    public let key: PropertyKey
    public let kind: Kind
    public let access: Access
    /// The range of a number, of each number of a list, or of a code that an integer stands for.
    public let range: ClosedRange<Double>?
    /// The strings that the property accepts; empty if there is no list.
    public let allowedValues: [String]
    /// The default as text; "" if the property is unset by default.
    public let defaultText: String
    /// The documentation, in one or two sentences.
    public let documentation: String

    var accessors: Accessors

    /// The access to the property in ``SessionConfiguration``, and its value if nothing is set.
    struct Accessors: Sendable {
        /// Returns the value that was set; nil if unset.
        var get: @Sendable (SessionConfiguration) -> PropertyValue? = { _ in nil }
        /// Sets the value; nil restores the default.
        var set: @Sendable (inout SessionConfiguration, PropertyValue?) throws(NaluError) -> Void = { _, _ in }
        /// Returns the value of an unset or read-only property, which follows from other values; nil if there is none,
        /// or not yet.
        var derived: @Sendable (SessionSnapshot) -> PropertyValue? = { _ in nil }
        /// Whether reading returns what the stream does, not what the client has set.
        var readsDerived = false
        /// The error message if there is no value; nil if the property is just not set.
        var unavailable: String?
        /// Whether a name must be one of ``allowedValues``. If false, the setter refuses names with its own error
        /// message.
        var checksNames = true
        /// Whether a string property also accepts an integer, which it stores as digits.
        var acceptsIntegers = false
    }

    /// Returns the value of the property in a session; nil if it is unset or not known yet.
    func value(in facts: SessionSnapshot) -> PropertyValue? {
        (accessors.readsDerived ? nil : accessors.get(facts.configuration)) ?? accessors.derived(facts)
    }

    /// Returns the value that the client has set, or the derived one.
    func setting(in facts: SessionSnapshot) -> PropertyValue? {
        accessors.get(facts.configuration) ?? accessors.derived(facts)
    }

    func outOfRange(_ value: String, _ expected: String) -> NaluError {
        NaluError(.outOfRange, "\(key.rawValue) is \(value); expected \(expected)")
    }

    /// Checks kind and range, and returns the value in the property's own kind.
    func checked(_ value: PropertyValue) throws(NaluError) -> PropertyValue {
        let converted: PropertyValue? =
            switch kind {
            case .bool: value.boolValue.map { .bool($0) }
            case .integer: try checkedInteger(value).map { .integer($0) }
            case .double: checkedDouble(value).map { .double($0) }
            case .string: (value.stringValue ?? digits(value)).map { .string($0) }
            case .numbers: value.numbersValue.map { .numbers($0) }
            }
        guard let converted else {
            throw NaluError(.wrongType, "\(key.rawValue) is \(kind.noun); the value given is \(value.quoted)")
        }
        if let range {
            let numbers: [Double] =
                switch converted {
                case .integer(let number): [Double(number)]
                case .double(let number): [number]
                case .numbers(let numbers): numbers
                default: []
                }
            for number in numbers where !range.contains(number) {
                throw outOfRange(value.text, rangeText(range))
            }
        }
        if case .string(let text) = converted, !allowedValues.isEmpty, kind == .string, accessors.checksNames,
            !allowedValues.contains(text)
        {
            throw outOfRange(value.quoted, "one of " + allowedValues.joined(separator: ", "))
        }
        return converted
    }

    private func digits(_ value: PropertyValue) -> String? {
        guard accessors.acceptsIntegers, case .integer(let number) = value else { return nil }
        return "\(number)"
    }

    /// Accepts a double if it is whole. A number that no integer can express is out of range, not of a wrong type.
    private func checkedInteger(_ value: PropertyValue) throws(NaluError) -> Int64? {
        switch value {
        case .integer(let number): return number
        case .double(let number):
            if let whole = Int64(exactly: number) { return whole }
            if number.isFinite && number.rounded() != number { return nil }
            throw outOfRange(value.text, range.map(rangeText) ?? "a whole number")
        default: return nil
        }
    }

    /// Accepts any number. An integer that no double expresses exactly is beyond the range of every property.
    private func checkedDouble(_ value: PropertyValue) -> Double? {
        if case .integer(let number) = value { Double(number) } else { value.doubleValue }
    }

    private func rangeText(_ range: ClosedRange<Double>) -> String {
        if kind == .integer {
            return "\(Int64(range.lowerBound)) to \(Int64(range.upperBound))"
        }
        return "\(range.lowerBound) to \(range.upperBound)"
    }
}
