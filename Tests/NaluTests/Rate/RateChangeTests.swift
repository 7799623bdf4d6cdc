import Testing

@testable import Nalu

/// The changes that a running encoder accepts, and those that return TOO_LATE.
@Suite struct RateChangeTests {
    private static func status(
        from opening: RateSettings, isLowDelay: Bool = false, to change: (inout RateSettings) -> Void
    ) throws -> Status {
        let control = try RateControlTests.control(opening, isLowDelay: isLowDelay)
        var settings = opening
        change(&settings)
        return TestBytes.status { () throws(NaluError) in try control.checkChange(to: settings) }
    }

    private static let limit = DataRateLimit(bytes: 100_000, seconds: 1)

    @Test func aBitRateChangesToAnotherBitRateOnly() throws {
        let opening = RateSettings(averageBitRate: 1_000_000)
        #expect(try Self.status(from: opening) { $0.averageBitRate = 2_000_000 } == .ok)
        #expect(try Self.status(from: opening) { $0.averageBitRate = 0 } == .tooLate)
        #expect(try Self.status(from: opening) { $0.quality = 0.5 } == .tooLate)
        #expect(try Self.status(from: opening) { $0.limits = DataRateLimits(Self.limit) } == .ok)
    }

    @Test func aQualityChangesToAnotherQuality() throws {
        for opening in [RateSettings(), RateSettings(quality: 0.2), RateSettings(limits: DataRateLimits(Self.limit))] {
            #expect(try Self.status(from: opening) { $0.quality = 0.9 } == .ok)
            #expect(
                try Self.status(from: opening) {
                    $0.averageBitRate = 1_000_000
                    $0.quality = nil
                } == .tooLate)
        }
        let ceiling = RateSettings(averageBitRate: 1_000_000, quality: 0.5)
        #expect(try Self.status(from: ceiling) { $0.averageBitRate = 2_000_000 } == .ok)
        #expect(try Self.status(from: ceiling) { $0.quality = nil } == .tooLate)
    }

    @Test func sliceBytesChangeBetweenNumbersOnly() throws {
        #expect(try Self.status(from: RateSettings(maxSliceBytes: 1000)) { $0.maxSliceBytes = 500 } == .ok)
        #expect(try Self.status(from: RateSettings(maxSliceBytes: 1000)) { $0.maxSliceBytes = 0 } == .tooLate)
        #expect(try Self.status(from: RateSettings()) { $0.maxSliceBytes = 1000 } == .tooLate)
    }

    @Test func theFrameRateCanChangeIfTheEncoderCountsFrames() throws {
        #expect(try Self.status(from: RateSettings(), isLowDelay: true) { $0.expectedFrameRate = 60 } == .ok)
        #expect(try Self.status(from: RateSettings()) { $0.expectedFrameRate = 60 } == .tooLate)
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
