/// The percentiles of the last values of a sequence. The values are kept in order. Adding a value therefore moves only
/// a few, and reading a percentile costs nothing. Nothing is allocated after the first value.
package struct Percentiles: Sendable {
    private let window: Int
    /// The last `window` values. Once there are that many, `oldest` is the index of the oldest one.
    private var recent: [Double] = []
    private var oldest = 0
    private var sorted: [Double] = []

    package init(window: Int) {
        self.window = max(1, window)
    }

    /// The number of values, at most the window.
    package var count: Int { sorted.count }

    /// Adds a value, which replaces the oldest one if the window is full. Ignores a value that is not finite.
    package mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        if sorted.isEmpty {
            recent.reserveCapacity(window)
            sorted.reserveCapacity(window)
        }
        var place: Int
        if sorted.count < window {
            recent.append(value)
            place = sorted.count
            sorted.append(value)
        } else {
            place = firstPlace(of: recent[oldest])
            recent[oldest] = value
            oldest = (oldest + 1) % window
        }
        while place + 1 < sorted.count && sorted[place + 1] < value {
            sorted[place] = sorted[place + 1]
            place += 1
        }
        while place > 0 && sorted[place - 1] > value {
            sorted[place] = sorted[place - 1]
            place -= 1
        }
        sorted[place] = value
    }

    /// Returns the smallest value that at least `percent` percent of the values do not exceed (nearest rank); NaN
    /// without values.
    package func percentile(_ percent: Int) -> Double {
        if sorted.isEmpty { return .nan }
        let rank = (sorted.count * min(max(percent, 0), 100) + 99) / 100
        return sorted[max(rank, 1) - 1]
    }

    private func firstPlace(of value: Double) -> Int {
        var low = 0
        var high = sorted.count - 1
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
