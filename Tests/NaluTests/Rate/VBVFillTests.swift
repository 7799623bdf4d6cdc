import Testing

@testable import Nalu

@Suite struct VBVFillTests {
    @Test func theFullnessIsUnknownBeforeTheFirstSample() {
        #expect(VBVFill().fraction(of: 1000, frameSeconds: 1, rate: 1000) == nil)
    }

    @Test func timeFillsAndSamplesDrainTheVBVBuffer() throws {
        var fill = VBVFill()
        // 900 - 500, + 200 - 100, and + 100 until the next frame.
        fill.note(bits: 500, time: 10, rate: 1000, size: 1000)
        fill.note(bits: 100, time: 10.2, rate: 1000, size: 1000)
        let part = try #require(fill.fraction(of: 1000, frameSeconds: 0.1, rate: 1000))
        #expect(abs(part - 0.6) < 1e-9)
        // The same bits in a larger VBV buffer.
        #expect(abs((fill.fraction(of: 2000, frameSeconds: 0.1, rate: 1000) ?? 0) - 0.3) < 1e-9)
    }

    @Test func theFullnessStaysWithinItsBounds() {
        var fill = VBVFill()
        fill.note(bits: 5000, time: 0, rate: 1000, size: 1000)
        #expect(fill.fraction(of: 1000, frameSeconds: 0, rate: 1000) == 0.1)
        fill.note(bits: 0, time: 100, rate: 1000, size: 1000)
        #expect(fill.fraction(of: 1000, frameSeconds: 9, rate: 1000) == VBVFill.initial)
        #expect(fill.fraction(of: 0, frameSeconds: 1, rate: 1000) == nil)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -5])
    func aTimeThatIsNotIncreasingAddsNothing(time: Double) throws {
        var fill = VBVFill()
        fill.note(bits: 500, time: 1, rate: 1000, size: 1000)
        fill.note(bits: 0, time: time, rate: 1000, size: 1000)
        let part = try #require(fill.fraction(of: 1000, frameSeconds: 0, rate: 1000))
        #expect(part.isFinite && part >= 0.1 && part <= 0.9)
    }
}
