/// A failure: a status, and an error message that names the argument, its value and the expected values.
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

    /// Returns a client's text for an error message, cut after 100 characters.
    package static func excerpt(_ text: String) -> String {
        text.count <= 100 ? text : text.prefix(100) + "\u{2026}"
    }
}
