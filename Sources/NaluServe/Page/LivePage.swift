internal import FoundationEssentials

/// The page: one HTML file with its script and style.
enum LivePage {
    static let bytes = Data(PackageResources.live_html)

    /// The headers that forbid the page to load anything, and to connect to anything but its own socket.
    ///
    /// - Parameter host: the checked Host header. Some browsers need the address of the socket beside 'self'.
    static func headers(host: String) -> [(name: String, value: String)] {
        [
            ("Content-Type", "text/html; charset=utf-8"),
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                    + "connect-src 'self' ws://\(host) wss://\(host); media-src blob:; img-src data:; base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'"
            ),
            ("Cache-Control", "no-store"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
        ]
    }
}
