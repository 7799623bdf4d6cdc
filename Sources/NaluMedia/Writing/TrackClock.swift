internal import Nalu

/// The unit of a track's times.
struct TrackClock {
    /// The number of units per second.
    let timescale: Int32

    /// Creates the smallest timescale in which all numeric times are whole, doubled until it is at least `least`; nil
    /// if it exceeds 2147483647.
    init?(for times: [MediaTime], atLeast least: Int32 = 1) {
        var common: Int64 = 1
        for time in times where time.isNumeric {
            let scale = Int64(time.timescale)
            common = common / Self.divisor(common, scale) * scale
            guard common <= Int64(Int32.max) else { return nil }
        }
        while common < Int64(least) { common *= 2 }
        timescale = Int32(common)
    }

    init(timescale: Int32) {
        self.timescale = timescale
    }

    /// Returns the time in units; nil if it is not whole or too large.
    func exact(_ time: MediaTime) -> Int64? {
        if time.timescale == timescale { return time.value }
        let product = Int128(time.value) * Int128(timescale)
        guard product % Int128(time.timescale) == 0 else { return nil }
        return Int64(exactly: product / Int128(time.timescale))
    }

    /// Returns the time in units of `numerator / denominator` seconds, rounded half away from zero; nil if it is too
    /// large.
    static func rounded(_ time: MediaTime, numerator: Int32, denominator: Int32) -> Int64? {
        let product = Int128(time.value) * Int128(denominator)
        let unit = Int128(time.timescale) * Int128(numerator)
        guard unit > 0 else { return nil }
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: unit)
        let up: Int128 = remainder.magnitude * 2 >= unit.magnitude ? (product < 0 ? -1 : 1) : 0
        return Int64(exactly: quotient + up)
    }

    static func divisor(_ a: Int64, _ b: Int64) -> Int64 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }

    static func text(_ time: MediaTime) -> String {
        time.isNumeric ? "\(time.value)/\(time.timescale) s" : "not numeric"
    }
}
