public import Nalu
internal import NaluBase

/// Times on the host clock, CLOCK_MONOTONIC.
public enum HostTime {
    /// The units per second of all capture times.
    static let timescale: Int32 = 1_000_000_000

    /// The current host time, in units of 1 / 1,000,000,000 s.
    public static var now: MediaTime { time(MonotonicClock.nanoseconds) }

    /// Returns a host time in nanoseconds as a time.
    package static func time(_ nanoseconds: Int64) -> MediaTime {
        MediaTime(value: nanoseconds, timescale: timescale)
    }
}
