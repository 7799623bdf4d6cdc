import Testing

@testable import Nalu

/// Independent chunks of a clip: together they keep the limit.
@Suite struct SeamSharesTests {
    private static let frameRates = [1.0, 10, 24, 30, 60, 1000]
    private static let windows = [0.05, 0.1, 0.25, 1, 5, 60]

    @Test(arguments: frameRates, windows)
    func allSharesAreTheLimit(frameRate: Double, seconds: Double) {
        let shares = SeamShares(seconds: seconds, frameSeconds: 1 / frameRate)
        #expect(abs(shares.flow + shares.reserve + shares.opening + 2 * SeamShares.slack - 1) < 1e-12)
        // The lower bounds for x264's initial fullness and for the size of a VBV buffer.
        let frame = shares.flow / seconds / frameRate
        #expect(shares.opening >= frame)
        #expect(shares.reserve >= shares.opening)
    }

    /// A chunk ends with a full window, and the next one begins with a full one: no window exceeds the limit.
    @Test(arguments: [24.0, 60], [0.25, 1, 2])
    func greedyPartsKeepTheLimit(frameRate: Double, seconds: Double) {
        let limits = DataRateLimits(DataRateLimit(bytes: 100_000, seconds: seconds))
        let count = Int(frameRate * seconds * 3)
        var sent: [(time: Double, bytes: Double)] = []
        for chunk in 0..<3 {
            var configuration = SessionConfiguration()
            configuration.moreFramesBeforeStart = chunk > 0
            configuration.moreFramesAfterEnd = chunk < 2
            configuration.live.rate.expectedFrameRate = frameRate
            var guardian = DataRateGuard(seams: SeamGuard(configuration))
            for frame in 0..<count {
                let time = Double(chunk * count + frame) / frameRate
                // Frames are small far from a seam, and as large as admitted near it.
                let isNearSeam = frame < count / 3 || frame >= 2 * count / 3
                for bytes in isNearSeam
                    ? stride(from: 60_000, through: 100, by: -100) : stride(from: 10, through: 10, by: -1)
                where guardian.admits(
                    number: UInt64(frame), bytes: bytes, time: time, isKeyFrame: true, isReference: false,
                    limits: FrameLimits(limits: limits, since: 0))
                {
                    sent.append((time, Double(bytes)))
                    break
                }
            }
        }
        var fullest = 0.0
        for (index, first) in sent.enumerated() {
            let sum = sent[index...].prefix { $0.time < first.time + seconds - 1e-6 }.reduce(0) { $0 + $1.bytes }
            fullest = max(fullest, sum)
        }
        #expect(fullest <= 100_000)
        #expect(fullest > 90_000)
    }
}
