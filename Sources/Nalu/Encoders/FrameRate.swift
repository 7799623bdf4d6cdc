/// A frame rate as a fraction, the form that streams and encoders use.
struct FrameRate: Hashable, Sendable {
    let numerator: UInt32
    let denominator: UInt32

    /// The rate that rate control assumes if none is known.
    static let assumed = FrameRate(numerator: 30, denominator: 1)

    var perSecond: Double { Double(numerator) / Double(denominator) }

    private init(numerator: UInt32, denominator: UInt32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Nil for 0 and less, and for more than 1000. Rates like 29.97 become n·1000/1001, whole numbers stay, others are
    /// rounded to a thousandth.
    init?(_ perSecond: Double) {
        guard perSecond > 0, perSecond <= 1000 else { return nil }
        let whole = perSecond.rounded()
        if abs(perSecond - whole) < 0.0005, whole >= 1 {
            self.init(numerator: UInt32(whole), denominator: 1)
            return
        }
        let ceiling = perSecond.rounded(.up)
        if abs(perSecond - ceiling * 1000 / 1001) < 0.005 {
            self.init(numerator: UInt32(ceiling) * 1000, denominator: 1001)
            return
        }
        self.init(numerator: UInt32(max(1, (perSecond * 1000).rounded())), denominator: 1000)
    }
}
