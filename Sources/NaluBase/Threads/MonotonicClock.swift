private import NaluLibc

/// A clock that never jumps, for measuring durations.
package enum MonotonicClock {
    /// Seconds since an arbitrary moment.
    package static var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Nanoseconds since the same moment. Capture, timebases and live statistics use this host time.
    package static var nanoseconds: Int64 {
        var time = timespec()
        // This cannot fail: every system has this clock, and the address is valid.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
