/// The settings of the server.
public struct ServeOptions: Sendable {
    /// The IP address to listen on.
    public let address: String
    /// The port; 0 for any free one.
    public let port: UInt16
    /// The secret that the page's address must contain; nil for none.
    public let token: String?
    public let maximumViewers: Int
    /// Whether viewers cannot change the bit rate.
    public let isViewOnly: Bool

    public init(address: String, port: UInt16, token: String?, maximumViewers: Int, isViewOnly: Bool) {
        self.address = address
        self.port = port
        self.token = token
        self.maximumViewers = maximumViewers
        self.isViewOnly = isViewOnly
    }

    /// Whether only programs on this machine can reach an IP address.
    public static func isLoopback(_ address: String) -> Bool {
        address == "::1" || address.hasPrefix("127.")
    }

    /// Returns a random token of 128 bits.
    public static func makeToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in
            let byte = UInt8.random(in: .min ... .max, using: &generator)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// Whether a text can be a token: 8 to 128 letters, digits, hyphens and underscores.
    public static func isToken(_ text: String) -> Bool {
        (8...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 45
                    || byte == 95
            }
    }

    /// The page's path and query.
    public var target: String { token.map { "/?token=\($0)" } ?? "/" }
}
