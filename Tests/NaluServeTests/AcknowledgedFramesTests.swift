import Testing

@testable import NaluServe

@Suite struct AcknowledgedFramesTests {
    private func frames(_ numbers: [UInt32], sent: UInt32 = 1000) -> AcknowledgedFrames {
        var frames = AcknowledgedFrames()
        for number in numbers { frames.insert(number, sent: sent) }
        return frames
    }

    @Test func numbersInAnyOrderAreContained() {
        let frames = frames([10, 12, 11, 73])
        for number: UInt32 in [10, 11, 12, 73] { #expect(frames.contains(number), "\(number)") }
        for number: UInt32 in [9, 13, 72, 74] { #expect(!frames.contains(number), "\(number)") }
        #expect(!self.frames([10, 74]).contains(10), "only the last 64 numbers are kept")
    }

    @Test func numbersThatWereNotSentAreIgnored() {
        #expect(frames([1001]).newest == nil)
        #expect(frames([1000, 1001]).newest == 1000)
        #expect(frames([.max], sent: 5).contains(.max), "numbers wrap around")
    }

    @Test func aFrameCountsWhenEveryViewerHasIt() {
        #expect(AcknowledgedFrames.common([]) == nil)
        #expect(AcknowledgedFrames.common([frames([5]), frames([])]) == nil)
        #expect(AcknowledgedFrames.common([frames([5, 6, 7])]) == 7)
        #expect(AcknowledgedFrames.common([frames([5, 6, 7]), frames([5, 6])]) == 6)
        // The second viewer has left 7 out.
        #expect(AcknowledgedFrames.common([frames([5, 6, 7]), frames([5, 6, 8])]) == 6)
        #expect(AcknowledgedFrames.common([frames([5]), frames([6])]) == nil)
        #expect(AcknowledgedFrames.common([frames([.max, 0, 1], sent: 1), frames([.max, 0], sent: 1)]) == 0)
    }
}
