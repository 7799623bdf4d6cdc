/// Properties as text, "AverageBitRate=2000000,RealTime=true", in the form that properties.h defines.
///
/// Text that is read and written again has the same settings. Doubles stay the same bit for bit.
package struct PropertyText {
    /// A property and its value; nil restores the default.
    package typealias Setting = (key: PropertyKey, value: PropertyValue?)

    /// The most numbers in a list, as in the C interface.
    private static let maximumNumbers = 1024

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the settings of a text in UTF-8, in its order. It is not checked whether the properties exist.
    ///
    /// - Throws: ``Status/parameter`` with the position of the error, in bytes from 0. ``Status/outOfRange`` for a
    ///   number beyond `Int64` or double, and for a list that is too long.
    package static func read(_ text: [UInt8]) throws(NaluError) -> [Setting] {
        var reader = PropertyText(text)
        return try reader.settings()
    }

    /// Returns the text of settings, which must have different keys and finite numbers.
    static func write(_ settings: [Setting]) -> String {
        settings.map { "\($0.key.rawValue)=\($0.value.map(text) ?? "unset")" }.joined(separator: ",")
    }

    // MARK: Writing

    private static func text(_ value: PropertyValue) -> String {
        switch value {
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        // The shortest digits that read back as the same double.
        case .double(let value): "\(value)"
        case .string(let value): isPlain(value) ? value : quoted(value)
        case .numbers(let values): "[" + values.map(listText).joined(separator: ",") + "]"
        }
    }

    /// Returns a number of a list as text. Each is a double, so that a whole number needs no point; -0 would lose its
    /// sign.
    private static func listText(_ number: Double) -> String {
        if let whole = Int64(exactly: number), number.magnitude < 0x1p53, whole != 0 || number.sign == .plus {
            return "\(whole)"
        }
        return "\(number)"
    }

    /// Whether the text is a word that needs no quotes.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, beginsWord(first), text.utf8.allSatisfy(continuesWord) else { return false }
        return !["true", "false", "unset"].contains(text)
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Reading

    private mutating func settings() throws(NaluError) -> [Setting] {
        var settings: [Setting] = []
        var positions: [String: Int] = [:]
        skipSpace()
        if next == nil { return [] }
        while true {
            let start = position
            guard let first = next, Self.beginsWord(first) else {
                throw unexpected("a key, such as AverageBitRate")
            }
            let key = take(while: Self.continuesWord)
            if let other = positions.updateValue(start, forKey: key) {
                throw NaluError(
                    .parameter,
                    "text has the key \(NaluError.excerpt(key)) at byte \(other) and again at byte \(start); "
                        + "expected each key once")
            }
            skipSpace()
            guard skip("=") else {
                throw unexpected("\"=\" after the key \(NaluError.excerpt(key))")
            }
            skipSpace()
            settings.append((PropertyKey(rawValue: key), try value(key)))
            skipSpace()
            if next == nil { return settings }
            guard skip(",") else {
                throw unexpected("\",\" or the end after the value of \(NaluError.excerpt(key))")
            }
            skipSpace()
        }
    }

    private mutating func value(_ key: String) throws(NaluError) -> PropertyValue? {
        switch next {
        case UInt8(ascii: "\""):
            return .string(try string())
        case UInt8(ascii: "["):
            return .numbers(try list(key))
        case let first? where Self.beginsNumber(first):
            return try number()
        case let first? where Self.beginsWord(first):
            let word = take(while: Self.continuesWord)
            return switch word {
            case "true": .bool(true)
            case "false": .bool(false)
            case "unset": nil
            default: .string(word)
            }
        default:
            throw unexpected(
                "the value of \(NaluError.excerpt(key)): true, false, unset, a number, a word, a string in quotes or "
                    + "a list in brackets")
        }
    }

    private mutating func string() throws(NaluError) -> String {
        let start = position
        position += 1
        var content: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else {
                    throw NaluError(.parameter, "text has a string at byte \(start) that is not UTF-8; expected UTF-8")
                }
                return text
            case UInt8(ascii: "\\"):
                guard let escaped = next, escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
                    throw unexpected("a quote or a backslash after the backslash")
                }
                position += 1
                content.append(escaped)
            default:
                content.append(byte)
            }
        }
        throw unexpected("the closing quote of the string at byte \(start)")
    }

    private mutating func list(_ key: String) throws(NaluError) -> [Double] {
        let start = position
        position += 1
        var numbers: [Double] = []
        skipSpace()
        if skip("]") { return [] }
        while true {
            guard let first = next, Self.beginsNumber(first) else {
                throw unexpected("a number of the list at byte \(start)")
            }
            numbers.append(try Self.double(numeral()))
            guard numbers.count <= Self.maximumNumbers else {
                throw NaluError(
                    .outOfRange,
                    "text has more than \(Self.maximumNumbers) numbers in the list at byte \(start); expected at most "
                        + "\(Self.maximumNumbers) for \(NaluError.excerpt(key))")
            }
            skipSpace()
            if skip("]") { return numbers }
            guard skip(",") else {
                throw unexpected("\",\" or \"]\" in the list at byte \(start)")
            }
            skipSpace()
        }
    }

    /// Reads an integer if the number has neither a point nor an exponent, otherwise a double.
    private mutating func number() throws(NaluError) -> PropertyValue {
        let found = try numeral()
        guard found.isWhole else { return .double(try Self.double(found)) }
        guard let number = Int64(found.text) else {
            throw Self.outOfRange(found, "an integer from \(Int64.min) to \(Int64.max)")
        }
        return .integer(number)
    }

    /// Returns the nearest double. The standard library's conversion does not depend on the locale, and returns
    /// infinity for a number beyond the largest double.
    private static func double(_ numeral: Numeral) throws(NaluError) -> Double {
        guard let number = FloatEnvironment.hidden({ Double(numeral.text) }), number.isFinite else {
            throw outOfRange(numeral, "a number up to \(Double.greatestFiniteMagnitude)")
        }
        return number
    }

    private struct Numeral {
        let text: String
        let start: Int
        let isWhole: Bool
    }

    private mutating func numeral() throws(NaluError) -> Numeral {
        let start = position
        let text = take { Self.continuesWord($0) || $0 == UInt8(ascii: "+") }
        guard let isWhole = Self.isWhole(text) else {
            throw NaluError(
                .parameter,
                "text has \"\(NaluError.excerpt(text))\" at byte \(start); expected a number, such as -12, 0.5 or 1e6")
        }
        return Numeral(text: text, start: start, isWhole: isWhole)
    }

    /// Returns whether a number is whole; nil if the text is not a number.
    private static func isWhole(_ text: String) -> Bool? {
        var rest = Substring(text).utf8[...]
        func skipDigits() -> Bool {
            let digits = rest.prefix { isDigit($0) }
            rest = rest.dropFirst(digits.count)
            return !digits.isEmpty
        }
        var isWhole = true
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        guard skipDigits() else { return nil }
        if rest.first == UInt8(ascii: ".") {
            isWhole = false
            rest = rest.dropFirst()
            guard skipDigits() else { return nil }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            isWhole = false
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            guard skipDigits() else { return nil }
        }
        return rest.isEmpty ? isWhole : nil
    }

    // MARK: Bytes

    private var next: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
            position += 1
        }
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func take(while belongs: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = next, belongs(byte) {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func beginsWord(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || byte == UInt8(ascii: "_")
    }

    private static func continuesWord(_ byte: UInt8) -> Bool {
        beginsWord(byte) || isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }

    /// Whether the byte begins a number, or something that is to be refused as a number.
    private static func beginsNumber(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
    }

    // MARK: Errors

    private func unexpected(_ expected: String) -> NaluError {
        guard let byte = next else {
            return NaluError(.parameter, "text ends at byte \(position); expected \(expected)")
        }
        let found =
            (0x20...0x7E).contains(byte)
            ? "\"\(Unicode.Scalar(byte))\"" : "the byte 0x\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))"
        return NaluError(.parameter, "text has \(found) at byte \(position); expected \(expected)")
    }

    private static func outOfRange(_ numeral: Numeral, _ expected: String) -> NaluError {
        let found = NaluError.excerpt(numeral.text)
        return NaluError(.outOfRange, "text has \(found) at byte \(numeral.start); expected \(expected)")
    }
}
