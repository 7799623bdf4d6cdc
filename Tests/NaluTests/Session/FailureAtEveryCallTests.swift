import Testing

@testable import Nalu

/// An encoder that fails at any of its calls. Each accepted frame is still delivered exactly once, and the frames in
/// the encoder are delivered with its status. The session continues with another encoder and a key frame.
@Suite struct FailureAtEveryCallTests {
    private static let frameCount = 10
    /// complete() is called after these frames.
    private static let breaks: Set<Int> = [5, 9]

    private static func scripts(_ change: (inout FakeScript, Int) -> Void, upTo count: Int) -> [FakeScript] {
        FakeScript.shapes.flatMap { shape in
            (0..<count).map { call in
                var script = shape
                change(&script, call)
                return script
            }
        }
    }

    @Test(arguments: scripts({ $0.failingEncodes = [$1] }, upTo: frameCount))
    func aFailedEncodeLosesOnlyFramesInsideTheEncoder(script: FakeScript) throws {
        try run(script)
    }

    @Test(arguments: scripts({ $0.failingDrains = [$1] }, upTo: 6))
    func aFailedDrainLosesOnlyFramesInsideTheEncoder(script: FakeScript) throws {
        try run(script)
    }

    @Test(arguments: scripts({ $0.failingOpens = [$1 + 1] }, upTo: 2))
    func aFailingReopenLosesOnlyTheFrameThatNeededIt(script: FakeScript) throws {
        try run(script)
        var script = script
        script.failingEncodes = [2]
        try run(script)
    }

    @Test(arguments: FakeScript.shapes)
    func severalFailuresInARowLoseOneFrameEach(shape: FakeScript) throws {
        var script = shape
        script.failingEncodes = [3, 4, 5, 7]
        script.failingOpens = [2, 3]
        try run(script)
    }

    @Test(arguments: FakeScript.shapes)
    func aFrameThatTheEncoderNeverReturnsIsReported(shape: FakeScript) throws {
        for token in 1..<UInt64(6) {
            var script = shape
            script.keptTokens = [token]
            try run(script)
        }
    }

    @Test func aFailingFirstOpenRefusesTheFrameAndTheNextOneTriesAgain() throws {
        var script = FakeScript()
        script.failingOpens = [0]
        let fake = try FakeSession(script)
        #expect(TestBytes.status { () throws(NaluError) in try fake.session.prepare() } == FakeScript.error)
        #expect(fake.encode(0..<3) == [0, 1, 2])
        try fake.session.complete()
        fake.expectContract(accepted: [0, 1, 2])

        let refused = try FakeSession(script)
        #expect(refused.encode(0..<3) == [1, 2])
        try refused.session.complete()
        refused.expectContract(accepted: [1, 2])
        #expect(refused.session.lastError == "")
    }

    /// Runs one session from its first frame to its end, and counts all of its objects.
    private func run(_ script: FakeScript) throws {
        let encoders: FakeEncoders
        let (buffers, contexts): (LifeCounter, LifeCounter)
        let samples: [Weak<Sample>]
        let session: Weak<CompressionSession>
        let returned: Collector
        do {
            let fake = try FakeSession(script)
            (encoders, buffers, contexts, returned) = (fake.encoders, fake.buffers, fake.contexts, fake.returned)
            session = Weak(fake.session)
            var accepted: [Int] = []
            for number in 0..<Self.frameCount {
                accepted += fake.encode([number])
                if Self.breaks.contains(number) { try fake.session.complete() }
            }
            #expect(accepted == Array(0..<Self.frameCount))
            fake.expectContract(accepted: accepted)
            expectStatuses(fake)
            expectKeyFrames(fake)
            samples = returned.samples.map { Weak($0) }
        }
        #expect(session.object == nil)
        #expect(returned.finishes == 1)
        #expect(eventually { contexts.count == 0 && buffers.count == 0 && encoders.alive.count == 0 })
        #expect(buffers.total == Self.frameCount)
        // Samples live longer than their session, but only while they are retained.
        #expect(samples.allSatisfy { $0.object != nil })
        returned.forget()
        #expect(samples.allSatisfy { $0.object == nil })
    }

    private func expectStatuses(_ fake: FakeSession) {
        let log = fake.encoders.happened
        let calls = fake.returned.calls
        let failed = Set(calls.filter { $0.status != .ok }.map { UInt64($0.frame) })
        #expect(failed.isSuperset(of: log.lost))
        // A frame for which no encoder could be opened was never passed to one.
        #expect(failed.subtracting(log.lost).count == log.failedOpens)
        #expect(failed.subtracting(log.lost).isDisjoint(with: log.frames.map { $0.token }))
        #expect(calls.allSatisfy { $0.status == .ok || $0.status == FakeScript.error })
        #expect(calls.compactMap { $0.sample == nil ? nil : UInt64($0.frame) } == log.pictures)
        if failed.isEmpty {
            #expect(fake.session.lastError == "")
        } else if fake.encoders.script.keptTokens.isEmpty {
            #expect(fake.session.lastError == log.sentence)
        } else {
            #expect(fake.session.lastError.contains("did not return 1 frame"))
        }
    }

    /// Checks that only the first frame of each encoder is forced to be a key frame.
    private func expectKeyFrames(_ fake: FakeSession) {
        var seen: Set<Int> = []
        for frame in fake.encoders.happened.frames {
            #expect(frame.forceKeyFrame == seen.insert(frame.encoder).inserted)
        }
    }
}
