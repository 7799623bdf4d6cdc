/// Keeps the promise of DataRateLimits where the encoder does not: a picture that would take a window over its limit is
/// not delivered, and neither is what cannot be decoded without it.
///
/// The fullest windows begin with a sample. Each window has the limits of the frame that it begins with.
struct DataRateGuard {
    private struct Entry {
        let time: Double
        let bytes: Double
        let limits: RateSettings
    }

    /// What was delivered and begins a window that has not ended.
    private var delivered = RingBuffer<Entry>(capacity: 64)
    /// A picture that others refer to is missing: nothing can be decoded before the next key frame.
    private(set) var waitsForKeyFrame = false
    /// The key frame that was asked for, until it has come out.
    private var asked: UInt64?

    /// Must the frame that is handed in now be a key frame? Asked once a frame.
    mutating func mustBeKey(number: UInt64) -> Bool {
        guard waitsForKeyFrame, asked == nil else { return false }
        asked = number
        return true
    }

    /// Is the picture to be delivered? `time`: its decode time in seconds.
    mutating func admits(
        number: UInt64, bytes: Int, time: Double, isKeyFrame: Bool, isReference: Bool, limits: RateSettings
    ) -> Bool {
        if asked == number { asked = nil }
        forget(before: time)
        guard limits.firstLimit != nil || !delivered.isEmpty || waitsForKeyFrame else { return true }
        let entry = Entry(time: time, bytes: Double(bytes), limits: limits)
        if fits(entry) && (isKeyFrame || !waitsForKeyFrame) {
            waitsForKeyFrame = false
            delivered.append(entry)
            return true
        }
        if isReference { waitsForKeyFrame = true }
        return false
    }

    /// All frames inside the encoder were given back: the next one begins anew.
    mutating func encoderWasOpened() {
        waitsForKeyFrame = false
        asked = nil
    }

    /// Whether all windows that reach up to it hold it.
    private func fits(_ entry: Entry) -> Bool {
        var sum = entry.bytes
        guard Self.holds(sum, window: entry, until: entry.time) else { return false }
        var index = delivered.count - 1
        while let beginning = delivered[index] {
            sum += beginning.bytes
            guard Self.holds(sum, window: beginning, until: entry.time) else { return false }
            index -= 1
        }
        return true
    }

    private static func holds(_ bytes: Double, window beginning: Entry, until time: Double) -> Bool {
        func holds(_ limit: DataRateLimit?) -> Bool {
            guard let limit else { return true }
            return bytes <= limit.bytes || !reaches(beginning.time, limit, time)
        }
        return holds(beginning.limits.firstLimit) && holds(beginning.limits.secondLimit)
    }

    /// A sample that comes a whole window later is not in it; seconds since 1970 are exact to a quarter of a microsecond.
    private static func reaches(_ beginning: Double, _ limit: DataRateLimit, _ time: Double) -> Bool {
        time < beginning + limit.seconds - 1e-6
    }

    /// Windows that have ended; all of them when the client's clock begins anew.
    private mutating func forget(before time: Double) {
        if let last = delivered[delivered.count - 1], last.time > time {
            while delivered.popFirst() != nil {}
        }
        while let first = delivered[0] {
            if let limit = first.limits.firstLimit, Self.reaches(first.time, limit, time) { break }
            if let limit = first.limits.secondLimit, Self.reaches(first.time, limit, time) { break }
            _ = delivered.popFirst()
        }
    }
}
