import Testing

@testable import Nalu

/// complete(until:): when it returns, every accepted frame up to this time has been delivered.
@Suite struct CompleteTests {
    @Test(arguments: FakeScript.shapes)
    func everyFrameUpToTheTimeHasComeBack(script: FakeScript) throws {
        for last in 0..<8 {
            let fake = try FakeSession(script, returned: Collector(milliseconds: 0.5))
            _ = fake.encode(0..<8)
            try fake.session.complete(until: FakeSession.time(last))
            #expect(Set(0...last).isSubset(of: fake.returned.frames))
            try fake.session.complete()
            fake.expectContract(accepted: Array(0..<8))
        }
    }

    @Test(arguments: [MediaTime.invalid, .positiveInfinity, .negativeInfinity, .indefinite])
    func aTimeThatIsNotNumericMeansAll(time: MediaTime) throws {
        let fake = try FakeSession(FakeScript(delay: 5))
        _ = fake.encode(0..<4)
        try fake.session.complete(until: time)
        #expect(fake.returned.frames == [0, 1, 2, 3])
    }

    @Test func aTimeBeforeTheFirstPendingFrameWaitsForNothing() throws {
        let gate = Gate()
        var script = FakeScript(delay: 1)
        script.gate = gate
        let fake = try FakeSession(script)
        _ = fake.encode(0..<3)
        try fake.session.complete(until: MediaTime(value: -1, timescale: 30))
        #expect(fake.returned.frames == [])
        gate.open()
        try fake.session.complete()
        fake.expectContract(accepted: [0, 1, 2])
    }

    @Test func aTimeBetweenFramesOfOtherTimescalesIsComparedExactly() throws {
        let fake = try FakeSession(FakeScript(delay: 9))
        _ = fake.encode(0..<4)
        try fake.session.complete(until: MediaTime(value: 2_999_999, timescale: 30_000_000))
        #expect(Set([0, 1, 2]).isSubset(of: fake.returned.frames))
        fake.expectContract(accepted: fake.returned.frames.sorted())
        try fake.session.complete()
    }

    @Test func withoutFramesItDoesNothing() throws {
        let fake = try FakeSession()
        try fake.session.complete()
        try fake.session.prepare()
        try fake.session.complete()
        #expect(fake.encoders.happened.drains == 0)
    }

    @Test func theSessionGoesOnWithAKeyFrameWhereTheEncoderHeldFrames() throws {
        let fake = try FakeSession(FakeScript(delay: 2))
        var accepted: [Int] = []
        for part in [0..<5, 5..<6, 6..<10] {
            accepted += fake.encode(part)
            try fake.session.complete()
            try fake.session.complete()
            #expect(fake.returned.frames == accepted)
        }
        fake.expectContract(accepted: Array(0..<10))
        #expect(fake.returned.calls.filter { $0.sample?.isKeyFrame == true }.map { $0.frame } == [0, 5, 6])
        #expect(fake.encoders.happened.opens == 3)
    }

    @Test func theEncoderRunsOnWhereItHeldNone() throws {
        let fake = try FakeSession()
        for number in 0..<5 {
            try fake.encode(number)
            try fake.session.complete()
        }
        fake.expectContract(accepted: Array(0..<5))
        #expect(fake.returned.calls.filter { $0.sample?.isKeyFrame == true }.map { $0.frame } == [0])
        #expect(fake.encoders.happened.opens == 1 && fake.encoders.happened.drains == 0)
    }

    @Test func severalThreadsMayWaitAtOnce() throws {
        let gate = Gate()
        var script = FakeScript(delay: 3)
        script.gate = gate
        let fake = try FakeSession(script)
        _ = fake.encode(0..<3)
        let threads = (0..<3).map { number in
            TestThread { try? fake.session.complete(until: FakeSession.time(number)) }
        }
        TestThread.sleep(milliseconds: 5)
        #expect(threads.allSatisfy { $0.isRunning })
        gate.open()
        #expect(threads.allSatisfy { $0.join() })
        fake.expectContract(accepted: Array(0..<3))
    }

    /// The frames are then delivered without samples, and complete must not report success.
    @Test func itTellsWhenTheSessionIsInvalidatedMeanwhile() throws {
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
