internal import CNetwork
internal import NaluBase

/// A connection to a receiver. One thread opens, writes and closes; every thread may read the state.
protocol PublishTransport: AnyObject, Sendable {
    /// Connects. Waits at most `timeout` seconds, and longer only for the system's resolver of names.
    func open(timeout: Double) throws(NaluError)
    /// Writes all bytes. Waits while the receiver takes them, and throws if nothing moves for `timeout` seconds.
    func write(_ bytes: Span<UInt8>, timeout: Double) throws(NaluError)
    /// Throws if the receiver has refused the stream or closed the connection. Does not wait.
    func check() throws(NaluError)
    /// The state of the connection; nil if the protocol has none.
    var state: LinkState? { get }
    /// Sets the number of bytes that may be on their way.
    func setWindow(_ bytes: Int)
    /// Ends the stream, after the receiver has acknowledged everything. Waits until the receiver has processed the stream.
    /// Throws if the receiver refuses the stream, or does not answer for `timeout` seconds.
    func complete(timeout: Double) throws(NaluError)
    /// Closes the connection, within about a second.
    func close()
}

/// The state of a connection, without the publisher's own queue.
struct LinkState {
    /// The bytes that the receiver has not acknowledged.
    var queued = 0
    /// The acknowledged bytes, including those of the protocol itself; nil if only ``queued`` is known.
    var delivered: Int?
    /// The packets that the transport has dropped because they were too late.
    var dropped = 0
    /// The present and the least round trip in seconds; 0 if unknown.
    var roundTrip = 0.0
    var leastRoundTrip = 0.0

    init(_ state: nalu_net_state) {
        queued = Int(state.queued)
        dropped = Int(state.dropped)
        roundTrip = state.round_trip
        leastRoundTrip = state.least_round_trip
        if state.delivered > 0 { delivered = Int(state.delivered) }
    }
}
