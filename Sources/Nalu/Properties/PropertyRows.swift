/// The path of a setting. It is Sendable, because any thread may use it.
typealias SettingPath<Value> = any WritableKeyPath<SessionConfiguration, Value> & Sendable

/// The forms of the rows of ``PropertyCatalog``.
extension PropertyInfo {
    init(
        _ key: PropertyKey, _ kind: Kind, _ access: Access, _ range: ClosedRange<Double>?, _ allowedValues: [String],
        _ defaultText: String, _ documentation: String, checksNames: Bool = true,
        derived: @escaping @Sendable (SessionSnapshot) -> PropertyValue? = { _ in nil },
        get: @escaping @Sendable (SessionConfiguration) -> PropertyValue?,
        set: @escaping @Sendable (inout SessionConfiguration, PropertyValue?, PropertyInfo) throws(NaluError) -> Void
    ) {
        // The setter needs the row for its error messages, and the row contains the setter: hence a row without setter.
        let bare = PropertyInfo(
            key: key, kind: kind, access: access, range: range, allowedValues: allowedValues, defaultText: defaultText,
            documentation: documentation, accessors: Accessors())
        self.init(
            key: key, kind: kind, access: access, range: range, allowedValues: allowedValues, defaultText: defaultText,
            documentation: documentation,
            accessors: Accessors(
                get: get,
                set: { configuration, value throws(NaluError) in try set(&configuration, value, bare) },
                derived: derived, checksNames: checksNames))
    }

    init(
        readOnly key: PropertyKey, _ kind: Kind, _ documentation: String, unavailable: String? = nil,
        _ derived: @escaping @Sendable (SessionSnapshot) -> PropertyValue?
    ) {
        self.init(
            key: key, kind: kind, access: .readOnly, range: nil, allowedValues: [], defaultText: "",
            documentation: documentation, accessors: Accessors(derived: derived, unavailable: unavailable))
    }

    static func bool(
        _ key: PropertyKey, _ access: Access, _ path: SettingPath<Bool>,
        default initial: Bool, _ documentation: String
    ) -> PropertyInfo {
        PropertyInfo(
            key, .bool, access, nil, [], "\(initial)", documentation,
            get: { .bool($0[keyPath: path]) },
            set: { configuration, value, _ in configuration[keyPath: path] = value?.boolValue ?? initial })
    }

    static func optionalBool(
        _ key: PropertyKey, _ access: Access, _ path: SettingPath<Bool?>,
        _ defaultText: String, _ documentation: String
    ) -> PropertyInfo {
        PropertyInfo(
            key, .bool, access, nil, [], defaultText, documentation,
            get: { $0[keyPath: path].map { .bool($0) } },
            set: { configuration, value, _ in configuration[keyPath: path] = value?.boolValue })
    }

    static func integer(
        _ key: PropertyKey, _ access: Access, _ range: ClosedRange<Double>,
        _ path: SettingPath<Int>, default initial: Int, _ documentation: String,
        also check: @escaping @Sendable (Int64, PropertyInfo) throws(NaluError) -> Void = { _, _ in }
    ) -> PropertyInfo {
        PropertyInfo(
            key, .integer, access, range, [], "\(initial)", documentation,
            get: { .integer(Int64($0[keyPath: path])) },
            set: { configuration, value, info throws(NaluError) in
                let number = value?.integerValue ?? Int64(initial)
                try check(number, info)
                configuration[keyPath: path] = Int(number)
            })
    }

    static func optionalInteger(
        _ key: PropertyKey, _ access: Access, _ range: ClosedRange<Double>, _ path: SettingPath<Int?>,
        _ documentation: String, derived: @escaping @Sendable (SessionSnapshot) -> PropertyValue? = { _ in nil }
    ) -> PropertyInfo {
        PropertyInfo(
            key, .integer, access, range, [], "", documentation, derived: derived,
            get: { $0[keyPath: path].map { .integer(Int64($0)) } },
            set: { configuration, value, _ in configuration[keyPath: path] = value?.integerValue.map { Int($0) } })
    }

    static func double(
        _ key: PropertyKey, _ access: Access, _ range: ClosedRange<Double>,
        _ path: SettingPath<Double>, default initial: Double, _ documentation: String
    ) -> PropertyInfo {
        PropertyInfo(
            key, .double, access, range, [], "\(initial)", documentation,
            get: { .double($0[keyPath: path]) },
            set: { configuration, value, _ in configuration[keyPath: path] = value?.doubleValue ?? initial })
    }

    static func choice<Value: RawRepresentable<String> & Sendable>(
        _ key: PropertyKey, _ path: SettingPath<Value?>, _ values: [Value],
        _ defaultText: String, _ documentation: String,
        derived: @escaping @Sendable (SessionSnapshot) -> PropertyValue? = { _ in nil }
    ) -> PropertyInfo {
        PropertyInfo(
            key, .string, .untilOpen, nil, values.map { $0.rawValue }, defaultText, documentation, derived: derived,
            get: { $0[keyPath: path].map { .string($0.rawValue) } },
            set: { configuration, value, _ in
                configuration[keyPath: path] = value?.stringValue.flatMap { Value(rawValue: $0) }
            })
    }

    /// Returns the row of an encoder's presets.
    static func preset(
        _ key: PropertyKey, of encoder: String, _ path: SettingPath<String?>, _ names: [String], _ defaultText: String,
        derived: @escaping @Sendable (SessionConfiguration) -> String
    ) -> PropertyInfo {
        PropertyInfo(
            key, .string, .untilOpen, nil, names, defaultText,
            "\(encoder)'s preset. The default is faster with PrioritizeEncodingSpeedOverQuality.",
            derived: { .string(derived($0.configuration)) },
            get: { $0[keyPath: path].map { .string($0) } },
            set: { configuration, value, _ in configuration[keyPath: path] = value?.stringValue })
    }

    /// Returns the row of a property whose values are ``SignalCodes``: strings, or integers for codes.
    static func code(
        _ key: PropertyKey, _ path: SettingPath<Int?>, _ codes: SignalCodes, _ defaultText: String,
        _ documentation: String, derived: @escaping @Sendable (SessionSnapshot) -> Int
    ) -> PropertyInfo {
        var info = PropertyInfo(
            key, .string, .untilOpen, Double(codes.all.lowerBound)...Double(codes.all.upperBound), codes.names,
            defaultText, documentation, checksNames: false,
            derived: { .string(codes.text(derived($0))) },
            get: { $0[keyPath: path].map { .string(codes.text($0)) } },
            set: { configuration, value, info throws(NaluError) in
                configuration[keyPath: path] = try value?.stringValue.map { text throws(NaluError) in
                    guard let code = codes.code(text) else {
                        throw info.outOfRange("\"\(NaluError.excerpt(text))\"", codes.expected)
                    }
                    return code
                }
            })
        info.accessors.acceptsIntegers = true
        return info
    }

    /// Returns the same row, but reading it returns what the stream does.
    func reading(_ derived: @escaping @Sendable (SessionSnapshot) -> PropertyValue?) -> PropertyInfo {
        var accessors = accessors
        accessors.derived = derived
        accessors.readsDerived = true
        return PropertyInfo(
            key: key, kind: kind, access: access, range: range, allowedValues: allowedValues, defaultText: defaultText,
            documentation: documentation, accessors: accessors)
    }
}
