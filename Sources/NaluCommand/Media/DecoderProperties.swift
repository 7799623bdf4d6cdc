internal import ArgumentParser
internal import Nalu
internal import NaluMedia

/// Parses the settings of a decompression session, `KEY=VALUE`.
enum DecoderProperties {
    /// The keys, which all commands that decode accept. ``NaluMedia/DecompressionSession/Options`` describes them.
    private enum Key: String, CaseIterable {
        case threadCount = "ThreadCount"
        case dropsUntilKeyFrame = "DropUntilKeyFrame"
        case isLowDelay = "LowDelay"
        case maximumPixelCount = "MaximumPixelCount"

        /// Creates a key from its name in any case.
        init?(_ name: String) {
            guard let key = Self.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else {
                return nil
            }
            self = key
        }
    }

    static let completion = CompletionKind.list(Key.allCases.map { $0.rawValue + "=" })

    static let help = ArgumentHelp(
        "Set a property of the decoding session: ThreadCount (1 to 64), DropUntilKeyFrame (true: after a loss, frames up to the next key frame are dropped), LowDelay (true: threads work on one picture at a time) or MaximumPixelCount (1 or more: pictures with more pixels are refused). May be given several times.",
        valueName: "key=value")

    /// - Parameters:
    ///   - texts: one setting each, or several with commas between them; of two for one key, the later one counts.
    ///   - option: the option's name in error messages.
    static func options(_ texts: [String], option: String) throws(Failure) -> DecompressionSession.Options {
        var options = DecompressionSession.Options()
        for text in texts {
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let equals = part.firstIndex(of: "="), equals != part.startIndex else {
                    throw .usage("\(option) \(NaluError.excerpt(text)) is not a setting; expected \(option) KEY=VALUE")
                }
                let name = PropertyArgument.trimmed(part[..<equals])
                let value = PropertyArgument.trimmed(part[part.index(after: equals)...])
                guard let key = Key(name) else {
                    let keys = Key.allCases.map(\.rawValue).joined(separator: ", ")
                    throw .usage(
                        "a decoding session has no property \"\(NaluError.excerpt(name))\"; expected one of \(keys)")
                }
                switch key {
                case .threadCount: options.threadCount = try number(value, key, 1...64)
                case .dropsUntilKeyFrame: options.dropsUntilKeyFrame = try flag(value, key)
                case .isLowDelay: options.isLowDelay = try flag(value, key)
                case .maximumPixelCount: options.maximumPixelCount = try number(value, key, 1...Int.max)
                }
            }
        }
        return options
    }

    private static func number(_ text: String, _ key: Key, _ range: ClosedRange<Int>) throws(Failure) -> Int {
        let number = Int(text) ?? PropertyArgument.scaled(text).flatMap { Int(exactly: $0) }
        guard let number, range.contains(number) else {
            let expected =
                range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
            throw .usage("\(key.rawValue) is \(NaluError.excerpt(text)); expected a whole number, \(expected)")
        }
        return number
    }

    private static func flag(_ text: String, _ key: Key) throws(Failure) -> Bool {
        switch text {
        case "true", "1", "yes", "on": return true
        case "false", "0", "no", "off": return false
        default: throw .usage("\(key.rawValue) is \(NaluError.excerpt(text)); expected true or false")
        }
    }
}

/// The settings of the decompression session in a command that also encodes; its `-p` is for the encoder.
struct DecoderOptions: ParsableArguments {
    @Option(
        name: .customLong("decoder-property"), parsing: .unconditionalSingleValue, help: DecoderProperties.help,
        completion: DecoderProperties.completion)
    var texts: [String] = []

    func options() throws(Failure) -> DecompressionSession.Options {
        try DecoderProperties.options(texts, option: "--decoder-property")
    }
}
