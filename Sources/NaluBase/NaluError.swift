/// A failure: a status number and one sentence that names the argument, its value, and what was expected.
public struct NaluError: Error, Hashable, Sendable, CustomStringConvertible {
    public let status: Status
    public let message: String

    public init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    public var description: String {
        "\(status.name) (\(status.rawValue)): \(message)"
    }

    /// A client's text for a sentence, cut after 100 characters.
    package static func excerpt(_ text: String) -> String {
        text.count <= 100 ? text : text.prefix(100) + "\u{2026}"
    }
}
