/// One hard limit: at most `bytes` in any window of `seconds` of decode time.
struct DataRateLimit: Hashable, Sendable {
    var bytes: Double
    var seconds: Double
}

/// None, one or two hard limits. A trivial value, so that each queued frame can carry its own.
struct DataRateLimits: Hashable, Sendable {
    let first: DataRateLimit?
    let second: DataRateLimit?

    init(_ first: DataRateLimit? = nil, _ second: DataRateLimit? = nil) {
        self.first = first
        self.second = second
    }

    var isEmpty: Bool { first == nil }
    var all: [DataRateLimit] { [first, second].compactMap { $0 } }

    func allSatisfy(_ holds: (DataRateLimit) -> Bool) -> Bool {
        (first.map(holds) ?? true) && (second.map(holds) ?? true)
    }

    /// The lowest value over the limits; infinite when there are none.
    func lowest(_ value: (DataRateLimit) -> Double) -> Double {
        min(first.map(value) ?? .infinity, second.map(value) ?? .infinity)
    }
}
