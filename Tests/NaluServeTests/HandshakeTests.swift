import FoundationEssentials
import Testing

@testable import NaluServe

@Suite struct HandshakeTests {
    private func head(_ lines: String...) throws -> RequestHead {
        try RequestHead(ArraySlice((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    }

    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        (String(repeating: "a", count: 1000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
    ])
    func hashesAreThoseOfTheStandard(message: String, hash: String) {
        let text = SHA1.hash(Array(message.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(text == hash)
    }

    @Test func theAnswerIsThatOfTheStandard() throws {
        // RFC 6455 section 1.3.
        let request = [
            "GET /chat HTTP/1.1", "Host: server.example.com", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        ]
        let whole = try RequestHead(ArraySlice((request.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        let answer = try #require(Handshake.accept(whole))
        #expect(
            String(decoding: answer, as: UTF8.self).contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        for left in 2..<request.count {
            var part = request
            part.remove(at: left)
            let head = try RequestHead(ArraySlice((part.joined(separator: "\r\n") + "\r\n\r\n").utf8))
            #expect(Handshake.accept(head) == nil, "without \(request[left])")
        }
    }

    @Test func queriesAreComparedAsTheyWereSent() throws {
        let head = try head("GET /live?a=1&token=x%20y&token=z HTTP/1.1", "Host: localhost")
        #expect(head.path == "/live")
        #expect(head.queryValue("token") == "x%20y")
        #expect(head.queryValue("b") == nil)
    }
}
