import Nalu
import Testing

@Suite struct MediaTimeTests {
    private static func time(
        _ value: Int64,
        _ timescale: Int32,
        rounded: Bool = false,
        epoch: Int64 = 0
    ) -> MediaTime {
        let flags: MediaTimeFlags = rounded ? [.valid, .hasBeenRounded] : .valid
        return MediaTime(value: value, timescale: timescale, flags: flags, epoch: epoch)
    }

    private typealias Row = (a: MediaTime, b: MediaTime, sum: MediaTime, difference: MediaTime)

    /// Operands, and the results of adding and subtracting, field by field.
    private static let arithmetic: [Row] = [
        (time(1, 30), time(2, 30), time(3, 30), time(-1, 30)),
        (time(1, 2), time(1, 3), time(5, 6), time(1, 6)),
        (time(1001, 30000), time(1, 25), time(2201, 30000), time(-199, 30000)),
        (time(0, 600), time(0, 90000), time(0, 90000), time(0, 90000)),
        (time(1, 600, rounded: true), time(1, 600), time(2, 600, rounded: true), time(0, 600, rounded: true)),
        // The least common multiple is too large, so the timescale is 2147483647, with rounding.
        (time(1, .max), time(1, .max - 1), time(2, .max, rounded: true), time(0, .max, rounded: true)),
        (time(9, 1_000_003), time(7, 1_000_003), time(16, 1_000_003), time(2, 1_000_003)),
        (time(1_000_003, 1_000_003), time(1_000_033, 1_000_033), time(4_294_967_294, .max), time(0, .max)),
        // If a value overflows, the timescale is halved.
        (time(.max, 600), time(.max, 600), time(.max, 300), time(0, 600)),
        (time(.max, 600), time(1, 600), time(1 << 62, 300), time(.max - 1, 600)),
        (time(.max, 1), time(1, 1), .positiveInfinity, time(.max - 1, 1)),
        (time(.min, 1), time(1, 1), time(.min + 1, 1), .negativeInfinity),
        (time(.min, 2), time(1, 2), time(.min + 1, 2), time(-(1 << 62) - 1, 1, rounded: true)),
        (time(.min, 1), time(.min, 1), .negativeInfinity, time(0, 1)),
        (time(0, 1), time(.min, 1), time(.min, 1), .positiveInfinity),
        // Epochs.
        (time(3, 1, epoch: 7), time(1, 1, epoch: 7), time(4, 1), time(2, 1)),
        (time(3, 1, epoch: 7), time(1, 1), time(4, 1, epoch: 7), time(2, 1, epoch: 7)),
        (time(3, 1), time(1, 1, epoch: 7), time(4, 1, epoch: 7), time(2, 1, epoch: 7)),
        (time(3, 1, epoch: 7), time(1, 1, epoch: 8), .invalid, .invalid),
        (time(3, 1, epoch: .min), time(1, 1, epoch: .max), .invalid, .invalid),
        // Times that are not numeric.
        (.invalid, time(1, 1), .invalid, .invalid),
        (time(1, 1), .invalid, .invalid, .invalid),
        (.positiveInfinity, .invalid, .invalid, .invalid),
        (.positiveInfinity, time(1, 1), .positiveInfinity, .positiveInfinity),
        (time(1, 1), .positiveInfinity, .positiveInfinity, .negativeInfinity),
        (time(1, 1), .negativeInfinity, .negativeInfinity, .positiveInfinity),
        (.positiveInfinity, .positiveInfinity, .positiveInfinity, .invalid),
        (.negativeInfinity, .negativeInfinity, .negativeInfinity, .invalid),
        (.positiveInfinity, .negativeInfinity, .invalid, .positiveInfinity),
        (.negativeInfinity, .positiveInfinity, .invalid, .negativeInfinity),
        (.indefinite, time(1, 1), .indefinite, .indefinite),
        (time(1, 1), .indefinite, .indefinite, .indefinite),
        (.indefinite, .indefinite, .indefinite, .indefinite),
        (.indefinite, .positiveInfinity, .positiveInfinity, .negativeInfinity),
        (.negativeInfinity, .indefinite, .negativeInfinity, .negativeInfinity),
        (time(1, 0), time(1, 1), .invalid, .invalid),
        (time(1, -5), time(1, -5), .invalid, .invalid),
    ]

    @Test(arguments: arithmetic.indices) func timesAreAddedAndSubtracted(index: Int) {
        let row = Self.arithmetic[index]
        #expect((row.a + row.b).isIdentical(to: row.sum), "\(row.a) + \(row.b) = \(row.a + row.b)")
        #expect((row.a - row.b).isIdentical(to: row.difference), "\(row.a) - \(row.b) = \(row.a - row.b)")
    }

    private static let conversions: [(time: MediaTime, timescale: Int32, result: MediaTime)] = [
        (time(1, 2), 4, time(2, 4)),
        (time(1, 2), 2, time(1, 2)),
        (time(1, 2), 1, time(1, 1, rounded: true)),
        (time(-1, 2), 1, time(-1, 1, rounded: true)),
        (time(1, 3), 1, time(0, 1, rounded: true)),
        (time(2, 3), 1, time(1, 1, rounded: true)),
        (time(-2, 3), 1, time(-1, 1, rounded: true)),
        (time(5, 10, rounded: true), 2, time(1, 2, rounded: true)),
        (time(1001, 30000), 90000, time(3003, 90000)),
        (time(1, 30, epoch: 4), 60, time(2, 60, epoch: 4)),
        (time(.max, 1), 2, .positiveInfinity),
        (time(.min, 1), 2, .negativeInfinity),
        (time(.min, 2), 1, time(-(1 << 62), 1)),
        (time(.max, .max), .max - 1, time(9_223_372_032_559_808_509, .max - 1, rounded: true)),
        (time(.min, .max), 1, time(-4_294_967_298, 1, rounded: true)),
        (time(1, 1), 0, .invalid),
        (time(1, 1), .min, .invalid),
        (.indefinite, 30, .indefinite),
        (.positiveInfinity, 30, .positiveInfinity),
        (.invalid, 30, .invalid),
        (time(7, -3), 30, time(7, -3)),
    ]

    @Test(arguments: conversions.indices) func timesAreConvertedToTimescales(index: Int) {
        let row = Self.conversions[index]
        let result = row.time.converted(toTimescale: row.timescale)
        #expect(result.isIdentical(to: row.result), "\(row.time) in \(row.timescale) is \(result)")
    }

    @Test func everyKindOfTimeIsOrdered() {
        let ascending: [MediaTime] = [
            .negativeInfinity, Self.time(.max, 1, epoch: -1), Self.time(.min, 1), Self.time(-1, 3), .zero,
            Self.time(1, .max), Self.time(1, 3), Self.time(333_333_334, 1_000_000_000), Self.time(.max, 2),
            Self.time(.max, 1), Self.time(.min, 1, epoch: 1), .indefinite, .positiveInfinity, .invalid,
        ]
        for (i, a) in ascending.enumerated() {
            for (j, b) in ascending.enumerated() {
                #expect(a.compared(to: b) == (i < j ? -1 : i == j ? 0 : 1), "\(a) and \(b)")
                #expect((a == b) == (i == j))
                #expect((a < b) == (i < j))
            }
        }
    }

    @Test func equalTimesHaveEqualHashes() {
        let infinite = MediaTime(value: 9, timescale: 9, flags: [.valid, .positiveInfinity], epoch: 9)
        let pairs: [(MediaTime, MediaTime)] = [
            (Self.time(1, 2), Self.time(2, 4, rounded: true)), (Self.time(0, 1), Self.time(0, 90000)),
            (Self.time(-3, 9), Self.time(-1, 3)), (infinite, .positiveInfinity), (Self.time(5, 0), .invalid),
            (Self.time(.min, 2), Self.time(-(1 << 62), 1)),
        ]
        for (a, b) in pairs {
            #expect(a == b)
            #expect(a.hashValue == b.hashValue)
            #expect(!a.isIdentical(to: b))
        }
    }

    @Test func kindsOfTimesAreDistinguished() {
        #expect(MediaTime(value: 1, timescale: 0).isIdentical(to: .invalid))
        #expect(MediaTime(value: 1, timescale: .min).isIdentical(to: .invalid))
        #expect(MediaTime.zero.isNumeric)
        #expect(!MediaTime.indefinite.isNumeric && MediaTime.indefinite.isValid && MediaTime.indefinite.isIndefinite)
        #expect(!MediaTime.positiveInfinity.isNumeric && MediaTime.positiveInfinity.isInfinite)
        #expect(!MediaTime.invalid.isValid)
        #expect(!Self.time(1, 0).isValid && !Self.time(1, 0).isNumeric)
        #expect(MemoryLayout<MediaTime>.size == 24)
        #expect(MemoryLayout<MediaTime>.offset(of: \.flags) == 12)
        #expect(MemoryLayout<MediaTime>.offset(of: \.epoch) == 16)
    }

    @Test func everyBitPatternGivesAResult() {
        let values: [Int64] = [.min, .min + 1, -1, 0, 1, 1 << 53, .max]
        let timescales: [Int32] = [.min, -1, 0, 1, 2, 600, .max - 1, .max]
        let epochs: [Int64] = [.min, 0, 1]
        var times: [MediaTime] = []
        for value in values {
            for timescale in timescales {
                for flags: UInt32 in [0, 1, 3, 5, 9, 13, 17, 31, .max] {
                    for epoch in epochs {
                        let flags = MediaTimeFlags(rawValue: flags)
                        times.append(MediaTime(value: value, timescale: timescale, flags: flags, epoch: epoch))
                    }
                }
            }
        }
        var random = TestRandom(seed: 5)
        for _ in 0..<200_000 {
            let a = times[Int.random(in: times.indices, using: &random)]
            let b = times[Int.random(in: times.indices, using: &random)]
            let (sum, difference) = (a + b, a - b)
            #expect(sum.isIdentical(to: b + a))
            #expect(sum.isNumeric || sum.timescale == 0)
            #expect(difference.isNumeric || difference.timescale == 0)
            #expect(a.compared(to: b) == -b.compared(to: a))
            let converted = a.converted(toTimescale: b.timescale)
            #expect(converted.isNumeric || !converted.seconds.isFinite)
        }
    }
}
