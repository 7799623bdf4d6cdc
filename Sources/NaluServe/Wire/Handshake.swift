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

/// The hash function SHA-1 (FIPS 180-4), which the handshake of WebSockets prescribes. It protects nothing there.
enum SHA1 {
    /// Returns the 20 bytes of the hash.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        bytes.append(bigEndian: UInt64(message.count) &* 8)
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for block in stride(from: 0, to: bytes.count, by: 64) { mix(bytes[block..<block + 64], into: &state) }
        var hash: [UInt8] = []
        for word in state { hash.append(bigEndian: word) }
        return hash
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = [UInt32](repeating: 0, count: 80)
        for (index, byte) in block.enumerated() { words[index / 4] = words[index / 4] << 8 | UInt32(byte) }
        for index in 16..<80 {
            words[index] = rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (mixed, constant): (UInt32, UInt32) =
                switch index / 20 {
                case 0: (b & c | ~b & d, 0x5A82_7999)
                case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let next = rotate(a, by: 5) &+ mixed &+ e &+ constant &+ words[index]
            (a, b, c, d, e) = (next, a, rotate(b, by: 30), c, d)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    }

    private static func rotate(_ word: UInt32, by count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
