internal import Nalu

/// Whether frames come at even steps, up to what rounding to a time scale does.
struct Pace {
    private var last: MediaTime?
    private var shortest = Double.infinity
    private var longest = 0.0
    private var unit = 0.0

    mutating func add(_ time: MediaTime) {
        if let last {
            let step = (time - last).seconds
            shortest = min(shortest, step)
            longest = max(longest, step)
        }
        if time.timescale > 0 { unit = max(unit, 1 / Double(time.timescale)) }
        last = time
    }

    var isEven: Bool { longest - shortest <= 1.5 * unit }
}
