private import NaluLibc

/// A clock that is never set, for measuring how long something takes.
package enum MonotonicClock {
    /// Seconds since some moment.
    package static var seconds: Double {
        var time = timespec()
        // With a clock that every system has, and an address, it cannot fail.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
