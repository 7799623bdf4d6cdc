import Testing

@testable import Nalu

/// complete(until:): when it returns, every accepted frame up to this time has been delivered.
@Suite struct CompleteTests {
    @Test(arguments: FakeScript.shapes)
    func everyFrameUpToTheTimeIsDelivered(script: FakeScript) throws {
        for last in 0..<8 {
            let fake = try FakeSession(script, returned: Collector(milliseconds: 0.5))
            _ = fake.encode(0..<8)
            try fake.session.complete(until: FakeSession.time(last))
            #expect(Set(0...last).isSubset(of: fake.returned.frames))
            try fake.session.complete()
            fake.expectContract(accepted: Array(0..<8))
        }
    }

    @Test func aTimeBetweenFramesOfOtherTimescalesIsComparedExactly() throws {
        let fake = try FakeSession(FakeScript(delay: 9))
        _ = fake.encode(0..<4)
        try fake.session.complete(until: MediaTime(value: 2_999_999, timescale: 30_000_000))
        #expect(Set([0, 1, 2]).isSubset(of: fake.returned.frames))
        fake.expectContract(accepted: fake.returned.frames.sorted())
        try fake.session.complete()
    }

    /// The frames are then delivered without samples, and complete must not report success.
    @Test func completeReportsAnInvalidatedSession() throws {
        for _ in 0..<50 {
            let gate = Gate()
            var script = FakeScript()
            script.gate = gate
            let fake = try FakeSession(script)
            _ = fake.encode(0..<3)
            let statuses = Collected<Status>()
            let waiting = TestThread {
                statuses.append(TestBytes.status { () throws(NaluError) in try fake.session.complete() })
            }
            #expect(eventually { gate.waiting == 1 })
            TestThread.sleep(milliseconds: 0.3)
            let ending = TestThread { try? fake.session.invalidate() }
            TestThread.sleep(milliseconds: 0.3)
            gate.open()
            #expect(waiting.join() && ending.join())
            fake.expectContract(accepted: [0, 1, 2])
            let areEncoded = fake.returned.calls.allSatisfy { $0.status == .ok }
            #expect(statuses.all == [.invalidSession] || (statuses.all == [.ok] && areEncoded))
        }
    }
}
