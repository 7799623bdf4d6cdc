/// The flag bits of a ``MediaTime``, with CMTime's values. The corresponding C constants are `NALU_TIME_...`.
public struct MediaTimeFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Set in every time that is not the invalid time.
    public static let valid = MediaTimeFlags(rawValue: 1 << 0)
    /// A calculation that led to the time was not exact.
    public static let hasBeenRounded = MediaTimeFlags(rawValue: 1 << 1)
    /// The time is positive infinity; value and timescale mean nothing.
    public static let positiveInfinity = MediaTimeFlags(rawValue: 1 << 2)
    /// The time is negative infinity; value and timescale mean nothing.
    public static let negativeInfinity = MediaTimeFlags(rawValue: 1 << 3)
    /// The time is unknown, like the duration of a live stream; value and timescale mean nothing.
    public static let indefinite = MediaTimeFlags(rawValue: 1 << 4)

    /// The flags of times whose value and timescale mean nothing.
    static let impliedValue: MediaTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}
