internal import Nalu

/// Frames per second as a fraction, from "25", "30000/1001" or "29.97".
struct RationalFrameRate: TextArgument {
    static let expected = "frames per second, above 0 and up to 1000, such as 25, 30000/1001 or 29.97"

    /// The numerator; it and the denominator fit the timescale of a ``MediaTime`` and are coprime.
    let numerator: Int32
    let denominator: Int32

    /// The frame rates of NTSC, which are usually written with rounded decimals.
    private static let rounded = [
        "23.976": 24_000, "23.98": 24_000, "29.97": 30_000, "59.94": 60_000, "119.88": 120_000,
    ]

    init?(_ numerator: Int, _ denominator: Int) {
        guard numerator > 0, denominator > 0 else { return nil }
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        guard let top = Int32(exactly: numerator / a), let bottom = Int32(exactly: denominator / a),
            Double(top) / Double(bottom) <= 1000
        else { return nil }
        self.numerator = top
        self.denominator = bottom
    }

    init?(_ argument: String) {
        if let ntsc = Self.rounded[argument] {
            self.init(ntsc, 1001)
            return
        }
        let parts = argument.split(whereSeparator: { $0 == "/" || $0 == ":" })
        if parts.count == 2, let numerator = Int(parts[0]), let denominator = Int(parts[1]) {
            self.init(numerator, denominator)
        } else if let whole = Int(argument) {
            self.init(whole, 1)
        } else if let decimal = Double(argument), decimal > 0, decimal <= 1000 {
            self.init(Int((decimal * 1000).rounded()), 1000)
        } else {
            return nil
        }
    }

    /// The assumed rate of a stream without timing, as in the library's stream parser.
    static let unknown = RationalFrameRate(whole: StreamParserOptions.assumedFrameDuration.timescale)

    private init(whole: Int32) {
        numerator = whole
        denominator = 1
    }

    /// Creates the rate that a measured rate stands for: a whole number, a rate of NTSC, or the rate with three
    /// decimals.
    init?(near rate: Double) {
        guard rate.isFinite, rate > 0, rate <= 1000 else { return nil }
        let ntsc = (rate * 1.001).rounded()
        if abs(rate - rate.rounded()) < 0.000_5, rate >= 1 {
            self.init(Int(rate.rounded()), 1)
        } else if ntsc >= 1, abs(rate - ntsc / 1.001) < 0.000_5 {
            self.init(Int(ntsc) * 1000, 1001)
        } else {
            self.init(Int((rate * 1000).rounded()), 1000)
        }
    }

    var perSecond: Double { Double(numerator) / Double(denominator) }

    /// Returns the start time of the frame with this number; the first frame has number 0.
    func time(ofFrame number: Int) -> MediaTime {
        MediaTime(value: Int64(number) * Int64(denominator), timescale: numerator)
    }

    /// The rate as text, for example "25" or "29.97".
    var text: String {
        denominator == 1 ? "\(numerator)" : NumberText.decimal(perSecond, places: 2)
    }
}
