import Testing

@testable import Nalu

/// The frames that the guard admits, and later frames that it blocks.
@Suite struct DataRateGuardTests {
    private let limits = DataRateLimits(
        DataRateLimit(bytes: 1000, seconds: 1), DataRateLimit(bytes: 600, seconds: 0.25))

    private func admits(
        _ guardian: inout DataRateGuard, _ number: UInt64, _ bytes: Int, at time: Double, isKey: Bool = false,
        isReference: Bool = true, limits: DataRateLimits? = nil, since: UInt64 = 0
    ) -> Bool {
        guardian.admits(
            number: number, bytes: bytes, time: time, isKeyFrame: isKey, isReference: isReference,
            limits: FrameLimits(limits: limits ?? self.limits, since: since))
    }

    private func mustBeKey(_ guardian: inout DataRateGuard, _ number: UInt64) -> Bool {
        guardian.mustBeKey(number: number)
    }

    @Test func aWindowMayBeExactlyFull() {
        var guardian = DataRateGuard()
        #expect(admits(&guardian, 0, 500, at: 0, isKey: true))
        #expect(admits(&guardian, 1, 500, at: 0.5))
        #expect(!admits(&guardian, 2, 1, at: 0.75, isReference: false))
        // The first frame has left the window.
        #expect(admits(&guardian, 3, 500, at: 1))
    }

    @Test func bothLimitsHold() {
        var guardian = DataRateGuard()
        #expect(admits(&guardian, 0, 400, at: 0, isKey: true))
        #expect(!admits(&guardian, 1, 201, at: 0.2, isReference: false))
        #expect(admits(&guardian, 2, 200, at: 0.2))
    }

    @Test func afterADroppedReferenceOnlyAKeyFrameIsDelivered() {
        var guardian = DataRateGuard()
        #expect(admits(&guardian, 0, 400, at: 0, isKey: true))
        #expect(!mustBeKey(&guardian, 1))
        #expect(!admits(&guardian, 1, 700, at: 0.1))
        #expect(guardian.waitsForKeyFrame)
        // A key frame is requested once, until it is delivered.
        #expect(mustBeKey(&guardian, 4))
        #expect(!mustBeKey(&guardian, 5))
        #expect(!admits(&guardian, 2, 10, at: 0.2, isReference: false))
        #expect(!admits(&guardian, 3, 10, at: 0.3))
        #expect(!admits(&guardian, 4, 900, at: 0.4, isKey: true))
        #expect(mustBeKey(&guardian, 6))
        #expect(admits(&guardian, 6, 300, at: 0.6, isKey: true))
        #expect(!guardian.waitsForKeyFrame)
        #expect(!mustBeKey(&guardian, 7))
    }

    @Test func aDroppedPictureWithoutReferencesDropsNoOther() {
        var guardian = DataRateGuard()
        #expect(admits(&guardian, 0, 500, at: 0, isKey: true))
        #expect(!admits(&guardian, 1, 500, at: 0.1, isReference: false))
        #expect(!mustBeKey(&guardian, 2))
        #expect(admits(&guardian, 2, 50, at: 0.2))
    }

    @Test func withoutLimitsEveryPictureIsDelivered() {
        var guardian = DataRateGuard()
        for number in 0..<10 {
            #expect(admits(&guardian, UInt64(number), 1_000_000, at: Double(number), limits: DataRateLimits()))
        }
    }

    @Test func windowsRestartAfterAChange() {
        var guardian = DataRateGuard()
        let wide = DataRateLimits(DataRateLimit(bytes: 5000, seconds: 1))
        #expect(admits(&guardian, 0, 4000, at: 0, isKey: true, limits: wide))
        // The frame was encoded under the tighter limits, which do not count earlier frames.
        #expect(admits(&guardian, 2, 500, at: 0.1, since: 1))
        #expect(admits(&guardian, 3, 100, at: 0.3, since: 1))
        #expect(!admits(&guardian, 4, 401, at: 0.4, isReference: false, since: 1))
        #expect(admits(&guardian, 5, 4000, at: 0.5, limits: wide, since: 5))
        #expect(admits(&guardian, 6, 40_000, at: 0.6, limits: DataRateLimits(), since: 6))
    }

    @Test func reorderingOverAChangeHidesNothing() {
        let tight = DataRateLimits(DataRateLimit(bytes: 1000, seconds: 1))
        for after in [DataRateLimits(DataRateLimit(bytes: 5000, seconds: 1)), DataRateLimits()] {
            var guardian = DataRateGuard()
            #expect(admits(&guardian, 0, 700, at: 0, isKey: true, limits: tight))
            // The reference frame after the change is delivered first.
            #expect(admits(&guardian, 3, 2000, at: 0.1, limits: after, since: 3))
            #expect(admits(&guardian, 1, 300, at: 0.2, isReference: false, limits: tight))
            #expect(!admits(&guardian, 2, 1, at: 0.3, isReference: false, limits: tight))
            #expect(admits(&guardian, 4, 2000, at: 0.4, limits: after, since: 3))
        }
    }

    @Test func windowsRestartWhenLimitsAreSetAgain() {
        let tight = DataRateLimits(DataRateLimit(bytes: 1000, seconds: 1))
        let wide = DataRateLimits(DataRateLimit(bytes: 5000, seconds: 1))
        var guardian = DataRateGuard()
        #expect(admits(&guardian, 0, 700, at: 0, isKey: true, limits: tight))
        #expect(admits(&guardian, 2, 700, at: 0.1, limits: tight, since: 2))
        #expect(admits(&guardian, 1, 700, at: 0.2, isReference: false, limits: wide, since: 1))
        #expect(!admits(&guardian, 3, 700, at: 0.3, limits: tight, since: 2))
    }
}
