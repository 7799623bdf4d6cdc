/// The instructions of a ``Publisher`` for the next frame.
public struct PublisherAdvice: Sendable, Equatable {
    /// Whether the frame must not be encoded, because the link is too slow for it. The next frame does not refer to it,
    /// so nothing is lost but the frame.
    public var skipsFrame = false
    /// Whether the frame must be a key frame: the first of a connection, or after dropped samples.
    public var forceKeyFrame = false
    /// Whether the frame must be an LTR refresh, after dropped samples.
    public var forceLTRRefresh = false
    /// The token of the last sample that has been sent, and arrives before later ones; nil if there is none.
    public var acknowledgedLTRToken: Int64?
}
