internal import FoundationEssentials

/// A WebSocket frame for clients (RFC 6455 section 5.2). It is not masked, so that all viewers share its bytes.
enum ServerFrame {
    static func text(_ payload: Data) -> Data { frame(opcode: 1, payload) }
    static func pong(_ payload: [UInt8]) -> Data { frame(opcode: 10, Data(payload)) }
    static let ping = frame(opcode: 9, Data())

    /// - Parameter reason: at most 123 bytes; the rest is cut off.
    static func close(_ code: UInt16, _ reason: String) -> Data {
        var payload = Data()
        payload.append(bigEndian: code)
        payload.append(contentsOf: reason.unicodeScalars.filter { $0.isASCII }.prefix(123).map { UInt8($0.value) })
        return frame(opcode: 8, payload)
    }

    /// Returns a binary frame of a header and a body, each copied once.
    static func binary(_ header: [UInt8], _ body: UnsafeRawBufferPointer) -> Data {
        var data = head(opcode: 2, size: header.count + body.count)
        data.append(contentsOf: header)
        if let start = body.baseAddress {
            unsafe data.append(start.assumingMemoryBound(to: UInt8.self), count: body.count)
        }
        return data
    }

    private static func frame(opcode: UInt8, _ payload: Data) -> Data {
        var data = head(opcode: opcode, size: payload.count)
        data.append(payload)
        return data
    }

    private static func head(opcode: UInt8, size: Int) -> Data {
        var data = Data(capacity: size + 10)
        data.append(0x80 | opcode)
        if size < 126 {
            data.append(UInt8(size))
        } else if size <= 0xFFFF {
            data.append(126)
            data.append(bigEndian: UInt16(size))
        } else {
            data.append(127)
            data.append(bigEndian: UInt64(size))
        }
        return data
    }
}
