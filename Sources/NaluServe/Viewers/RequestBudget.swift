/// A limit for requests: a number of them at once, and a number per second on average.
struct RequestBudget: Sendable {
    private let burst: Double
    private let perSecond: Double
    private var left: Double
    private var last: Double

    init(burst: Double, perSecond: Double, now: Double) {
        (self.burst, self.perSecond, left, last) = (burst, perSecond, burst, now)
    }

    /// Takes one request. Returns false if the limit is exceeded.
    mutating func take(at now: Double) -> Bool {
        left = min(burst, left + max(0, now - last) * perSecond)
        last = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
