internal import Nalu
internal import NaluBase

/// The times of pictures at a fixed rate, exactly and without drift: picture n is due n frame durations after the first.
struct FramePace {
    let frameDuration: MediaTime
    /// The host time of picture 0, in nanoseconds.
    let start: Int64
    /// The number of the next picture.
    private(set) var number: UInt64 = 0

    /// - Parameter frameDuration: 1/1000 s to 10 s.
    init(_ frameDuration: MediaTime) {
        self.frameDuration = frameDuration
        start = MonotonicClock.nanoseconds
    }

    /// The host time at which the next picture is due, in nanoseconds.
    var nextTime: Int64 { start + time(ofFrame: number) }

    /// Moves on to the picture after the last one that is due at `now`. Returns the number of pictures that are left
    /// out.
    mutating func advance(to now: Int64) -> UInt64 {
        let current = last(dueAt: now - start)
        defer { number = current + 1 }
        return current - number
    }

    /// Returns the time of a picture in nanoseconds after the first one, rounded down.
    func time(ofFrame number: UInt64) -> Int64 {
        // number * value / timescale seconds, with 128 bits. Both operands of a frame duration are positive.
        let timescale = UInt64(frameDuration.timescale)
        let product = number.multipliedFullWidth(by: UInt64(frameDuration.value))
        guard product.high < timescale else { return Int64.max / 2 }
        let (seconds, rest) = timescale.dividingFullWidth(product)
        guard seconds < 4_000_000_000 else { return Int64.max / 2 }
        return Int64(seconds) * 1_000_000_000 + Int64(rest * 1_000_000_000 / timescale)
    }

    /// Returns the number of the last picture that is due, at least ``number``.
    private func last(dueAt nanoseconds: Int64) -> UInt64 {
        guard time(ofFrame: number + 1) <= nanoseconds else { return number }
        let estimate = UInt64(max(0, Double(nanoseconds) / 1e9 / frameDuration.seconds))
        var last = max(number, estimate)
        while last > number && time(ofFrame: last) > nanoseconds { last -= 1 }
        while time(ofFrame: last + 1) <= nanoseconds { last += 1 }
        return last
    }
}
