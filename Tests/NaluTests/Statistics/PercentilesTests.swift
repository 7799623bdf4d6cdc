import Testing

@testable import Nalu

/// Percentiles of the last values of a sequence.
@Suite struct PercentilesTests {
    @Test func withoutValuesThereAreNoPercentiles() {
        var percentiles = Percentiles(window: 4)
        #expect(percentiles.count == 0 && percentiles.percentile(50).isNaN)
        for value in [Double.nan, .infinity, -.infinity] { percentiles.add(value) }
        #expect(percentiles.count == 0 && percentiles.percentile(99).isNaN)
    }

    @Test func percentilesOfAKnownSequenceAreRight() {
        var percentiles = Percentiles(window: 100)
        for value in (1...100).reversed() { percentiles.add(Double(value)) }
        #expect([0, 1, 50, 99, 100].map { percentiles.percentile($0) } == [1, 1, 50, 99, 100])
        // 101 to 150 replace 100 to 51, which are the oldest values.
        for value in 101...150 { percentiles.add(Double(value)) }
        #expect(percentiles.count == 100)
        #expect([1, 50, 51, 99, 100].map { percentiles.percentile($0) } == [1, 50, 101, 149, 150])
    }

    @Test func percentilesOfOneAndTwoValuesAreRight() {
        var percentiles = Percentiles(window: 256)
        percentiles.add(7)
        #expect([-1, 0, 50, 99, 100, 101].allSatisfy { percentiles.percentile($0) == 7 })
        percentiles.add(3)
        #expect(percentiles.percentile(50) == 3 && percentiles.percentile(51) == 7 && percentiles.percentile(99) == 7)
    }

    @Test func aWindowOfLessThanOneValueHoldsOne() {
        for window in [-3, 0, 1] {
            var percentiles = Percentiles(window: window)
            for value in [5.0, 2, 9] {
                percentiles.add(value)
                #expect(percentiles.count == 1 && percentiles.percentile(50) == value)
            }
        }
    }

    @Test func percentilesAreThoseOfTheSortedWindow() {
        var random = TestRandom(seed: 11)
        for window in [2, 3, 16, 256] {
            var percentiles = Percentiles(window: window)
            var all: [Double] = []
            for _ in 0..<1000 {
                // Many values are equal.
                let value = Double(random.next() % 40) - 20
                all.append(value)
                percentiles.add(value)
                let sorted = all.suffix(window).sorted()
                for percent in [1, 50, 99, 100] {
                    let rank = sorted.indices.first { ($0 + 1) * 100 >= percent * sorted.count } ?? 0
                    #expect(percentiles.percentile(percent) == sorted[rank])
                }
            }
        }
    }
}
