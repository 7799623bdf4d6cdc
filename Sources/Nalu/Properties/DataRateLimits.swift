/// One hard limit: at most `bytes` in any window of `seconds` of decode time.
struct DataRateLimit: Hashable, Sendable {
    var bytes: Double
    var seconds: Double

    /// Whether a window that begins at decode time `beginning` contains a sample at `time`. A sample that follows by a
    /// whole window is not in it. Seconds since 1970 are exact to a quarter of a microsecond, hence the tolerance.
    func reaches(from beginning: Double, to time: Double) -> Bool {
        time < beginning + seconds - 1e-6
    }
}

/// Up to two hard limits. The type is trivial, so that each queued frame can have a copy.
struct DataRateLimits: Hashable, Sendable {
    /// The range of each number.
    static let range = 0...1e12

    let first: DataRateLimit?
    let second: DataRateLimit?

    init(_ first: DataRateLimit? = nil, _ second: DataRateLimit? = nil) {
        self.first = first
        self.second = second
    }

    /// Creates limits from alternating bytes and seconds. `refused` makes the error from the found and the expected
    /// value.
    init(
        numbers: [Double], refused: (_ found: String, _ expected: String) -> NaluError
    ) throws(NaluError) {
        guard numbers.count.isMultiple(of: 2), numbers.count <= 4 else {
            throw refused("\(numbers.count) numbers", "0, 2 or 4: alternating bytes and seconds")
        }
        var limits: [DataRateLimit] = []
        for start in stride(from: 0, to: numbers.count, by: 2) {
            let limit = DataRateLimit(bytes: numbers[start], seconds: numbers[start + 1])
            guard (0.05...60).contains(limit.seconds) else {
                throw refused("[\(limit.bytes), \(limit.seconds)]", "0.05 to 60 seconds")
            }
            // The encoder counts rate and buffer in whole kilobits.
            guard limit.bytes >= max(1000, 1000 * limit.seconds) else {
                throw refused("[\(limit.bytes), \(limit.seconds)]", "at least 1000 bytes, and 1000 bytes per second")
            }
            guard limit.bytes <= Self.range.upperBound else {
                throw refused("[\(limit.bytes), \(limit.seconds)]", "at most \(Self.range.upperBound) bytes")
            }
            limits.append(limit)
        }
        self.init(limits.first, limits.count > 1 ? limits[1] : nil)
    }

    var isEmpty: Bool { first == nil }
    var all: [DataRateLimit] { [first, second].compactMap { $0 } }

    func allSatisfy(_ holds: (DataRateLimit) -> Bool) -> Bool {
        (first.map(holds) ?? true) && (second.map(holds) ?? true)
    }

    /// Returns the lowest value over the limits; infinite if there are none.
    func lowest(_ value: (DataRateLimit) -> Double) -> Double {
        min(first.map(value) ?? .infinity, second.map(value) ?? .infinity)
    }
}
