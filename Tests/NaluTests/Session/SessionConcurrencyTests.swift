import Testing

@testable import Nalu

/// Any thread may make any call.
@Suite struct SessionConcurrencyTests {
    @Test(arguments: FakeScript.shapes)
    func threadsInTurnEncodeEveryFrame(script: FakeScript) throws {
        let fake = try FakeSession(script)
        let next = Guarded(0)
        let threads = (0..<4).map { _ in
            TestThread {
                while next.withLock({ number in
                    defer { number += 1 }
                    return number < 200 && fake.encode([number]) == [number]
                }) {}
            }
        }
        #expect(threads.allSatisfy { $0.join() })
        try fake.session.complete()
        fake.expectContract(accepted: Array(0..<200))
    }

    /// A frame whose time is not the greatest is rejected. No accepted frame is lost or delivered twice.
    @Test func threadsThatRaceLoseNoAcceptedFrame() throws {
        let fake = try FakeSession(FakeScript(delay: 4, group: [2, 0, 1]))
        let accepted = Collected<Int>()
        let threads = (0..<4).map { (thread: Int) in
            TestThread {
                for round in 0..<60 {
                    let number = round * 4 + thread
                    do throws(NaluError) {
                        try fake.encode(number)
                        accepted.append(number)
                    } catch {
                        #expect(error.status == .invalidTime)
                    }
                }
            }
        }
        #expect(threads.allSatisfy { $0.join() })
        try fake.session.complete()
        fake.expectContract(accepted: accepted.all.sorted())
        #expect(accepted.all.count >= 60)
    }

    @Test(arguments: 0..<8)
    func everythingAtOnceEndsCleanly(seed: UInt64) throws {
        var script = FakeScript.shapes[Int(seed % 4)]
        script.failingEncodes = [30, 31, 55]
        script.failingDrains = [5]
        script.failingOpens = [4, 6]
        let returned = Collector()
        let accepted = Collected<Int>()
        let finished:
            (weak: Weak<CompressionSession>, buffers: LifeCounter, contexts: LifeCounter, encoders: FakeEncoders)
        do {
            let fake = try FakeSession(script, returned: returned)
            finished = (Weak(fake.session), fake.buffers, fake.contexts, fake.encoders)
            let next = Guarded(0)
            var threads = (0..<2).map { _ in
                TestThread {
                    for _ in 0..<80 {
                        next.withLock { number in
                            if fake.encode([number]) == [number] { accepted.append(number) }
                            number += 1
                        }
                    }
                }
            }
            threads.append(TestThread { Self.changeProperties(fake.session, seed) })
            threads.append(TestThread { Self.completeAndPrepare(fake.session, seed) })
            if seed % 2 == 0 {
                TestThread.sleep(milliseconds: Double(1 + seed))
                try fake.session.invalidate()
                #expect(returned.finishes == 1)
            }
            #expect(threads.allSatisfy { $0.join() })
            if seed % 2 == 1 { try fake.session.complete() }
            fake.expectContract(accepted: accepted.all.sorted())
        }
        #expect(eventually { finished.weak.object == nil && finished.contexts.count == 0 })
        #expect(eventually { finished.buffers.count == 0 && finished.encoders.alive.count == 0 })
        #expect(returned.finishes == 1)
    }

    private static func changeProperties(_ session: CompressionSession, _ seed: UInt64) {
        var random = TestRandom(seed: seed)
        for _ in 0..<200 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try? session.set(.averageBitRate, .integer(Int64.random(in: 1000...9_000_000, using: &random)))
            case 1: try? session.set(.maxKeyFrameInterval, .integer(Int64.random(in: 0...9, using: &random)))
            case 2: try? session.set(.dataRateLimits, [100_000, .random(in: 0.1...2, using: &random)])
            case 3: try? session.set([(.quality, nil), (.allowTemporalCompression, true)])
            case 4: _ = try? session.property(.numberOfPendingFrames)
            default: _ = (try? session.property(.x264Effective), session.lastError, session.pixelBufferPool)
            }
        }
    }

    private static func completeAndPrepare(_ session: CompressionSession, _ seed: UInt64) {
        for round in 0..<12 {
            try? session.prepare()
            try? session.complete(until: round % 2 == 0 ? .invalid : FakeSession.time(round * 5))
        }
    }
}
