import Testing

@testable import Nalu

/// invalidate: the current call of the handler ends, the other frames are delivered as dropped, and nothing follows.
@Suite struct InvalidateTests {
    @Test(arguments: FakeScript.shapes)
    func afterAnyNumberOfFramesEachComesBackOnce(shape: FakeScript) throws {
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

    @Test func pendingFramesComeBackDroppedInTheOrderTheyWereGiven() throws {
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

    @Test func itWaitsForTheCallInProgress() throws {
        let gate = Gate()
        let fake = try FakeSession(returned: Collector(gate: gate))
        try fake.encode(0)
        #expect(eventually { gate.waiting == 1 })
        let threads = (0..<3).map { _ in TestThread { try? fake.session.invalidate() } }
        #expect(eventually { fake.isInvalid })
        // Gives the other threads time to reach the call.
        TestThread.sleep(milliseconds: 5)
        #expect(threads.allSatisfy { $0.isRunning } && fake.returned.finishes == 0)
        gate.open()
        #expect(threads.allSatisfy { $0.join() })
        #expect(fake.returned.finishes == 1)
        fake.expectContract(accepted: [0])
    }

    @Test func everythingAfterItSaysThatTheSessionIsInvalid() throws {
        for isOpen in [false, true] {
            let fake = try FakeSession()
            if isOpen { try fake.encode(0) }
            try fake.session.invalidate()
            try fake.session.invalidate()
            #expect(fake.returned.finishes == 1)
            let session = fake.session
            let attempts: [(String, () throws(NaluError) -> Void)] = [
                ("prepare", { () throws(NaluError) in try session.prepare() }),
                ("encode", { () throws(NaluError) in try fake.encode(5) }),
                ("complete", { () throws(NaluError) in try session.complete() }),
                ("set", { () throws(NaluError) in try session.set(.averageBitRate, 100_000) }),
                ("set many", { () throws(NaluError) in try session.set([]) }),
                ("get", { () throws(NaluError) in _ = try session.property(.averageBitRate) }),
            ]
            for (name, attempt) in attempts {
                #expect(TestBytes.status(attempt) == .invalidSession, "\(name)")
            }
            #expect(session.pixelBufferPool == nil)
            #expect(session.lastError == "")
            fake.expectContract(accepted: isOpen ? [0] : [])
        }
    }

    @Test func threadsThatWaitAreWoken() throws {
        let gate = Gate()
        var script = FakeScript()
        script.gate = gate
        let fake = try FakeSession(script)
        let accepted = fake.encode(0..<SessionState.roomForFrames)
        let full = TestThread {
            #expect(TestBytes.status { () throws(NaluError) in try fake.encode(9) } == .invalidSession)
        }
        #expect(eventually { gate.waiting == 1 && fake.buffers.total == SessionState.roomForFrames + 1 })
        TestThread.sleep(milliseconds: 3)
        #expect(full.isRunning)
        let ending = TestThread { try? fake.session.invalidate() }
        // The waiting thread need not wait for the encoder.
        #expect(full.join())
        gate.open()
        #expect(ending.join())
        fake.expectContract(accepted: accepted)
    }

    @Test func theLastReferenceEndsTheSessionAndWaits() throws {
        for count in [0, 1, 3] {
            let returned = Collector(milliseconds: 1)
            let (weak, contexts): (Weak<CompressionSession>, LifeCounter)
            do {
                let fake = try FakeSession(FakeScript(delay: 1), returned: returned)
                (weak, contexts) = (Weak(fake.session), fake.contexts)
                _ = fake.encode(0..<count)
            }
            #expect(weak.object == nil)
            #expect(returned.finishes == 1 && returned.frames == Array(0..<count))
            #expect(returned.calls.allSatisfy { !$0.isLate })
            #expect(eventually { contexts.count == 0 })
        }
    }
}
