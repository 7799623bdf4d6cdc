internal import NaluBase

/// The options of a ``Publisher``.
public struct PublisherOptions: Sendable {
    /// The longest delay in the queue, 0.1 to 10 seconds, which ``Publisher/prepareFrame(of:)`` observes.
    public var maximumDelay = 0.5
    /// The time in which a connection must be made, 0.5 to 60 seconds.
    public var connectTimeout = 5.0
    /// The time after which a connection on which nothing moves is closed, 0.5 to 60 seconds.
    public var stallTimeout = 5.0
    /// The pause before the first attempt to reconnect, 0.05 to 60 seconds. Each further pause is twice as long.
    public var reconnectDelay = 0.5
    /// The longest pause between two attempts, ``reconnectDelay`` to 600 seconds.
    public var maximumReconnectDelay = 10.0
    /// The number of failed attempts in succession after which the publisher ends, 1 to 1000000; 0 for no limit. A
    /// connection over which samples have passed for at most ``stallTimeout`` is a failed attempt.
    public var attemptLimit = 0
    /// The bounds of the bit rate, 10000 to 2000000000 b/s. 0: the maximum is the session's AverageBitRate, and the
    /// minimum is a twentieth of the maximum.
    public var minimumBitRate = 0
    public var maximumBitRate = 0
    /// Whether ``Publisher/prepareFrame(of:)`` never demands that a frame is skipped, for a session whose samples are
    /// also recorded. The publisher then drops samples.
    public var neverSkipsFrames = false
    /// Whether the receiver can decode a stream in which samples are missing, if a sample that refers to none of them
    /// follows. Dropped samples then cause an LTR refresh, if the session has EnableLTR, in place of a key frame.
    public var allowsLTRRefresh = false
    /// Whether an encrypted connection is made even if the server's certificate is not trusted, expired, or of another
    /// host.
    public var allowsAnyCertificate = false

    let spelling: Spelling

    public init() {
        self.init(spelling: .ofProcess)
    }

    package init(spelling: Spelling) {
        self.spelling = spelling
    }

    func check() throws(NaluError) {
        try check(maximumDelay, 0.1...10, "maximum_delay", "maximumDelay")
        try check(connectTimeout, 0.5...60, "connect_timeout", "connectTimeout")
        try check(stallTimeout, 0.5...60, "stall_timeout", "stallTimeout")
        try check(reconnectDelay, 0.05...60, "reconnect_delay", "reconnectDelay")
        try check(maximumReconnectDelay, reconnectDelay...600, "maximum_reconnect_delay", "maximumReconnectDelay")
        try check(attemptLimit, 1...1_000_000, "attempt_limit", "attemptLimit")
        try check(minimumBitRate, 10_000...2_000_000_000, "minimum_bit_rate", "minimumBitRate")
        try check(maximumBitRate, 10_000...2_000_000_000, "maximum_bit_rate", "maximumBitRate")
        guard maximumBitRate == 0 || minimumBitRate <= maximumBitRate else {
            throw NaluError(
                .conflict,
                "\(name("minimum_bit_rate", "minimumBitRate")) is \(minimumBitRate), and the maximum is \(maximumBitRate); expected at most the maximum"
            )
        }
    }

    private func name(_ c: String, _ swift: String) -> String { "options.\(spelling == .c ? c : swift)" }

    private func check(
        _ value: Double, _ range: ClosedRange<Double>, _ c: String, _ swift: String
    ) throws(NaluError) {
        guard range.contains(value) else {
            throw NaluError(
                .outOfRange,
                "\(name(c, swift)) is \(value); expected \(range.lowerBound) to \(range.upperBound) seconds")
        }
    }

    private func check(_ value: Int, _ range: ClosedRange<Int>, _ c: String, _ swift: String) throws(NaluError) {
        guard value == 0 || range.contains(value) else {
            throw NaluError(
                .outOfRange,
                "\(name(c, swift)) is \(value); expected \(range.lowerBound) to \(range.upperBound), or 0")
        }
    }
}
