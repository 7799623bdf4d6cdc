import NaluLibc
import Testing

@testable import Nalu

/// The budget with a simulated encoder: the bits of a frame at QP 0 are given, and its picture returns a second later.
@Suite struct LookaheadBudgetTests {
    private static let frameRate = 24
    private static let base = 28.0

    /// Frames are passed one by one. Every fourth is referred to by the three after it, and takes most of the bits.
    private struct Stream {
        var budget = LookaheadBudget(base: LookaheadBudgetTests.base, bounds: 0...51)
        /// The frames between key frames.
        var keyInterval = Int.max
        private(set) var offsets: [Double] = []
        private(set) var bits: [Double] = []

        mutating func pass(frames: Int, kilobits: Int, complexity: Double, pixels: Double = 3e6) {
            let plan = RatePlan(
                aim: .kilobitsPerSecond(kilobits),
                vbvBuffer: RatePlan.VBVBuffer(kilobitsPerSecond: kilobits, kilobits: kilobits), maxSliceBytes: 0)
            for _ in 0..<frames {
                let number = bits.count
                let isKey = number % keyInterval == 0
                let offset = budget.offset(
                    token: UInt64(number), plan, seconds: 1 / Double(LookaheadBudgetTests.frameRate),
                    isKeyFrame: isKey, detail: PictureDetail(complexity: pixels, change: number == 0 ? nil : 1.5),
                    extra: 0)
                let share = isKey ? 10 : number % 4 == 0 ? 3.1 : 0.3
                offsets.append(offset)
                bits.append(share * complexity * pow(2, -(LookaheadBudgetTests.base + offset) / 6))
                let back = number - LookaheadBudgetTests.frameRate
                if back >= 0 { budget.note(token: UInt64(back), bits: bits[back], isKeyFrame: back % keyInterval == 0) }
            }
        }

        /// The bits of some seconds divided by those of the rate.
        func ratio(seconds: Range<Int>, kilobits: Int) -> Double {
            let rate = LookaheadBudgetTests.frameRate
            let sum = bits[seconds.lowerBound * rate..<seconds.upperBound * rate].reduce(0, +)
            return sum / Double(seconds.count * kilobits * 1000)
        }

        /// The largest difference between offsets in any second of a range.
        func swing(seconds: Range<Int>) -> Double {
            let rate = LookaheadBudgetTests.frameRate
            return (seconds.lowerBound * rate...seconds.upperBound * rate - rate).map { first in
                let second = offsets[first..<first + rate]
                return second.max()! - second.min()!
            }.max()!
        }
    }

    /// The first guess of the bits may be wrong by a factor of 4.
    @Test(arguments: [0.25, 1, 4]) func aSteadyVideoHasItsRateAndOneQP(factor: Double) {
        var stream = Stream()
        stream.pass(frames: 20 * Self.frameRate, kilobits: 800, complexity: 3e5 * factor)
        #expect(abs(stream.ratio(seconds: 0..<20, kilobits: 800) - 1) < 0.05)
        for second in 10..<20 {
            #expect(abs(stream.ratio(seconds: second..<second + 1, kilobits: 800) - 1) < 0.1)
        }
        #expect(stream.swing(seconds: 10..<20) < 1.5)
    }

    /// Key frames take up to 90 % of the bits, and the budget learns their distance if it does not know it.
    @Test(arguments: [1, 2, 6, 12, 24, 48, 100, 250], [true, false])
    func keyFramesArePartOfTheRate(interval: Int, isKnown: Bool) {
        var stream = Stream()
        stream.keyInterval = interval
        if isKnown {
            stream.budget = LookaheadBudget(
                base: Self.base, bounds: 0...51, keyInterval: Double(interval) / Double(Self.frameRate))
        }
        stream.pass(frames: 40 * Self.frameRate, kilobits: 800, complexity: 3e5)
        #expect(abs(stream.ratio(seconds: 0..<10, kilobits: 800) - 1) < 0.1)
        #expect(abs(stream.ratio(seconds: 10..<40, kilobits: 800) - 1) < 0.05)
    }

    /// Bits that double or halve every three seconds, with equal pixels: the QP follows slowly, so that quality has no waves.
    @Test func changesThatPixelsDoNotShowMoveTheQPSlowly() {
        var stream = Stream()
        for turn in 0..<8 {
            stream.pass(frames: 3 * Self.frameRate, kilobits: 800, complexity: turn % 2 == 0 ? 3e5 : 6e5)
        }
        #expect(abs(stream.ratio(seconds: 0..<24, kilobits: 800) - 1) < 0.15)
        #expect(stream.swing(seconds: 1..<24) < 9)
    }

    /// Frames that were passed before the change are no surplus of the new rate.
    @Test(arguments: [(2000, 400), (400, 2000)]) func aNewRateHoldsFromTheNextFrame(before: Int, after: Int) {
        var stream = Stream()
        stream.pass(frames: 10 * Self.frameRate, kilobits: before, complexity: 3e5)
        stream.pass(frames: 10 * Self.frameRate, kilobits: after, complexity: 3e5)
        #expect(abs(stream.ratio(seconds: 10..<20, kilobits: after) - 1) < 0.1)
        #expect(abs(stream.ratio(seconds: 11..<14, kilobits: after) - 1) < 0.2)
    }

    /// A minute of still pictures or of noise does not change the rate of the pictures after it.
    @Test(arguments: [10.0, 1e10]) func aLongPastIsForgotten(complexity: Double) {
        var stream = Stream()
        stream.pass(frames: 60 * Self.frameRate, kilobits: 800, complexity: complexity, pixels: complexity * 10)
        stream.pass(frames: 40 * Self.frameRate, kilobits: 800, complexity: 3e5)
        #expect(abs(stream.ratio(seconds: 75..<100, kilobits: 800) - 1) < 0.1)
    }

    @Test func theQPStaysInItsBounds() {
        for (complexity, bound) in [(1.0, 20.0), (1e12, 40.0)] {
            var stream = Stream()
            stream.budget = LookaheadBudget(base: Self.base, bounds: 20...40)
            stream.pass(frames: 10 * Self.frameRate, kilobits: 800, complexity: complexity)
            #expect(stream.offsets.last == bound - Self.base)
            #expect(stream.offsets.allSatisfy { (20...40).contains(Self.base + $0) })
        }
    }
}
