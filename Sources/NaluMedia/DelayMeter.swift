internal import Nalu

/// The times that pictures or samples spent in one stage of a live stream, in seconds. The corresponding C type is
/// `nalu_delay`.
public struct Delay: Sendable, Hashable {
    /// The number of measured times.
    public var count: UInt64 = 0
    /// The shortest time; NaN without times.
    public var least = Double.nan
    /// The mean of all times; NaN without times.
    public var mean = Double.nan
    /// The 95th percentile of the last 1024 times; NaN without times.
    public var p95 = Double.nan
    /// The longest time; NaN without times.
    public var most = Double.nan

    public init() {}
}

/// Collects the times of one stage. Nothing is allocated after the first time.
package struct DelayMeter: Sendable {
    private var recent = Percentiles(window: 1024)
    private var count: UInt64 = 0
    private var sum = 0.0
    private var least = Double.infinity
    private var most = -Double.infinity

    package init() {}

    /// Adds a time in seconds. A time that is not finite is ignored.
    package mutating func add(_ seconds: Double) {
        guard seconds.isFinite else { return }
        recent.add(seconds)
        count += 1
        sum += seconds
        least = min(least, seconds)
        most = max(most, seconds)
    }

    /// Adds the time between two host times in nanoseconds.
    package mutating func add(from start: Int64, to end: Int64) {
        add(Double(end &- start) / 1e9)
    }

    package var delay: Delay {
        var delay = Delay()
        guard count > 0 else { return delay }
        delay.count = count
        delay.least = least
        delay.mean = sum / Double(count)
        delay.p95 = recent.percentile(95)
        delay.most = most
        return delay
    }
}
