import Testing

@testable import Nalu

/// The conversion of the rate properties to a rate plan.
@Suite struct RateControlTests {
    private static func control(
        _ settings: RateSettings, isLowDelay: Bool = false, options: String = ""
    ) throws(NaluError) -> RateControl {
        var configuration = SessionConfiguration()
        configuration.live.rate = settings
        configuration.realTime = isLowDelay
        configuration.x264.options = try X264Options(options)
        return RateControl(configuration)
    }

    // MARK: Limits

    /// Bytes and seconds: from the smallest limits that x264's whole kilobits can express to the largest that the
    /// property accepts.
    static let limits: [DataRateLimit] = [0.05, 0.1, 0.18, 0.25, 0.5, 1, 2, 7, 60].flatMap { seconds in
        [1000, 5000, 20_000, 375_000, 1e7, 1e12].filter { $0 >= 1000 * seconds }.map {
            DataRateLimit(bytes: $0, seconds: seconds)
        }
    }

    /// Returns the most bits in a window: those that flow in during the window, and those in the VBV buffer.
    private static func mostBits(_ plan: RatePlan, in seconds: Double, durationRatio: Double) -> Double {
        guard let vbvBuffer = plan.vbvBuffer else { return .infinity }
        return 1000 * (Double(vbvBuffer.kilobitsPerSecond) / durationRatio * seconds + Double(vbvBuffer.kilobits))
    }

    @Test(arguments: limits)
    func rateTimesSecondsPlusBufferNeverExceedsALimit(limit: DataRateLimit) throws {
        for (rate, quality) in [
            (0, nil), (1000, nil), (2_000_000, nil), (2_000_000_000, nil), (0, 0.5), (2_000_000, 1.0),
        ] {
            for isLowDelay in [false, true] {
                var settings = RateSettings(averageBitRate: rate, limits: DataRateLimits(limit), quality: quality)
                let control = try Self.control(settings, isLowDelay: isLowDelay)
                for ratio in isLowDelay ? [1, 0.5, 2, 6] : [1.0] {
                    let plan = control.plan(settings, durationRatio: ratio)
                    #expect(Self.mostBits(plan, in: limit.seconds, durationRatio: ratio) <= limit.bytes * 8)
                }
                for other in [DataRateLimit(bytes: 1000, seconds: 0.05), DataRateLimit(bytes: 2e6, seconds: 10)] {
                    settings.limits = DataRateLimits(limit, other)
                    let plan = control.plan(settings)
                    for each in settings.limits.all {
                        #expect(Self.mostBits(plan, in: each.seconds, durationRatio: 1) <= each.bytes * 8)
                    }
                }
            }
        }
    }

    /// x264 would silently enlarge a smaller VBV buffer to this size.
    @Test(arguments: limits)
    func theVBVBufferHasRoomForTheBitsOfAFrameDuration(limit: DataRateLimit) throws {
        for frameRate in [0, 5, 24, 60, 120.0] {
            for isLowDelay in [false, true] {
                let settings = RateSettings(
                    averageBitRate: 9_000_000, limits: DataRateLimits(limit), expectedFrameRate: frameRate)
                let control = try Self.control(settings, isLowDelay: isLowDelay)
                for ratio in isLowDelay ? [1, 0.5, 6] : [1.0] {
                    let vbvBuffer = try #require(control.plan(settings, durationRatio: ratio).vbvBuffer)
                    let assumed = frameRate > 0 ? frameRate : 30
                    #expect(vbvBuffer.kilobits >= Int(Double(vbvBuffer.kilobitsPerSecond) / assumed))
                }
            }
        }
    }

    @Test(arguments: limits)
    func limitsHoldWhileTheRateRises(limit: DataRateLimit) throws {
        for (old, new) in [(1000, 9_000_000), (250_000, 500_000), (1_000_000, 2_000_000_000)] {
            let settings = RateSettings(averageBitRate: new, limits: DataRateLimits(limit))
            for isLowDelay in [false, true] {
                let control = try Self.control(settings, isLowDelay: isLowDelay)
                let rise = try #require(RateControl.Rise(from: old, to: new, isLowDelay: isLowDelay))
                for ratio in isLowDelay ? [1, 0.5, 6] : [1.0] {
                    let plan = control.plan(settings, durationRatio: ratio, during: rise)
                    #expect(Self.mostBits(plan, in: limit.seconds, durationRatio: ratio) <= limit.bytes * 8)
                }
            }
        }
    }

    @Test func aLimitAboveTheBitRateHasNoEffect() throws {
        let settings = RateSettings(
            averageBitRate: 2_000_000, limits: DataRateLimits(DataRateLimit(bytes: 1_000_000, seconds: 1)))
        #expect(try Self.control(settings).plan(settings).aim == .kilobitsPerSecond(2000))
    }

    // MARK: Modes

    @Test func theModeFollowsFromTheOpeningSettings() throws {
        let limit = DataRateLimit(bytes: 100_000, seconds: 1)
        #expect(try Self.control(RateSettings()).mode == .quality)
        #expect(try Self.control(RateSettings(quality: 0.3)).mode == .quality)
        #expect(try Self.control(RateSettings(limits: DataRateLimits(limit))).mode == .quality)
        #expect(try Self.control(RateSettings(averageBitRate: 1000)).mode == .bitRate)
        #expect(try Self.control(RateSettings(averageBitRate: 1000, quality: 0.3)).mode == .quality)
        #expect(try Self.control(RateSettings(), options: "crf=20").mode == .options)
        #expect(try Self.control(RateSettings(), options: "ref=2").mode == .quality)
    }

    @Test func withNothingSetTheQualityIsNormalAndNothingIsLimited() throws {
        let plan = try Self.control(RateSettings()).plan(RateSettings())
        #expect(plan == RatePlan(aim: .quality(0.5), vbvBuffer: nil, maxSliceBytes: 0))
    }

    @Test func aBitRateBesideAQualityIsACeiling() throws {
        let settings = RateSettings(averageBitRate: 3_000_000, quality: 1)
        let plan = try Self.control(settings).plan(settings)
        #expect(plan.aim == .quality(1))
        #expect(plan.vbvBuffer?.kilobitsPerSecond == 3000)
    }

    @Test func longerFramesGetMoreBits() throws {
        let settings = RateSettings(averageBitRate: 2_000_000)
        let control = try Self.control(settings, isLowDelay: true)
        #expect(control.plan(settings, durationRatio: 2).aim == .kilobitsPerSecond(4000))
        #expect(control.plan(settings, durationRatio: 0.5).aim == .kilobitsPerSecond(1000))
    }

    @Test func ratesBeyondX264sRangeAreLimitedNotWrapped() throws {
        let settings = RateSettings(averageBitRate: 2_000_000_000)
        let control = try Self.control(settings, isLowDelay: true)
        for ratio in [1e-9, 1, 1e9] {
            let vbvBuffer = try #require(control.plan(settings, durationRatio: ratio).vbvBuffer)
            #expect((1...2_000_000).contains(vbvBuffer.kilobitsPerSecond))
            #expect((1...2_000_000).contains(vbvBuffer.kilobits))
        }
    }

    // MARK: Quality

    @Test func qualityMapsToTheRateFactorsOfTheHeader() {
        for (quality, factor) in [(0.0, 51.0), (0.25, 30), (0.5, 23), (0.75, 17), (1, 1), (0.125, 40.5), (0.875, 9)] {
            #expect(abs(X264Parameters.rateFactor(quality: quality) - factor) < 1e-9)
        }
        let factors = (0...1000).map { X264Parameters.rateFactor(quality: Double($0) / 1000) }
        #expect(zip(factors, factors.dropFirst()).allSatisfy { $0 > $1 })
        #expect(X264Parameters.rateFactor(quality: -1) == 51 && X264Parameters.rateFactor(quality: 2) == 1)
    }

    @Test(arguments: [false, true])
    func onlyAHigherRateIsARise(isLowDelay: Bool) {
        for (old, new) in [(0, 1000), (1000, 1000), (2000, 1000)] {
            #expect(RateControl.Rise(from: old, to: new, isLowDelay: isLowDelay) == nil)
        }
        for new in [1001, 2000, 1_000_000, 2_000_000_000] {
            guard let rise = RateControl.Rise(from: 1000, to: new, isLowDelay: isLowDelay) else {
                Issue.record("no rise to \(new)")
                continue
            }
            #expect((1...3).contains(rise.factor) && rise.frames > 0)
        }
    }
}
