internal import Nalu

/// Parses the text after -p: the form of `nalu_session_set_properties_from_text`, and shorter forms for a shell.
///
/// A single string needs no quotes, because the shell has removed its own quotes. A single list needs no brackets. A
/// number may end in one of the letters k, M and G. ``PropertyNames/resolve(_:)`` describes the short names.
enum PropertyArgument {
    static func settings(_ text: String) throws(Failure) -> [(key: PropertyKey, value: PropertyValue?)] {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw .usage("-p \(NaluError.excerpt(text)) is not a setting; expected -p KEY=VALUE")
        }
        let first = try PropertyNames.resolve(trimmed(text[..<equals]))
        let value = trimmed(text[text.index(after: equals)...])
        if let value = plain(value, first) { return [(try writable(first), value)] }
        do {
            var settings: [(key: PropertyKey, value: PropertyValue?)] = []
            for (key, value) in try PropertyText.read([UInt8](text.utf8)) {
                settings.append((try writable(PropertyNames.resolve(key.rawValue)), value))
            }
            return settings
        } catch let error as NaluError {
            throw .usage("-p \(NaluError.excerpt(text)) cannot be read: \(error.message)")
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .usage("\(error)")
        }
    }

    static func trimmed(_ text: Substring) -> String {
        let words = text.drop { $0 == " " }
        return String(
            words.prefix(
                (words.lastIndex { $0 != " " }.map { words.distance(from: words.startIndex, to: $0) + 1 }) ?? 0))
    }

    private static func writable(_ info: PropertyInfo) throws(Failure) -> PropertyKey {
        guard info.access != .readOnly else {
            throw .usage("\(info.key.rawValue) is read-only; leave out -p \(info.key.rawValue)")
        }
        return info.key
    }

    /// Returns the value of one setting in a shorter form; nil if the library must parse the text.
    private static func plain(_ text: String, _ info: PropertyInfo) -> PropertyValue? {
        switch info.kind {
        case .string:
            let isText = text.hasPrefix("\"") || text == "unset" || holdsSetting(text)
            return isText ? nil : .string(text)
        case .integer, .double:
            guard let number = scaled(text) else { return nil }
            return info.kind == .integer ? Int64(exactly: number).map { .integer($0) } : .double(number)
        case .numbers:
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
                Double($0) ?? scaled(String($0))
            }
            guard !numbers.isEmpty, numbers.allSatisfy({ $0?.isFinite == true }) else { return nil }
            return .numbers(numbers.compactMap { $0 })
        case .bool:
            return ["1", "yes", "on"].contains(text) ? true : ["0", "no", "off"].contains(text) ? false : nil
        }
    }

    /// Returns true if another setting follows a comma.
    private static func holdsSetting(_ text: String) -> Bool {
        text.split(separator: ",").dropFirst().contains { part in
            let words = part.split(separator: "=", maxSplits: 1)
            return words.count == 2 && PropertyNames.meant(by: String(words[0].drop { $0 == " " })) != nil
        }
    }

    /// Parses a number with a letter, "2M" or "1.5k"; returns nil without such a letter.
    static func scaled(_ text: String) -> Double? {
        let factors: [Character: Double] = ["k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "g": 1e9, "G": 1e9]
        guard let factor = text.last.flatMap({ factors[$0] }), let number = Double(text.dropLast()) else { return nil }
        let product = number * factor
        return product.magnitude < 1e15 ? product : nil
    }
}
