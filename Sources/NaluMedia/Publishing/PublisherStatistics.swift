/// The state and the counts of a ``Publisher``.
public struct PublisherStatistics: Sendable {
    /// The state of the connection.
    public enum State: Int32, Sendable {
        /// A connection is being made, for the first time or again.
        case connecting = 0
        case connected = 1
        /// Waiting before the next attempt.
        case waiting = 2
        /// The publisher has stopped, and makes no further attempt.
        case ended = 3
    }

    public var state = State.connecting
    /// The age of the oldest sample that the receiver has not acknowledged, in seconds: the delay in the publisher's
    /// queue and in that of the system or of SRT. With `udp` only the publisher's own queue is known.
    public var queueDelay = 0.0
    /// The longest ``queueDelay`` so far, in seconds.
    public var longestQueueDelay = 0.0
    /// The bytes that the receiver has not acknowledged.
    public var queuedBytes = 0
    /// The rate of delivery in the last second, in bits per second.
    public var throughput = 0.0
    /// The round trip in seconds; 0 if the protocol does not reveal it.
    public var roundTrip = 0.0
    /// The bit rate that the controller has chosen; 0 without a controller.
    public var bitRate = 0
    /// The samples, including audio packets, and the bytes that were passed to the system.
    public var sentSamples = 0
    public var sentBytes = 0
    /// The video samples that were handed in and did not reach the receiver: without a connection, lost with one, or
    /// dropped because the queue was too long.
    public var droppedSamples = 0
    /// The frames for which ``Publisher/prepareFrame(of:)`` has demanded that they are skipped.
    public var skippedFrames = 0
    /// The number of connections after the first.
    public var reconnects = 0
}
