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

    @Test func threeFramesAreTakenAndOneMoreWouldBlock() throws {
        let (fake, gate) = try Self.gated()
        for number in 0..<3 { #expect(Self.doNotWait(fake, number) == .ok) }
        for number in 3..<6 { #expect(Self.doNotWait(fake, number) == .wouldBlock) }
        #expect(try fake.session.property(.numberOfPendingFrames) == 3)
        gate.open()
        try fake.session.complete()
        // A rejected frame has no effect: its time can be used again.
        #expect(Self.doNotWait(fake, 3) == .ok)
        try fake.session.complete()
        fake.expectContract(accepted: Array(0..<4))
        #expect(try fake.session.property(.numberOfPendingFrames) == 0)
        #expect(eventually { fake.buffers.count == 0 })
    }

    @Test func oneMoreWaitsUntilThereIsRoom() throws {
        let (fake, gate) = try Self.gated()
        _ = fake.encode(0..<3)
        let thread = TestThread { _ = fake.encode(3..<30) }
        #expect(eventually { fake.buffers.total == 4 })
        TestThread.sleep(milliseconds: 5)
        #expect(thread.isRunning && fake.buffers.total == 4)
        gate.open()
        #expect(thread.join())
        try fake.session.complete()
        fake.expectContract(accepted: Array(0..<30))
    }

    @Test func framesInsideTheEncoderTakeNoRoom() throws {
        let (fake, gate) = try Self.gated(50)
        gate.open()
        for number in 0..<40 {
            #expect(eventually { Self.doNotWait(fake, number) == .ok })
        }
        try fake.session.complete()
        fake.expectContract(accepted: Array(0..<40))
    }

    @Test func aSlowHandlerSlowsEncode() throws {
        let gate = Gate()
        let fake = try FakeSession(returned: Collector(gate: gate))
        // One frame is in the handler, and three wait behind it.
        for number in 0..<4 {
            #expect(eventually { Self.doNotWait(fake, number) == .ok })
        }
        TestThread.sleep(milliseconds: 3)
        #expect(Self.doNotWait(fake, 4) == .wouldBlock)
        gate.open()
        try fake.session.complete()
        fake.expectContract(accepted: Array(0..<4))
    }

    @Test func theHandlerMayEncodeBeyondTheBoundAndIsThenRefused() throws {
        let returned = Collector()
        let statuses = Collected<Status>()
        let box = SessionBox()
        let fake = try FakeSession(
            returned: returned,
            handler: { frame in
                guard frame.number == 0, let fake = box.fake else { return }
                for number in 1..<30 {
                    statuses.append(TestBytes.status { () throws(NaluError) in try fake.encode(number) })
                }
            })
        box.fake = fake
        try fake.encode(0)
        // The first call waits for the frames accepted so far, the second call for frames from the handler.
        try fake.session.complete()
        try fake.session.complete()
        box.fake = nil
        let accepted = statuses.all.count { $0 == .ok }
        #expect(accepted == 12)
        #expect(statuses.all.dropFirst(accepted).allSatisfy { $0 == .wouldBlock })
        fake.expectContract(accepted: Array(0...accepted))
    }

    @Test(arguments: [0, 1, 2, 3, 5])
    func beforeEncodeOfFrameNReturnsFrameNMinusMHasComeBack(count: Int) throws {
        var script = FakeScript(delay: count)
        script.milliseconds = 0.3
        let fake = try FakeSession(script, returned: Collector(milliseconds: 0.3))
        try fake.session.set(.maxFrameDelayCount, .integer(Int64(count)))
        for number in 0..<20 {
            try fake.encode(number)
            #expect(fake.returned.frames.count > number - count, "frame \(number)")
        }
        try fake.session.complete()
        fake.expectContract(accepted: Array(0..<20))
    }

    @Test func aFailingFrameCountsAsComeBack() throws {
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
