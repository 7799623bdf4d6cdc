import Testing

@testable import Nalu

/// Bit rates by decode time.
@Suite struct BitRateMeterTests {
    @Test func thereIsNoBitRateBeforeTheSecondSample() {
        var meter = BitRateMeter()
        #expect(meter.current.isNaN && meter.mean.isNaN)
        meter.note(bits: 800, time: 5)
        #expect(meter.current.isNaN && meter.mean.isNaN)
        meter.note(bits: 100, time: 5.5)
        #expect(meter.current == 1600 && meter.mean == 1600)
    }

    @Test func theCurrentRateForgetsAfterASecondAndTheMeanDoesNot() {
        var meter = BitRateMeter()
        for number in 0...16 { meter.note(bits: 1000, time: Double(number) / 8) }
        #expect(meter.current == 8000 && meter.mean == 8000)
        for number in 17...24 { meter.note(bits: 3000, time: Double(number) / 8) }
        // The last sample does not count yet, and number 16 still counts.
        #expect(meter.current == 22_000)
        #expect(meter.mean == Double(17 * 1000 + 7 * 3000) / 3)
        meter.note(bits: 3000, time: 25.0 / 8)
        #expect(meter.current == 24_000)
    }

    @Test func aSampleLastsUntilTheNextOne() {
        var meter = BitRateMeter()
        for time in [0, 0.25, 4.25] { meter.note(bits: 400, time: time) }
        #expect(meter.current == 100)
        #expect(meter.mean == 800 / 4.25)
    }

    @Test func timesThatDecreaseRestartTheWindow() {
        var meter = BitRateMeter()
        for time in [10, 10.5, 11] { meter.note(bits: 1000, time: time) }
        #expect(meter.mean == 2000)
        meter.note(bits: 500, time: 3)
        #expect(meter.current.isNaN && meter.mean == 2000)
        meter.note(bits: 500, time: 4)
        #expect(meter.current == 500 && meter.mean == 1250)
    }

    @Test func veryManySamplesASecondAreNotAllKept() {
        var meter = BitRateMeter()
        for number in 0..<5000 { meter.note(bits: number < 3000 ? 1 : 3, time: Double(number) / 8192) }
        #expect(meter.current == 3 * 8192)
        #expect(abs(meter.mean - Double(3000 + 1999 * 3) / 4999 * 8192) < 1e-6)
    }

    @Test func timesThatAreNotNumericAreIgnored() {
        var meter = BitRateMeter()
        for time in [0, Double.nan, .infinity, 1] { meter.note(bits: 64, time: time) }
        #expect(meter.current == 64 && meter.mean == 64)
    }
}
