import Nalu
import Testing

@Suite struct MediaTimeSecondsTests {
    private static let made: [(seconds: Double, timescale: Int32, value: Int64, result: Int32, rounded: Bool)] = [
        (0, 600, 0, 600, false),
        (-0.0, 600, 0, 600, false),
        (1.5, 600, 900, 600, false),
        (0.1, 600, 60, 600, false),
        (0.1, 3, 0, 3, true),
        (0.5, 1, 1, 1, true),
        (-0.5, 1, -1, 1, true),
        (1.25, 2, 3, 2, true),
        (-1.25, 2, -3, 2, true),
        (1001.0 / 30000, 30000, 1001, 30000, false),
        (.leastNonzeroMagnitude, .max, 0, .max, true),
        (1e12, 1_000_000_000, 7_812_500 * 1_000_000_000_000, 7_812_500, false),
        (9.2e18, 1_000_000, 9_200_000_000_000_000_000, 1, false),
        (-9_223_372_036_854_775_808, 1, .min, 1, false),
        (-9_223_372_036_854_775_808, 5, .min, 1, false),
    ]

    @Test(arguments: made.indices) func secondsBecomeTheNearestTime(index: Int) {
        let row = Self.made[index]
        let time = MediaTime(seconds: row.seconds, preferredTimescale: row.timescale)
        let flags: MediaTimeFlags = row.rounded ? [.valid, .hasBeenRounded] : .valid
        let expected = MediaTime(value: row.value, timescale: row.result, flags: flags, epoch: 0)
        #expect(time.isIdentical(to: expected), "\(row.seconds) in \(row.timescale) is \(time)")
    }

    @Test func secondsThatAreNotFiniteBecomeTimesThatAreNotNumeric() {
        func make(_ seconds: Double, _ timescale: Int32 = 600) -> MediaTime {
            MediaTime(seconds: seconds, preferredTimescale: timescale)
        }
        #expect(make(.nan).isIdentical(to: .invalid))
        #expect(make(.signalingNaN).isIdentical(to: .invalid))
        #expect(make(.infinity).isIdentical(to: .positiveInfinity))
        #expect(make(-.infinity).isIdentical(to: .negativeInfinity))
        #expect(make(9.3e18).isIdentical(to: .positiveInfinity))
        #expect(make(9_223_372_036_854_775_808).isIdentical(to: .positiveInfinity))
        #expect(make(-.greatestFiniteMagnitude).isIdentical(to: .negativeInfinity))
        for timescale: Int32 in [0, -1, .min] {
            #expect(make(1, timescale).isIdentical(to: .invalid))
            #expect(make(.infinity, timescale).isIdentical(to: .invalid))
        }
    }

    @Test func timesBecomeTheNearestSeconds() {
        #expect(MediaTime(value: 1, timescale: 3).seconds == 1.0 / 3)
        #expect(MediaTime(value: -7, timescale: 2).seconds == -3.5)
        #expect(MediaTime(value: .min, timescale: 1).seconds == -9_223_372_036_854_775_808)
        #expect(MediaTime(value: .max, timescale: 1).seconds == 9_223_372_036_854_775_808)
        #expect(MediaTime(value: .max, timescale: .max).seconds == 4_294_967_298.000_000_001)
        #expect(MediaTime.invalid.seconds.isNaN)
        #expect(MediaTime.indefinite.seconds.isNaN)
        #expect(MediaTime.positiveInfinity.seconds == .infinity)
        #expect(MediaTime.negativeInfinity.seconds == -.infinity)
    }

    /// For a value of more than 53 bits the division of two doubles is inexact. The error is computed exactly.
    @Test func noNeighbouringTimeIsNearer() {
        var random = TestRandom(seed: 6)
        for _ in 0..<20_000 {
            let value = Int64(random.next() >> UInt64.random(in: 1...12, using: &random))
            let timescale = Int32(truncatingIfNeeded: random.next() >> UInt64.random(in: 33...60, using: &random)) | 1
            let seconds = MediaTime(value: value, timescale: timescale).seconds
            // The double and its neighbours are multiples of 2^-32 above 2^20; smaller numbers are tested elsewhere.
            guard seconds > 0x1p21, seconds < 0x1p60 else {
                continue
            }
            func distance(_ candidate: Double) -> Int128 {
                // candidate * 2^32 is an integer. The result is |candidate * timescale - value| * 2^32.
                let scaled = Int128(candidate * 0x1p32) * Int128(timescale) - (Int128(value) << 32)
                return scaled < 0 ? -scaled : scaled
            }
            #expect(distance(seconds) <= distance(seconds.nextUp), "\(value)/\(timescale)")
            #expect(distance(seconds) <= distance(seconds.nextDown), "\(value)/\(timescale)")
        }
    }

    @Test func secondsSurviveConversionThereAndBack() {
        var random = TestRandom(seed: 7)
        for _ in 0..<20_000 {
            let value = Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 12...60, using: &random)
            let time = MediaTime(value: value, timescale: 90_000)
            #expect(MediaTime(seconds: time.seconds, preferredTimescale: 90_000).isIdentical(to: time))
        }
    }
}
