/// What a property is: one row of ``PropertyCatalog``.
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
        /// Cannot be set.
        case readOnly
        /// Can be set until the encoder is open.
        case untilOpen
        /// Can change while encoding, from the next frame on.
        case live
    }

    public let key: PropertyKey
    public let kind: Kind
    public let access: Access
    /// The range of a number, or of each number of a list.
    public let range: ClosedRange<Double>?
    /// The strings that it takes; empty when there is no list.
    public let allowedValues: [String]
    /// The default as text; "" when it is unset.
    public let defaultText: String
    /// One or two sentences.
    public let documentation: String

    let accessors: Accessors

    /// How the property reaches ``SessionConfiguration``, and what it is where nothing is set.
    struct Accessors: Sendable {
        /// nil: unset.
        var get: @Sendable (SessionConfiguration) -> PropertyValue? = { _ in nil }
        /// nil restores the default.
        var set: @Sendable (inout SessionConfiguration, PropertyValue?) throws(NaluError) -> Void = { _, _ in }
        /// What follows from the rest where it is not set, or of what can only be read. nil: nothing does, or not yet.
        var derived: @Sendable (SessionFacts) -> PropertyValue? = { _ in nil }
        /// Reading gives what the stream does, and not what was asked for.
        var readsDerived = false
        /// Why there is no value; nil: it is not set.
        var unavailable: String?
        /// A name has to be one of ``allowedValues``; else the setter says what is wrong with it.
        var checksNames = true
    }

    /// What the property is in a session; nil: unset, or not known yet.
    func value(in facts: SessionFacts) -> PropertyValue? {
        (accessors.readsDerived ? nil : accessors.get(facts.configuration)) ?? accessors.derived(facts)
    }

    /// Likewise, but what was asked for where it was.
    func setting(in facts: SessionFacts) -> PropertyValue? {
        accessors.get(facts.configuration) ?? accessors.derived(facts)
    }

    func outOfRange(_ value: String, _ expected: String) -> NaluError {
        NaluError(.outOfRange, "\(key.rawValue) is \(value); expected \(expected)")
    }

    /// Checks kind and range and gives the value in the property's own kind.
    func checked(_ value: PropertyValue) throws(NaluError) -> PropertyValue {
        let converted: PropertyValue? =
            switch kind {
            case .bool: value.boolValue.map { .bool($0) }
            case .integer: try checkedInteger(value).map { .integer($0) }
            case .double: checkedDouble(value).map { .double($0) }
            case .string: value.stringValue.map { .string($0) }
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

    /// A double is taken when it is whole; one that no integer can hold is out of range rather than of a wrong type.
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

    /// An integer that no double holds exactly is beyond every range there is.
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
