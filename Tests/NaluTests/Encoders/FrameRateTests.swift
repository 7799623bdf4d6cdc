import Testing

@testable import Nalu

/// A frame rate as the fraction that H.264 and x264 use.
@Suite struct FrameRateTests {
    private static let fractions: [(Double, UInt32, UInt32)] = [
        (29.97, 30000, 1001), (30000.0 / 1001, 30000, 1001), (23.976, 24000, 1001), (59.94, 60000, 1001),
        (119.88, 120_000, 1001), (25, 25, 1), (30, 30, 1), (1000, 1000, 1), (1, 1, 1), (24.0001, 24, 1),
        (12.5, 12500, 1000), (7.5, 7500, 1000), (0.5, 500, 1000), (29.9, 29900, 1000), (0.0001, 1, 1000),
    ]

    @Test(arguments: fractions)
    func frameRatesBecomeTheirUsualFractions(perSecond: Double, numerator: UInt32, denominator: UInt32) throws {
        let rate = try #require(FrameRate(perSecond))
        #expect(rate.numerator == numerator && rate.denominator == denominator)
        if perSecond > 0.001 { #expect(abs(rate.perSecond / perSecond - 1) < 0.001) }
    }

    @Test(arguments: [0, -1, 1000.5, Double.infinity, -Double.infinity, Double.nan, -0.0])
    func invalidFrameRatesGiveNil(perSecond: Double) {
        #expect(FrameRate(perSecond) == nil)
    }

    @Test func everyFrameRateInRangeIsApproximatedClosely() throws {
        for step in 1...100_000 {
            let perSecond = Double(step) / 100
            let rate = try #require(FrameRate(perSecond))
            #expect(abs(rate.perSecond - perSecond) <= 0.005)
        }
    }
}
