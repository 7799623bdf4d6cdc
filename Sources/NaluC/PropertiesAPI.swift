// properties.h: setting, reading and describing properties.

public import CNalu
internal import Nalu

/// Sets one property, or restores its default.
private func set(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: (String) throws(NaluError) -> PropertyValue?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        let key = try unsafe cText(key, "key")
        try session.set(PropertyKey(rawValue: key), value(key))
    }
}

/// Reads one property and passes it to `use` in the form that `convert` returns.
private func get<Value>(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ noun: StaticString,
    _ convert: (PropertyValue) -> Value?, _ use: (Value) throws(NaluError) -> Void
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        let key = try unsafe cText(key, "key")
        let value = try session.property(PropertyKey(rawValue: key))
        guard let converted = convert(value) else {
            throw NaluError(.wrongType, "\(key) is \(value.quoted), which cannot be read as \(noun)")
        }
        try use(converted)
    }
}

/// Reads a property into the memory at `value_out`.
private func get<Value>(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ noun: StaticString,
    into value_out: UnsafeMutablePointer<Value>?, _ convert: (PropertyValue) -> Value?
) -> nalu_status {
    unsafe get(session, key, noun, convert) { value throws(NaluError) in
        try unsafe required(value_out, "value_out").pointee = value
    }
}

private func cNumbers(
    _ key: String, _ values: UnsafePointer<Double>?, _ count: Int
) throws(NaluError) -> PropertyValue {
    guard (0...1024).contains(count) else {
        throw NaluError(
            .outOfRange, "\(NaluError.excerpt(key)) has \(UInt(bitPattern: count)) numbers; expected at most 1024")
    }
    if count == 0 { return .numbers([]) }
    guard let values = unsafe values else {
        throw NaluError(
            .parameter, "the value of \(NaluError.excerpt(key)) is NULL; expected the address of \(count) numbers")
    }
    return unsafe .numbers(Array(UnsafeBufferPointer(start: values, count: count)))
}

private func cString(_ key: String, _ value: UnsafePointer<CChar>?) throws(NaluError) -> PropertyValue {
    guard let value = unsafe value else {
        throw NaluError(.parameter, "the value of \(NaluError.excerpt(key)) is NULL; expected a string")
    }
    return unsafe .string(String(cString: value))
}

@c @implementation
public func nalu_session_set_int64(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Int64
) -> nalu_status {
    unsafe set(session, key) { _ in .integer(value) }
}

@c @implementation
public func nalu_session_set_double(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Double
) -> nalu_status {
    unsafe set(session, key) { _ in .double(value) }
}

@c @implementation
public func nalu_session_set_bool(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: Int32
) -> nalu_status {
    unsafe set(session, key) { _ in .bool(value != 0) }
}

@c @implementation
public func nalu_session_set_string(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> nalu_status {
    unsafe set(session, key) { key throws(NaluError) in try unsafe cString(key, value) }
}

@c @implementation
public func nalu_session_set_numbers(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ values: UnsafePointer<Double>?, _ count: Int
) -> nalu_status {
    unsafe set(session, key) { key throws(NaluError) in try unsafe cNumbers(key, values, count) }
}

@c @implementation
public func nalu_session_unset_property(_ session: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> nalu_status {
    unsafe set(session, key) { _ in nil }
}

@c @implementation
public func nalu_session_set_properties(
    _ session: OpaquePointer?, _ properties: UnsafePointer<nalu_property>?, _ count: Int
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        guard (0...4096).contains(count) else {
            throw NaluError(.parameter, "count is \(UInt(bitPattern: count)); expected at most 4096 properties")
        }
        var changes: [(key: PropertyKey, value: PropertyValue?)] = []
        if count > 0 {
            let rows = try unsafe UnsafeBufferPointer(start: required(properties, "properties"), count: count)
            for index in rows.indices {
                unsafe changes.append(try rows[index].change(index))
            }
        }
        try session.set(changes)
    }
}

extension nalu_property {
    func change(_ index: Int) throws(NaluError) -> (key: PropertyKey, value: PropertyValue?) {
        guard let key = unsafe key else {
            throw NaluError(.parameter, "properties[\(index)].key is NULL; expected a NALU_PROPERTY_ key")
        }
        let name = unsafe String(cString: key)
        let value: PropertyValue?
        switch unsafe type {
        case Int32(NALU_PROPERTY_TYPE_BOOL): value = unsafe .bool(integer != 0)
        case Int32(NALU_PROPERTY_TYPE_INT64): value = unsafe .integer(integer)
        case Int32(NALU_PROPERTY_TYPE_DOUBLE): value = unsafe .double(number)
        case Int32(NALU_PROPERTY_TYPE_STRING): value = try unsafe cString(name, string)
        case Int32(NALU_PROPERTY_TYPE_NUMBERS): value = try unsafe cNumbers(name, numbers, Int(number_count))
        case Int32(NALU_PROPERTY_TYPE_UNSET): value = nil
        default:
            throw NaluError(
                .parameter,
                unsafe "the type of \(NaluError.excerpt(name)) is \(type); expected 1 to 6, the NALU_PROPERTY_TYPE_ constants"
            )
        }
        return (PropertyKey(rawValue: name), value)
    }
}

@c @implementation
public func nalu_session_set_properties_from_text(
    _ session: OpaquePointer?, _ text: UnsafePointer<CChar>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        try session.set(textBytes: unsafe cBytes(text, "text"))
    }
}

@c @implementation
public func nalu_session_copy_properties_as_text(
    _ session: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        try unsafe copy(session.propertiesText, buffer, capacity, size_out)
    }
}

@c @implementation
public func nalu_session_set_preset(_ session: OpaquePointer?, _ preset: UnsafePointer<CChar>?) -> nalu_status {
    attempt { () throws(NaluError) in
        let session = try unsafe Handle.required(session, "session", CompressionSession.self)
        try session.set(presetNamed: unsafe cText(preset, "preset"))
    }
}

@c @implementation
public func nalu_session_has_property(_ session: OpaquePointer?, _ key: UnsafePointer<CChar>?) -> Int32 {
    guard let session = unsafe Handle.object(session, CompressionSession.self), let key = unsafe key else { return 0 }
    return session.hasProperty(PropertyKey(rawValue: unsafe String(cString: key))) ? 1 : 0
}

@c @implementation
public func nalu_property_text_read(
    _ text: UnsafePointer<CChar>?, _ visitor: nalu_property_callback?, _ refcon: UnsafeMutableRawPointer?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let settings = try PropertyText.read(unsafe cBytes(text, "text"))
        guard let visitor = unsafe visitor else {
            throw NaluError(.parameter, "visitor is NULL; expected a function")
        }
        for (key, value) in settings {
            unsafe key.rawValue.withCString { name in
                var property = unsafe nalu_property()
                unsafe property.key = unsafe name
                unsafe visit(value, &property, visitor, refcon)
            }
        }
    }
}

/// Calls the visitor with the value in the member of its type.
private func visit(
    _ value: PropertyValue?, _ property: inout nalu_property, _ visitor: nalu_property_callback,
    _ refcon: UnsafeMutableRawPointer?
) {
    switch value {
    case nil: unsafe property.type = Int32(NALU_PROPERTY_TYPE_UNSET)
    case .bool(let flag)?:
        unsafe property.type = Int32(NALU_PROPERTY_TYPE_BOOL)
        unsafe property.integer = flag ? 1 : 0
    case .integer(let number)?:
        unsafe property.type = Int32(NALU_PROPERTY_TYPE_INT64)
        unsafe property.integer = number
    case .double(let number)?:
        unsafe property.type = Int32(NALU_PROPERTY_TYPE_DOUBLE)
        unsafe property.number = number
    case .string(let text)?:
        unsafe property.type = Int32(NALU_PROPERTY_TYPE_STRING)
        return unsafe text.withCString { text in
            unsafe property.string = unsafe text
            unsafe visitor(refcon, &property)
        }
    case .numbers(let numbers)?:
        unsafe property.type = Int32(NALU_PROPERTY_TYPE_NUMBERS)
        unsafe property.number_count = UInt32(numbers.count)
        return unsafe numbers.withUnsafeBufferPointer { numbers in
            unsafe property.numbers = numbers.baseAddress
            unsafe visitor(refcon, &property)
        }
    }
    unsafe visitor(refcon, &property)
}

@c @implementation
public func nalu_session_get_int64(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value_out: UnsafeMutablePointer<Int64>?
) -> nalu_status {
    unsafe get(session, key, "a whole number", into: value_out) { $0.integerValue }
}

@c @implementation
public func nalu_session_get_double(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value_out: UnsafeMutablePointer<Double>?
) -> nalu_status {
    unsafe get(session, key, "a number", into: value_out) { $0.doubleValue }
}

@c @implementation
public func nalu_session_get_bool(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ value_out: UnsafeMutablePointer<Int32>?
) -> nalu_status {
    unsafe get(session, key, "a bool", into: value_out) { value in
        if case .bool(let value) = value { value ? 1 : 0 } else { nil }
    }
}

@c @implementation
public func nalu_session_copy_string(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ size_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    unsafe get(session, key, "a string", { $0.stringValue }) { text throws(NaluError) in
        try unsafe copy(text, buffer, capacity, size_out)
    }
}

@c @implementation
public func nalu_session_copy_numbers(
    _ session: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ values: UnsafeMutablePointer<Double>?, _ capacity: Int,
    _ count_out: UnsafeMutablePointer<Int>?
) -> nalu_status {
    unsafe get(session, key, "a list of numbers", { $0.numbersValue }) { numbers throws(NaluError) in
        try unsafe fill(values, capacity, count_out, name: "values", sizeName: "count_out", needed: numbers.count) {
            target in
            for (index, number) in numbers.enumerated() {
                unsafe target[index] = number
            }
        }
    }
}

@c @implementation
public func nalu_property_get_count() -> UInt32 {
    UInt32(PropertyCatalog.all.count)
}

@c @implementation
public func nalu_property_get_key(_ index: UInt32) -> UnsafePointer<CChar>? {
    unsafe Immortal.properties.indices.contains(Int(index)) ? Immortal.properties[Int(index)].key : nil
}

@c @implementation
public func nalu_property_get_info(
    _ key: UnsafePointer<CChar>?, _ info: UnsafeMutablePointer<nalu_property_info>?
) -> nalu_status {
    attempt { () throws(NaluError) in
        let name = try unsafe cText(key, "key")
        guard let index = PropertyCatalog.all.firstIndex(where: { $0.key.rawValue == name }) else {
            throw PropertyCatalog.notSupported(PropertyKey(rawValue: name))
        }
        let row = PropertyCatalog.all[index]
        let strings = unsafe Immortal.properties[index]
        let described = unsafe nalu_property_info(
            struct_size: 0, type: row.kind.rawValue, writable: row.access == .readOnly ? 0 : 1,
            live: row.access == .live ? 1 : 0, minimum: row.range?.lowerBound ?? .nan,
            maximum: row.range?.upperBound ?? .nan, allowed_value_count: UInt32(row.allowedValues.count), reserved: 0,
            default_value: strings.defaultText, documentation: strings.documentation)
        try unsafe GrowableStruct.write(described, to: info, "info")
    }
}

@c @implementation
public func nalu_property_get_allowed_value(_ key: UnsafePointer<CChar>?, _ index: UInt32) -> UnsafePointer<CChar>? {
    guard let key = unsafe key else { return nil }
    let name = unsafe String(cString: key)
    guard let row = PropertyCatalog.all.firstIndex(where: { $0.key.rawValue == name }) else { return nil }
    let values = unsafe Immortal.properties[row].allowedValues
    return unsafe values.indices.contains(Int(index)) ? values[Int(index)] : nil
}
