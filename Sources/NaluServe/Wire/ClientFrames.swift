/// Reads the WebSocket frames of a client (RFC 6455 section 5) from bytes that arrive in blocks of any size.
///
/// Only text messages are accepted, of at most ``maximumSize`` bytes. At most one message is kept in memory.
struct ClientFrames: Sendable {
    /// The longest message of a client in bytes.
    static let maximumSize = 1024

    enum Message: Equatable, Sendable {
        case text(String)
        case ping([UInt8])
        case pong
        /// The status code of the client's close frame; nil if it has none.
        case close(UInt16?)
    }

    /// A violation of the protocol. The connection ends with the code.
    struct Violation: Error, Equatable {
        let code: UInt16
        let reason: String
    }

    private var bytes: [UInt8] = []
    /// The text of the fragments so far; nil between messages.
    private var fragments: [UInt8]?

    mutating func append(_ more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// Returns the next message; nil if it is incomplete. After an error the reader must not be used again.
    mutating func next() throws(Violation) -> Message? {
        while true {
            guard let frame = try nextFrame() else { return nil }
            switch frame.opcode {
            case 0:
                guard let text = fragments else { throw Self.violation("a continuation continues no message") }
                if let message = try add(frame, to: text) { return message }
            case 1:
                guard fragments == nil else { throw Self.violation("a message begins inside another") }
                if let message = try add(frame, to: []) { return message }
            case 2: throw Violation(code: 1003, reason: "binary messages are not accepted")
            case 8: return .close(try Self.closeCode(frame.payload))
            case 9: return .ping(frame.payload)
            case 10: return .pong
            default: throw Self.violation("the opcode \(frame.opcode) is reserved")
            }
        }
    }

    private struct Frame {
        let isFinal: Bool
        let opcode: UInt8
        let payload: [UInt8]
    }

    /// Removes the next frame from the bytes; nil if it is incomplete. The length is checked before its bytes arrive.
    private mutating func nextFrame() throws(Violation) -> Frame? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[0], bytes[1])
        let (isFinal, opcode) = (first & 0x80 != 0, first & 0x0F)
        guard first & 0x70 == 0 else { throw Self.violation("a reserved bit is set") }
        guard second & 0x80 != 0 else { throw Self.violation("a frame of a client is not masked") }
        var length = Int(second & 0x7F)
        var header = 2
        if opcode >= 8 {
            guard isFinal else { throw Self.violation("a control frame is fragmented") }
            guard length <= 125 else { throw Self.violation("a control frame has more than 125 bytes") }
        }
        if length == 126 {
            guard bytes.count >= 4 else { return nil }
            length = Int(bytes[2]) << 8 | Int(bytes[3])
            header = 4
        } else if length == 127 {
            throw Self.tooLong
        }
        guard length <= Self.maximumSize else { throw Self.tooLong }
        guard bytes.count >= header + 4 + length else { return nil }
        let mask = Array(bytes[header..<header + 4])
        var payload = Array(bytes[header + 4..<header + 4 + length])
        for index in payload.indices { payload[index] ^= mask[index & 3] }
        bytes.removeFirst(header + 4 + length)
        return Frame(isFinal: isFinal, opcode: opcode, payload: payload)
    }

    private mutating func add(_ frame: Frame, to text: [UInt8]) throws(Violation) -> Message? {
        let text = text + frame.payload
        guard text.count <= Self.maximumSize else { throw Self.tooLong }
        guard frame.isFinal else {
            fragments = text
            return nil
        }
        fragments = nil
        guard let string = String(validating: text, as: UTF8.self) else {
            throw Violation(code: 1007, reason: "a text message is not UTF-8")
        }
        return .text(string)
    }

    private static func closeCode(_ payload: [UInt8]) throws(Violation) -> UInt16? {
        guard !payload.isEmpty else { return nil }
        guard payload.count >= 2 else { throw violation("a close frame has one byte") }
        return UInt16(payload[0]) << 8 | UInt16(payload[1])
    }

    private static let tooLong = Violation(code: 1009, reason: "a message has more than \(maximumSize) bytes")

    private static func violation(_ reason: String) -> Violation {
        Violation(code: 1002, reason: reason)
    }
}
