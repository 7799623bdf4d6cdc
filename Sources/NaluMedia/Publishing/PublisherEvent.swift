/// An event of a ``Publisher``.
public enum PublisherEvent: Int32, Sendable {
    /// A connection exists. The next frame should be a key frame.
    case connected = 1
    /// The connection is lost, or an attempt has failed; the next attempt follows.
    case disconnected = 2
    /// The statistics, twice a second while there is a connection and no write waits.
    case status = 3
    /// Samples were dropped since the last event. The next event follows at once.
    case dropped = 4
    /// The publisher has ended by itself or by ``Publisher/finish(timeout:)``. Nothing follows.
    case ended = 5
}

package typealias PublishHandler = @Sendable (PublisherEvent, PublisherStatistics) -> Void
