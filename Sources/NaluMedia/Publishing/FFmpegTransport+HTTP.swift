internal import CFFmpeg
private import CNetwork
internal import NaluBase
private import NaluLibc
internal import Synchronization

/// The answer of the server to a PUT.
///
/// libavformat counts every PUT as accepted, and discards the answer when it closes the connection. So the transport
/// writes the chunks of the body itself. It reads the answer from the socket, or through libavformat's TLS, to which it
/// also writes the head of the request: the protocol "https" would read the answer as chunks and lose it.
extension FFmpegTransport {
    /// The seconds in which an answer is read after the connection has failed.
    private static let lateAnswer = 0.5

    /// Returns the line before the bytes of a chunk.
    static func chunkHead(_ size: Int) -> [UInt8] { Array("\(String(size, radix: 16))\r\n".utf8) }

    /// The end of a chunk.
    static let chunkEnd: [UInt8] = [13, 10]

    /// The milliseconds between two looks at the deadline.
    private static let pollInterval: Int32 = 20

    /// The address that libavformat opens for a PUT by TLS.
    var addressOfTLS: String {
        "tls://\(address.host.contains(":") ? "[\(address.host)]" : address.host):\(address.port)"
    }

    /// Writes the head of the request, unless libavformat's HTTP has done so.
    func beginPut(timeout: Double) throws(NaluError) {
        guard address.transport == .put, address.usesTLS else { return }
        let head = Array(address.putHead.utf8)
        try send(head.span, timeout: timeout)
    }

    /// Reads an answer that arrives before the end of the stream. Throws if the server refuses the stream.
    func readEarlyAnswer() throws(NaluError) {
        // A socket of TLS can have data that contain no part of the answer, and reading the answer would then wait.
        guard address.transport == .put, !address.usesTLS else { return }
        let socket = descriptor.load(ordering: .relaxed)
        while !hasAnswer, socket >= 0, SystemCalls.wait(for: POLLIN, on: socket, milliseconds: 0) > 0 {
            deadline.begin(Self.lateAnswer)
            try receive(late: "")
        }
    }

    /// Ends the body, and reads the answer within `timeout` seconds. Throws if the server refuses the stream or does not
    /// answer.
    func finishPut(timeout: Double) throws(NaluError) {
        let end: [UInt8] = Array("0\r\n\r\n".utf8)
        do throws(NaluError) {
            try send(end.span, timeout: timeout)
        } catch {
            throw lateRefusal() ?? error
        }
        deadline.begin(timeout)
        do throws(NaluError) {
            while !hasAnswer { try receive(late: "the server has not answered within \(timeout) s") }
        } catch {
            // libavformat sends a user's password only after a first answer, which may have been the final one.
            guard address.hasUser, !address.usesTLS, refusal == nil, !deadline.isCancelled else { throw error }
        }
    }

    /// Returns the server's refusal if it has arrived before the connection failed.
    func lateRefusal() -> NaluError? {
        guard address.transport == .put, !deadline.isCancelled else { return nil }
        deadline.begin(Self.lateAnswer)
        do {
            while !hasAnswer { try receive(late: "") }
        } catch {}
        return refusal
    }

    /// Reads more bytes of the answer, and parses them. `late` is the error message if the deadline passes.
    private func receive(late: String) throws(NaluError) {
        guard let context = unsafe FFmpegStruct(context) else { return }
        var bytes = [UInt8](repeating: 0, count: 4096)
        var count: Int32 = -1
        while count < 0, !deadline.isOver {
            unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                let size = Int32(bytes.count)
                if address.usesTLS {
                    count = locale.ofC { unsafe max(0, nalu_ff_receive(context.pointer, bytes.baseAddress, size)) }
                } else {
                    let socket = descriptor.load(ordering: .relaxed)
                    count = unsafe nalu_net_receive(socket, bytes.baseAddress, size, Self.pollInterval)
                }
            }
        }
        guard count > 0 else {
            if deadline.isOver { throw failure(nalu_ff_exit(), late) }
            throw NaluError(
                .inputOutput, "the server closed the connection without an answer; expected one that accepts PUT")
        }
        answer.append(contentsOf: bytes.prefix(Int(count)))
        guard let head = try HTTPAnswer.parse(answer) else { return }
        hasAnswer = true
        if let text = head.refusal {
            refusal = NaluError(.inputOutput, text)
            throw NaluError(.inputOutput, text)
        }
    }
}
