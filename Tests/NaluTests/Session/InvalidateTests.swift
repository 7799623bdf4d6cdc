import Testing

@testable import Nalu

/// invalidate: the current call of the handler ends, the other frames are delivered as dropped, and nothing follows.
@Suite struct InvalidateTests {
    @Test(arguments: FakeScript.shapes)
    func invalidateReportsEachFrameOnce(shape: FakeScript) throws {
        for count in 0..<10 {
            for isGated in [false, true] where !isGated || count <= SessionState.roomForFrames {
                var script = shape
                script.milliseconds = 0.2
                let gate = Gate(isOpen: !isGated)
                script.gate = gate
                let fake = try FakeSession(script)
                #expect(fake.encode(0..<count) == Array(0..<count))
                let opener = TestThread {
                    TestThread.sleep(milliseconds: 1)
                    gate.open()
                }
                try fake.session.invalidate()
                let calls = fake.returned.calls
                #expect(calls.count == count)
                #expect(fake.returned.finishes == 1)
                #expect(opener.join())
                fake.expectContract(accepted: Array(0..<count))
                for call in calls where call.status != .ok {
                    #expect(call.status == .invalidSession && call.flags == .frameDropped && call.sample == nil)
                }
                #expect(fake.returned.calls.count == count)
                #expect(eventually { fake.encoders.alive.count == 0 && fake.buffers.count == 0 })
            }
        }
    }

    @Test func pendingFramesAreReportedAsDroppedInOrder() throws {
        let gate = Gate()
        var script = FakeScript(delay: 2)
        script.gate = gate
        let fake = try FakeSession(script)
        gate.open()
        _ = fake.encode(0..<4)
        #expect(eventually { fake.returned.frames.count == 2 })
        gate.close()
        _ = fake.encode(4..<7)
        #expect(eventually { gate.waiting == 1 })
        let ending = TestThread { try? fake.session.invalidate() }
        #expect(eventually { fake.isInvalid })
        #expect(ending.isRunning)
        gate.open()
        #expect(ending.join())
        #expect(fake.returned.frames == Array(0..<7))
        #expect(fake.returned.calls.suffix(4).allSatisfy { $0.flags == .frameDropped })
    }
}
