/// Requests and WebSocket frames of a viewer: any bytes, in pieces of any size, give requests, messages or an error.
func fuzzServeRequest(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = unsafe [UInt8](Fuzzing.input(data, size))
    if let end = RequestHead.size(of: bytes) {
        do throws(RequestHead.Malformed) {
            let head = try RequestHead(bytes[..<end])
            Fuzzing.require(head.path.hasPrefix("/"), "the path is absolute")
            Fuzzing.require(
                !head.headers.contains { $0.value.contains("\r") || $0.value.contains("\n") }, "values are lines")
            _ = head.queryValue("token")
        } catch {
            Fuzzing.require(!error.message.isEmpty, "there is an error message")
        }
    }
    let whole = messages(bytes, piece: max(bytes.count, 1))
    Fuzzing.require(messages(bytes, piece: 1) == whole, "the result does not depend on the pieces")
    return 0
}

/// The messages, and the code of the violation that ended them; 0 without one.
private struct ReadMessages: Equatable {
    var messages: [ClientFrames.Message] = []
    var code: UInt16 = 0
}

private func messages(_ bytes: [UInt8], piece: Int) -> ReadMessages {
    var frames = ClientFrames()
    var result = ReadMessages()
    for start in stride(from: 0, to: bytes.count, by: piece) {
        frames.append(bytes[start..<min(bytes.count, start + piece)])
        do throws(ClientFrames.Violation) {
            while let message = try frames.next() {
                if case .text(let text) = message {
                    Fuzzing.require(text.utf8.count <= ClientFrames.maximumSize, "messages are bounded")
                }
                result.messages.append(message)
            }
        } catch {
            result.code = error.code
            return result
        }
    }
    return result
}
