private import NaluLibc

/// A clock that never jumps, for measuring durations.
package enum MonotonicClock {
    /// Seconds since an arbitrary moment.
    package static var seconds: Double {
        var time = timespec()
        // This cannot fail: every system has this clock, and the address is valid.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
