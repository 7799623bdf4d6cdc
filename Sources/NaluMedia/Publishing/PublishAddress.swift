internal import CFFmpeg
internal import NaluBase

/// An address to which samples are published.
struct PublishAddress: Sendable {
    /// The way in which bytes reach the receiver.
    enum Transport: Sendable {
        case rtmp, srt, udp, put
    }

    let text: String
    let transport: Transport
    /// Whether the connection is encrypted by TLS, which FFmpeg must contain.
    let usesTLS: Bool
    let host: String
    let port: Int
    /// Whether the address names a user.
    let hasUser: Bool
    /// The parameters after the question mark, decoded.
    let query: [(name: String, value: String)]

    private static let schemes: [(name: String, transport: Transport, usesTLS: Bool, port: Int?)] = [
        ("rtmp", .rtmp, false, 1935), ("rtmps", .rtmp, true, 443), ("srt", .srt, false, nil), ("udp", .udp, false, nil),
        ("http", .put, false, 80), ("https", .put, true, 443),
    ]

    /// Parses an address. Throws `.parameter` for one that cannot be published to.
    init(_ text: String) throws(NaluError) {
        let name = Self.scheme(of: text) ?? ""
        guard let scheme = Self.schemes.first(where: { $0.name == name }) else {
            throw Self.refusal(
                text, "an address that begins with rtmp://, rtmps://, srt://, udp://, http:// or https://")
        }
        guard !text.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else {
            throw Self.refusal(text, "an address without spaces and control characters; a space is %20")
        }
        let rest = text.dropFirst(name.count + 3)
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest.dropFirst(authority.count)
        query = Self.query(of: path)
        guard let (host, port) = Self.hostAndPort(authority, scheme.port) else {
            throw Self.refusal(text, "\(name)://HOST:PORT with a port from 1 to 65535")
        }
        if scheme.transport == .put, let other = Self.otherContainer(path) {
            throw Self.refusal(
                text, "a path that ends in .ts or has no extension, because \(name) sends MPEG-TS and not .\(other)")
        }
        (self.text, self.host, self.port) = (text, host, port)
        hasUser = authority.contains("@")
        (transport, usesTLS) = (scheme.transport, scheme.usesTLS)
    }

    /// Whether a text is an address and not a path.
    static func isAddress(_ text: String) -> Bool { scheme(of: text) != nil }

    /// The container that belongs to the protocol.
    var container: OutputFormat { transport == .rtmp ? .flv : .mpegts }

    /// Whether the protocol reports the received bytes, so that the bit rate can follow the link.
    var hasFeedback: Bool { transport == .rtmp || transport == .srt }

    /// The address without the user's name, the password and the query, for messages. RTMP's last component often is
    /// a secret key, so it is left out too.
    var shown: String {
        let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        var shown = String(text[..<end])
        if let name = Self.scheme(of: shown) {
            let authority = shown.dropFirst(name.count + 3).prefix { $0 != "/" }
            if let at = authority.lastIndex(of: "@") {
                shown.replaceSubrange(authority.startIndex...at, with: "")
            }
        }
        let parts = shown.split(separator: "/", omittingEmptySubsequences: false)
        return transport == .rtmp && parts.count > 4 ? parts.dropLast().joined(separator: "/") + "/..." : shown
    }

    /// Throws `.couldNotCreateInstance` if FFmpeg lacks the protocol of the address.
    func checkProtocol() throws(NaluError) {
        let isKnown = unsafe avio_find_protocol_name(text) != nil
        guard isKnown || transport == .srt else {
            let name = Self.scheme(of: text) ?? ""
            throw NaluError(
                .couldNotCreateInstance,
                usesTLS
                    ? "url begins with \(name)://, and this build of FFmpeg has no TLS; expected rtmp:// or http://, or a libnalu that loads the system's FFmpeg (the Python wheel contains its own)"
                    : "url begins with \(name)://, which this build of FFmpeg does not contain; expected an FFmpeg with this protocol, such as the system's"
            )
        }
    }

    /// The head of a request that sends a transport stream by PUT.
    var putHead: String {
        let rest = text.dropFirst((Self.scheme(of: text) ?? "").count + 3)
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest.dropFirst(authority.count).prefix { $0 != "#" }
        var lines = [
            "PUT \(path.hasPrefix("/") ? "" : "/")\(path) HTTP/1.1",
            "Host: \(authority.split(separator: "@").last ?? "")", "User-Agent: Nalu", "Accept: */*",
            "Connection: close", "Content-Type: video/mp2t", "Transfer-Encoding: chunked",
        ]
        if let at = authority.lastIndex(of: "@") {
            lines.append("Authorization: Basic \(Self.base64(Array(Self.decoded(authority[..<at]).utf8)))")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 { text.append(index <= group.count ? digits[bits >> (18 - 6 * index) & 63] : "=") }
        }
        return text
    }

    // MARK: Parsing

    private static func scheme(of text: String) -> String? {
        guard let end = text.range(of: "://") else { return nil }
        let name = text[..<end]
        let isName = name.utf8.allSatisfy { 97...122 ~= $0 | 32 || 48...57 ~= $0 || $0 == 43 || $0 == 45 || $0 == 46 }
        return isName && !name.isEmpty ? name.lowercased() : nil
    }

    private static func hostAndPort(_ authority: Substring, _ defaultPort: Int?) -> (String, Int)? {
        var place = authority
        if let at = place.lastIndex(of: "@") { place = place[place.index(after: at)...] }
        var host = place
        var port: Substring?
        if place.first == "[" {
            guard let end = place.firstIndex(of: "]") else { return nil }
            host = place[place.index(after: place.startIndex)..<end]
            let rest = place[place.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else if let colon = place.lastIndex(of: ":") {
            host = place[..<colon]
            port = place[place.index(after: colon)...]
        }
        guard !host.isEmpty, let number = port.map({ Int($0) }) ?? defaultPort, 1...65535 ~= number else { return nil }
        return (String(host), number)
    }

    private static func query(of rest: Substring) -> [(name: String, value: String)] {
        guard let mark = rest.firstIndex(of: "?") else { return [] }
        let text = rest[rest.index(after: mark)...].prefix { $0 != "#" }
        return text.split(separator: "&").map { part in
            let name = part.prefix { $0 != "=" }
            return (String(name), decoded(part.dropFirst(name.count + 1)))
        }
    }

    /// Replaces %XX by the byte.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8[...]
        while let byte = rest.popFirst() {
            if byte == 37, let code = UInt8(String(Substring(rest.prefix(2))), radix: 16), rest.count >= 2 {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the extension of a path that names a container other than MPEG-TS; nil if it names none.
    private static func otherContainer(_ rest: Substring) -> String? {
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        guard let file = path.split(separator: "/").last, let dot = file.lastIndex(of: ".") else { return nil }
        let name = file[file.index(after: dot)...].lowercased()
        let others = OutputFormat.allCases.filter { $0 != .mpegts }.flatMap(\.extensions)
        return others.contains(name) ? name : nil
    }

    private static func refusal(_ text: String, _ expected: String) -> NaluError {
        NaluError(.parameter, "url is \"\(NaluError.excerpt(text))\"; expected \(expected)")
    }
}

extension String {
    /// Returns the index at which a text begins; nil if it does not occur.
    fileprivate func range(of text: String) -> String.Index? {
        var place = startIndex
        while place < endIndex {
            if self[place...].hasPrefix(text) { return place }
            place = index(after: place)
        }
        return nil
    }
}
