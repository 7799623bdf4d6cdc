internal import FoundationEssentials

/// The opening handshake of a WebSocket (RFC 6455 section 4.2).
enum Handshake {
    /// Returns the response that accepts the request; nil if the request is not a handshake of version 13.
    static func accept(_ head: RequestHead) -> Data? {
        let connection = (head.value("connection") ?? "").lowercased().split(separator: ",")
        guard head.value("upgrade")?.lowercased() == "websocket", head.value("sec-websocket-version") == "13",
            connection.contains(where: { $0.drop { $0 == " " }.prefix { $0 != " " } == "upgrade" }),
            let key = head.value("sec-websocket-key"), Data(base64Encoded: key)?.count == 16
        else { return nil }
        let hash = SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        let text =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(Data(hash).base64EncodedString())\r\n\r\n"
        return Data(text.utf8)
    }
}
