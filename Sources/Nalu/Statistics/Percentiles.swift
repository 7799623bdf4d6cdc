/// The percentiles of the last values of a sequence. They are kept in order as they come, so that a new one costs
/// moving a few and asking costs nothing; nothing is allocated after the first.
struct Percentiles {
    private let window: Int
    /// The last `window` values, the oldest one at `oldest` once there are that many.
    private var recent: [Double] = []
    private var oldest = 0
    private var sorted: [Double] = []

    init(window: Int) {
        self.window = max(1, window)
    }

    /// How many values there are, at most the window.
    var count: Int { sorted.count }

    /// Takes one value; in place of the oldest one when the window is full. One that is not finite is passed over.
    mutating func add(_ value: Double) {
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

    /// The smallest value that at least so many percent of the values do not exceed (nearest rank); NaN without values.
    func percentile(_ percent: Int) -> Double {
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
