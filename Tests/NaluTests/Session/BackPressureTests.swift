import Testing

@testable import Nalu

/// The maximum number of pending frames, and the result for one frame more.
@Suite struct BackPressureTests {
    private static func gated(_ delay: Int = 0) throws -> (fake: FakeSession, gate: Gate) {
        let gate = Gate()
        var script = FakeScript(delay: delay)
        script.gate = gate
        return (try FakeSession(script), gate)
    }

    private static func doNotWait(_ fake: FakeSession, _ number: Int) -> Status {
        TestBytes.status { () throws(NaluError) in try fake.encode(number, options: FrameOptions(doNotWait: true)) }
    }

    @Test func framesInsideTheEncoderDoNotCountAsPending() throws {
        let (fake, gate) = try Self.gated(50)
        gate.open()
        for number in 0..<40 {
            #expect(eventually { Self.doNotWait(fake, number) == .ok })
        }
        try fake.session.complete()
        fake.expectContract(accepted: Array(0..<40))
    }

    @Test func aFailedFrameCountsAsDelivered() throws {
        var script = FakeScript()
        script.failingEncodes = [1, 3]
        let fake = try FakeSession(script)
        try fake.session.set(.maxFrameDelayCount, 0)
        for number in 0..<6 {
            try fake.encode(number)
            #expect(fake.returned.frames.count == number + 1)
        }
        fake.expectContract(accepted: Array(0..<6))
    }

    /// The encoder keeps two frames more than MaxFrameDelayCount allows, which only the next frames would bring out.
    @Test func encodeDoesNotWaitForAnEncoderThatKeepsItsFrames() throws {
        let fake = try FakeSession(FakeScript(delay: 3))
        try fake.session.set(.maxFrameDelayCount, 1)
        let thread = TestThread {
            for number in 0..<20 {
                #expect(TestBytes.status { () throws(NaluError) in try fake.encode(number) } == .ok)
            }
        }
        #expect(thread.join())
        try fake.session.complete()
        fake.expectContract(accepted: Array(0..<20))
    }

    @Test func invalidateEndsTheWaitForAFrame() throws {
        let (fake, gate) = try Self.gated()
        try fake.session.set(.maxFrameDelayCount, 0)
        // The frame was accepted: encode succeeds, and the handler receives the frame as dropped.
        let thread = TestThread {
            #expect(TestBytes.status { () throws(NaluError) in try fake.encode(0) } == .ok)
        }
        #expect(eventually { gate.waiting == 1 })
        let ending = TestThread { try? fake.session.invalidate() }
        #expect(thread.join())
        gate.open()
        #expect(ending.join())
        fake.expectContract(accepted: [0])
    }
}
