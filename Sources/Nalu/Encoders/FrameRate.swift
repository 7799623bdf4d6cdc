/// A frame rate as the fraction that H.264 and x264 carry.
struct FrameRate: Hashable, Sendable {
    let numerator: UInt32
    let denominator: UInt32

    /// What rate control assumes when nobody says.
    static let assumed = FrameRate(numerator: 30, denominator: 1)

    var perSecond: Double { Double(numerator) / Double(denominator) }

    private init(numerator: UInt32, denominator: UInt32) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// nil for 0. 29.97 and its kin become n·1000/1001, whole numbers stay, others go to a thousandth.
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
