internal import CFFmpeg
internal import CNetwork
internal import NaluBase
private import NaluLibc
internal import Synchronization

/// A connection by a protocol of libavformat: RTMP, UDP or HTTP, also over TLS.
///
/// `@unchecked Sendable`: only the publisher's thread uses the fields that are neither constant nor atomic.
@safe
final class FFmpegTransport: PublishTransport, @unchecked Sendable {
    let address: PublishAddress
    let deadline: PublishDeadline
    private let allowsAnyCertificate: Bool
    let locale = StreamLocale()
    private(set) var context: UnsafeMutablePointer<AVIOContext>?
    /// A duplicate of the descriptor of the TCP socket; -1 if there is none.
    let descriptor = Atomic<Int32>(-1)
    /// The seconds by which progress extends the limit of a write; nil while there is no write.
    private var stallTimeout: Double?
    private var lastProgress = -1
    /// The bytes of the answer to a PUT that have arrived.
    var answer: [UInt8] = []
    var hasAnswer = false
    /// The error if the answer refuses the stream.
    var refusal: NaluError?

    /// The number of connections so far. It makes the size of the next send buffer unique; see ``nalu_net_find_socket``.
    private static let mark = Atomic<Int32>(0)
    private static let leastBuffer: Int32 = 65536
    /// The size of a datagram in bytes: seven packets of a transport stream.
    private static let datagram = 1316

    /// The files in which distributions keep the certificates that they trust.
    private static let trustFiles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]

    init(_ address: PublishAddress, _ deadline: PublishDeadline, allowsAnyCertificate: Bool) {
        self.address = address
        self.deadline = deadline
        self.allowsAnyCertificate = allowsAnyCertificate
    }

    deinit {
        let socket = descriptor.load(ordering: .relaxed)
        if socket >= 0 { nalu_net_close(socket) }
    }

    func open(timeout: Double) throws(NaluError) {
        deadline.begin(timeout)
        // Odd sizes, which setWindow never sets.
        let buffer = Self.leastBuffer + 1 + 2 * (Self.mark.wrappingAdd(1, ordering: .relaxed).oldValue & 1023)
        let settings = FFmpegSettings()
        switch address.transport {
        case .rtmp:
            settings.set("send_buffer_size", "\(buffer)")
            settings.set("tcp_nodelay", "1")
        case .put:
            settings.set("method", "PUT")
            // The transport writes the chunks and reads the answer.
            settings.set("chunked_post", "0")
            settings.set("headers", "Transfer-Encoding: chunked\r\n")
            settings.set("content_type", "video/mp2t")
            settings.set("send_buffer_size", "\(buffer)")
            settings.set("tcp_nodelay", "1")
        case .udp: settings.set("pkt_size", "\(Self.datagram)")
        case .srt: break
        }
        if address.usesTLS { setTrust(settings) }
        var made: UnsafeMutablePointer<AVIOContext>?
        var interrupt = unsafe AVIOInterruptCB(
            callback: { opaque in unsafe (owner(opaque) as FFmpegTransport).mustStop ? 1 : 0 },
            opaque: Unmanaged.passUnretained(self).toOpaque())
        let isPutByTLS = address.transport == .put && address.usesTLS
        let (text, flags) = isPutByTLS ? (addressOfTLS, AVIO_FLAG_READ_WRITE) : (address.text, AVIO_FLAG_WRITE)
        let result = try InheritedState.hidden { () throws(NaluError) in
            locale.result {
                unsafe settings.used { unsafe avio_open2(&made, text, flags, &interrupt, $0) }
            }
        }
        guard result >= 0, unsafe made != nil else {
            if let unknown = nameFailure(result) { throw unknown }
            // FFmpeg reports all failures of TLS by the same code.
            if address.usesTLS, result == -EIO, !deadline.isOver { throw NaluError(.inputOutput, untrusted) }
            throw failure(result, "no connection within \(timeout) s")
        }
        unsafe context = made
        guard address.transport != .udp else { return }
        descriptor.store(nalu_net_find_socket(buffer), ordering: .releasing)
        try beginPut(timeout: timeout)
    }

    /// By default FFmpeg accepts every certificate. Built with OpenSSL, it also trusts none unless a file is named.
    private func setTrust(_ settings: FFmpegSettings) {
        settings.set("tls_verify", allowsAnyCertificate ? "0" : "1")
        guard !allowsAnyCertificate else { return }
        let named = unsafe getenv("SSL_CERT_FILE").map { unsafe String(cString: $0) }
        let file = named ?? Self.trustFiles.first { unsafe access($0, R_OK) == 0 }
        if let file, !file.isEmpty { settings.set("ca_file", file) }
    }

    private var untrusted: String {
        allowsAnyCertificate
            ? "no encrypted connection: expected a server that uses TLS"
            : "no encrypted connection: expected a server that uses TLS, with a certificate for \(address.host) that this machine or the file in SSL_CERT_FILE trusts"
    }

    /// Whether the operation in progress must end. Bytes that the receiver acknowledges extend the limit.
    private var mustStop: Bool {
        if let stallTimeout, let delivered = state?.delivered, delivered != lastProgress {
            if lastProgress >= 0 { deadline.begin(stallTimeout) }
            lastProgress = delivered
        }
        return deadline.isOver
    }

    func write(_ bytes: Span<UInt8>, timeout: Double) throws(NaluError) {
        guard address.transport == .put else { return try send(bytes, timeout: timeout) }
        try readEarlyAnswer()
        do throws(NaluError) {
            try send(bytes, after: Self.chunkHead(bytes.count), before: Self.chunkEnd, timeout: timeout)
        } catch {
            throw lateRefusal() ?? error
        }
    }

    /// Writes bytes between a head and an end.
    func send(
        _ bytes: Span<UInt8>, after head: [UInt8] = [], before end: [UInt8] = [], timeout: Double
    ) throws(NaluError) {
        guard let context = unsafe FFmpegStruct(context) else {
            throw NaluError(.inputOutput, "there is no connection")
        }
        deadline.begin(timeout)
        stallTimeout = timeout
        defer { stallTimeout = nil }
        locale.ofC {
            unsafe avio_write(context.pointer, head, Int32(clamping: head.count))
            unsafe bytes.withUnsafeBytes { memory in
                unsafe avio_write(
                    context.pointer, memory.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    Int32(clamping: memory.count))
            }
            unsafe avio_write(context.pointer, end, Int32(clamping: end.count))
            unsafe avio_flush(context.pointer)
        }
        if context.error < 0 { throw failure(context.error, "the receiver has taken nothing for \(timeout) s") }
    }

    /// Returns the error of a failed operation. `late` is the error message if the time limit has passed.
    func failure(_ result: Int32, _ late: String) -> NaluError {
        if deadline.isCancelled { return NaluError(.cancelled, "the publisher was ended") }
        if result == nalu_ff_exit() || deadline.isOver { return NaluError(.inputOutput, late) }
        if result == nalu_ff_out_of_memory() { return NaluError(.allocationFailed, "no memory for a connection") }
        return NaluError(.inputOutput, reason(of: result))
    }

    var state: LinkState? {
        let socket = descriptor.load(ordering: .acquiring)
        var state = nalu_net_state()
        guard socket >= 0, unsafe nalu_net_read_tcp(socket, &state) != 0 else { return nil }
        return LinkState(state)
    }

    func check() throws(NaluError) {
        try readEarlyAnswer()
        let socket = descriptor.load(ordering: .relaxed)
        guard socket >= 0, nalu_net_is_closed(socket) != 0 else { return }
        throw lateRefusal() ?? NaluError(.inputOutput, reason(of: nalu_ff_end_of_file()))
    }

    func setWindow(_ bytes: Int) {
        let socket = descriptor.load(ordering: .relaxed)
        guard socket >= 0 else { return }
        nalu_net_set_send_buffer(socket, max(Self.leastBuffer, Int32(clamping: bytes) & ~4095))
    }

    func complete(timeout: Double) throws(NaluError) {
        if address.transport == .put { try finishPut(timeout: timeout) }
    }

    func close() {
        guard unsafe context != nil else { return }
        deadline.begin(1)
        locale.ofC { _ = unsafe avio_closep(&context) }
    }
}
