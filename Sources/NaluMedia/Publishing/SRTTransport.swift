internal import CNetwork
internal import NaluBase
private import NaluLibc
private import Synchronization

/// A connection by libsrt, in live mode, as the caller.
final class SRTTransport: PublishTransport {
    private let address: PublishAddress
    private let parameters: SRTParameters
    private let deadline: PublishDeadline
    private let socket = Atomic<Int32>(-1)
    private let window = Atomic<Int>(262_144)
    private let leastRoundTrip = Atomic<UInt64>(Double.infinity.bitPattern)

    /// The size of an SRT packet in bytes: seven packets of a transport stream.
    private static let packet = 1316
    /// The microseconds between two looks at the connection.
    private static let pause: UInt32 = 5000

    init(_ address: PublishAddress, _ parameters: SRTParameters, _ deadline: PublishDeadline) {
        self.address = address
        self.parameters = parameters
        self.deadline = deadline
    }

    static func load() throws(NaluError) {
        var result: Int32 = 0
        let message = try InheritedState.hidden { () throws(NaluError) in
            unsafe CText.written(256) { unsafe result = nalu_srt_load($0, $1) }
        }
        guard result == 0 else { throw NaluError(.couldNotCreateInstance, message) }
    }

    func open(timeout: Double) throws(NaluError) {
        deadline.begin(timeout)
        var made: Int32 = -1
        // libsrt starts threads for the first connection.
        let message = try InheritedState.hidden { () throws(NaluError) in
            unsafe CText.written(256) { message, capacity in
                unsafe made = begin(timeout, message, capacity)
            }
        }
        guard made >= 0 else { throw NaluError(.inputOutput, message) }
        socket.store(made, ordering: .releasing)
        while true {
            var result: Int32 = 0
            let message = unsafe CText.written(256) { unsafe result = nalu_srt_is_connected(made, $0, $1) }
            if result > 0 { return }
            if result < 0 { throw NaluError(.inputOutput, message) }
            if deadline.isCancelled { throw NaluError(.cancelled, "the publisher was ended") }
            if deadline.isOver { throw NaluError(.inputOutput, "no connection within \(timeout) s") }
            _ = usleep(Self.pause)
        }
    }

    private func begin(_ timeout: Double, _ message: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int32 {
        func pass(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Int32) -> Int32 {
            guard let text else { return body(nil) }
            return unsafe text.withCString { unsafe body($0) }
        }
        return unsafe pass(address.host) { host in
            unsafe pass(String(address.port)) { port in
                unsafe pass(parameters.passphrase) { passphrase in
                    unsafe pass(parameters.streamID) { streamID in
                        var settings = unsafe nalu_srt_settings(
                            host: host, port: port, passphrase: passphrase, stream_id: streamID,
                            key_length: Int32(parameters.keyLength), latency: Int32(parameters.latency),
                            connect_timeout: Int32(timeout * 1000), idle_timeout: 5000)
                        return unsafe nalu_srt_begin(&settings, message, capacity)
                    }
                }
            }
        }
    }

    func write(_ bytes: Span<UInt8>, timeout: Double) throws(NaluError) {
        let socket = socket.load(ordering: .relaxed)
        deadline.begin(timeout)
        var start = 0
        var before = Int.max
        while start < bytes.count {
            let size = min(Self.packet, bytes.count - start)
            var result: Int32 = 0
            let queued = state?.queued ?? 0
            if queued < before { deadline.begin(timeout) }
            before = queued
            if queued <= window.load(ordering: .relaxed) {
                let part = bytes.extracting(start..<start + size)
                let message = unsafe CText.written(256) { message, capacity in
                    result = unsafe part.withUnsafeBytes {
                        unsafe nalu_srt_send(socket, $0.baseAddress, Int32(size), message, capacity)
                    }
                }
                if result < 0 { throw NaluError(.inputOutput, message) }
            }
            if result > 0 {
                start += size
                continue
            }
            if deadline.isCancelled { throw NaluError(.cancelled, "the publisher was ended") }
            if deadline.isOver { throw NaluError(.inputOutput, "the receiver has taken nothing for \(timeout) s") }
            _ = usleep(Self.pause)
        }
    }

    var state: LinkState? {
        let socket = socket.load(ordering: .acquiring)
        var state = nalu_net_state()
        guard socket >= 0, unsafe nalu_srt_read(socket, &state) != 0 else { return nil }
        var link = LinkState(state)
        let least = min(Double(bitPattern: leastRoundTrip.load(ordering: .relaxed)), link.roundTrip)
        leastRoundTrip.store(least.bitPattern, ordering: .relaxed)
        link.leastRoundTrip = least
        return link
    }

    func check() throws(NaluError) {
        var result: Int32 = 0
        let socket = socket.load(ordering: .relaxed)
        let message = unsafe CText.written(256) { unsafe result = nalu_srt_is_connected(socket, $0, $1) }
        if result < 0 { throw NaluError(.inputOutput, "the connection has ended: \(message)") }
    }

    func setWindow(_ bytes: Int) { window.store(max(65536, bytes), ordering: .relaxed) }

    /// Waits for the latency of the connection, which is the longer one of both ends. The receiver delivers packets when
    /// they are as old as the latency, and discards younger ones when the connection ends.
    func complete(timeout: Double) throws(NaluError) {
        let latency = max(nalu_srt_get_latency(socket.load(ordering: .relaxed)), Int32(clamping: parameters.latency))
        deadline.begin(Double(latency) / 1000 + 0.1)
        while !deadline.isOver {
            try check()
            _ = usleep(Self.pause)
        }
    }

    func close() {
        let open = socket.exchange(-1, ordering: .acquiringAndReleasing)
        if open >= 0 { nalu_srt_close(open) }
    }
}
