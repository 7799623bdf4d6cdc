import Testing

@testable import Nalu

/// The ratio of the frames' real durations to those that the encoder assumes.
@Suite struct FrameClockTests {
    private static func run(_ clock: inout FrameClock, from start: Double = 0, perSecond: Double, seconds: Double)
        -> Double
    {
        var time = start
        while time < start + seconds {
            clock.advance(to: MediaTime(seconds: time, preferredTimescale: 1_000_000))
            time += 1 / perSecond
        }
        return time
    }

    @Test(arguments: [(15.0, 2.0), (60, 0.5), (7.5, 4), (120, 0.25), (24, 1.25), (5, 6), (1, 30)])
    func theRatioConvergesToTheRealRate(perSecond: Double, ratio: Double) {
        var clock = FrameClock(assumedFrameRate: 30)
        _ = Self.run(&clock, perSecond: perSecond, seconds: max(3, 8 / perSecond))
        #expect(abs(clock.ratio / ratio - 1) < 0.06)
    }

    @Test(arguments: [29.97, 30, 30.3])
    func aRateNearTheAssumedRateCountsAsEqual(perSecond: Double) {
        var clock = FrameClock(assumedFrameRate: 30)
        _ = Self.run(&clock, perSecond: perSecond, seconds: 5)
        #expect(clock.ratio == 1)
    }

    @Test(arguments: [0.2, 1, 10, 100_000])
    func oneGapDoesNotChangeTheRatio(gap: Double) {
        var clock = FrameClock(assumedFrameRate: 30)
        let end = Self.run(&clock, perSecond: 30, seconds: 4)
        let after = Self.run(&clock, from: end + gap, perSecond: 30, seconds: 0.1)
        #expect(clock.ratio < 1.8)
        _ = Self.run(&clock, from: after, perSecond: 30, seconds: 3)
        #expect(clock.ratio == 1)
    }

    @Test func smallVariationsKeepTheRatio() {
        var clock = FrameClock(assumedFrameRate: 30)
        var random = TestRandom(seed: 1)
        var ratios: Set<Double> = []
        var time = 0.0
        for number in 0..<600 {
            clock.advance(to: MediaTime(seconds: time, preferredTimescale: 1_000_000))
            if number > 100 { ratios.insert(clock.ratio) }
            time += 1 / 15 + Double.random(in: -0.001...0.001, using: &random)
        }
        #expect(ratios.count == 1)
    }

    @Test func anExpectedFrameRateTakesEffectAtOnce() {
        var clock = FrameClock(assumedFrameRate: 30)
        clock.expect(frameRate: 60)
        #expect(clock.ratio == 0.5)
        clock.expect(frameRate: 30)
        #expect(clock.ratio == 1)
    }

    @Test func timesThatAreNotNumericAreIgnored() {
        var clock = FrameClock(assumedFrameRate: 30)
        for epoch in Int64(0)..<200 {
            clock.advance(to: MediaTime(value: 0, timescale: 30, flags: .valid, epoch: epoch))
        }
        for time in [MediaTime(value: .min, timescale: 1), MediaTime(value: .max, timescale: 1)] {
            clock.advance(to: time)
            #expect(clock.ratio.isFinite && clock.ratio > 0)
        }
    }
}
